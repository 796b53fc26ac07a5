package api_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

func TestBadBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for _, tc := range []struct{ name, body, words string }{
		{"empty", "", "the body is empty, and no JSON; send a JSON object"},
		{"blank", " \n", "the body is empty"},
		{"not JSON, deeper", `{"params":{"a":oops}}`, "at byte 15 (at params.a); look at quotes"},
		{"not JSON", "{", "not JSON"},
		{"truncated", `{"task":"a"`, "not JSON"},
		{"a list", `[]`, "object"},
		{"null", `null`, "object"},
		{"a text", `"x"`, "object"},
		{"two objects", `{}{}`, "follows"},
		{"unknown field", `{"tsak":"a"}`, `unknown field "tsak"; it may have at, params, task`},
		{"other case", `{"Task":"a"}`, `unknown field "Task"`},
		{"twice", `{"task":"a","task":"b"}`, "stands twice"},
		{"twice, deeper", `{"params":{"a":1,"a":2}}`, "of the body (at params); keep one of them"},
		{"deep", `{"params":{"a":` + deep + `}}`, "is 16 levels (at params.a[0][0][0][0][0][0]…); flatten it"},
		{"wrong type", `{"task":1}`, `"task"`},
		{"a long number", `{"task":1` + strings.Repeat("0", 500) + `}`, "kind: number"},
		{"wrong time", `{"at":"yesterday"}`, "time"},
		{"time as a number", `{"at":1}`, "time"},
		{"the year 1", `{"at":"0001-01-01T00:00:00Z"}`, "1970 or later"},
		{"before 1970", `{"at":"1969-12-31T23:59:59Z"}`, "at must be a moment of 1970 or later"},
		{"NUL", `{"task":"a\u0000"}`, "NUL character (at task); take it out"},
		{"NUL in a key", `{"params":{"a\u0000":1}}`, "NUL"},
		{"not UTF-8", "{\"task\":\"\xff\"}", "UTF-8"},
	} {
		c := call{method: http.MethodPost, path: "/api/v1/schedules/x/batches", body: tc.body}
		c.headers = map[string]string{"Content-Type": "application/json"}
		w.refused(c, http.StatusBadRequest, "invalid", tc.words)
	}
}

func TestBadFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("x", 2000)
	for _, tc := range []struct{ method, path, body, words string }{
		{"PUT", "/api/v1/schedules/x/enabled", `{}`, "enabled"},
		{"PUT", "/api/v1/schedules/x/enabled", `{"enabled":null}`, "enabled"},
		{"PUT", "/api/v1/schedules/x/enabled", `{"enabled":"yes"}`, "enabled"},
		{"PUT", "/api/v1/executors/x/offline", `{}`, "offline"},
		{"PUT", "/api/v1/executors/x/drain", `{}`, "drained"},
		{"PUT", "/api/v1/executors/x/drain", `{"drained":"yes"}`, "drained"},
		{"POST", "/api/v1/executors", `{}`, "address"},
		{"POST", "/api/v1/executors", `{"address":"` + long + `"}`, "address"},
		{"POST", "/api/v1/executors", `{"address":"h:1","slots":-1}`, "slots"},
		{"POST", "/api/v1/executors", `{"address":"h:1","slots":10001}`, "slots"},
		{"POST", "/api/v1/executors", `{"address":"h:1","token":"` + long + `"}`, "token"},
		{"POST", "/api/v1/executors", `{"address":"h:1","labels":{"a":1}}`, "labels"},
		{"POST", "/api/v1/executors", `{"address":"h:1","secret":"x"}`, "secret"},
		{"PUT", "/api/v1/batches/7/wish", `{}`, "wish"},
		{"PUT", "/api/v1/batches/7/wish", `{"wish":"fly"}`, "fly"},
		{"PUT", "/api/v1/batches/7/wish", `{"wish":"run","note":"` + long + `"}`, "note"},
		{"POST", "/api/v1/batches/7/repairs", `{}`, "action"},
		{"POST", "/api/v1/batches/7/repairs", `{"action":"fix"}`, "fix"},
		{"POST", "/api/v1/batches/7/repairs", `{"action":"resume","latest":true,"revision":2}`, "exclude"},
		{"POST", "/api/v1/batches/7/repairs", `{"action":"resume","revision":-2}`, "revision"},
		{"POST", "/api/v1/batches/7/repairs", `{"action":"resume","hash":"` + long + `"}`, "hash"},
		{"POST", "/api/v1/batches/7/repair-plans", `{"action":"resume","tasks":"a"}`, "tasks"},
		{"POST", "/api/v1/tokens", `{"expiresIn":"soon"}`, "expiresIn"},
		{"POST", "/api/v1/tokens", `{"expiresIn":"0s"}`, "expiresIn"},
		{"POST", "/api/v1/tokens", `{"expiresIn":"-1h"}`, "expiresIn"},
		{"POST", "/api/v1/tokens", `{"name":"` + long + `"}`, "name"},
	} {
		w.refused(call{method: tc.method, path: tc.path, body: tc.body}, http.StatusBadRequest, "invalid", tc.words)
	}
}

func TestBadParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, words := range map[string]string{
		"/api/v1/batches?limit=0":                            "limit",
		"/api/v1/batches?limit=501":                          "limit",
		"/api/v1/batches?limit=-1":                           "limit",
		"/api/v1/batches?limit=ten":                          "limit",
		"/api/v1/batches?limit=1&limit=2":                    "limit",
		"/api/v1/batches?limit=":                             "limit",
		"/api/v1/batches?before=0":                           "before",
		"/api/v1/batches?before=99999999999999999999":        "before",
		"/api/v1/batches?state=done":                         "done",
		"/api/v1/batches?kind=odd":                           "odd",
		"/api/v1/batches?hookOf=odd":                         "hookOf",
		"/api/v1/batches?live=maybe":                         "live",
		"/api/v1/batches?stat=failed":                        `"stat" is unknown; this path takes`,
		"/api/v1/batches?%zz":                                "query",
		"/api/v1/batches/seven":                              "id",
		"/api/v1/batches/99999999999999999999":               "id",
		"/api/v1/batches/7?tasks=perhaps":                    "tasks",
		"/api/v1/batches/7/history?x=1":                      "none",
		"/api/v1/schedules/x/revisions/0":                    "number",
		"/api/v1/schedules/x/revisions/first":                "number",
		"/api/v1/schedules/x/export?revision=0":              "revision",
		"/api/v1/schedules/x/ticks?before=yesterday":         "before",
		"/api/v1/batches/7/tasks/b/log?limit=0":              "limit",
		"/api/v1/batches/7/tasks/b/log?limit=1048577":        "limit",
		"/api/v1/batches/7/tasks/b/log?offset=x":             "offset",
		"/api/v1/batches/7/tasks/b/log?attempt=0&attempt=-1": "attempt",
		"/api/v1/me?token=hgo_ada":                           "none",
	} {
		w.refused(call{method: http.MethodGet, path: path}, http.StatusBadRequest, "invalid", words)
	}
	w.refused(call{method: http.MethodPut, path: "/api/v1/schedules/x?base=-1", body: "{}"}, http.StatusBadRequest,
		"invalid", "base")
	for _, key := range []string{strings.Repeat("k", 129), "a b", "é"} {
		c := samples()["runSchedule"]
		c.headers = map[string]string{"Idempotency-Key": key}
		w.refused(c, http.StatusBadRequest, "invalid", "Idempotency-Key")
	}
	address := w.listen()
	for _, header := range []string{
		"Idempotency-Key:\r\n", "Idempotency-Key: \r\n",
		"Idempotency-Key: a\r\nIdempotency-Key: b\r\n",
	} {
		status, body := wire(t, address,
			"PUT /api/v1/batches/7/wish HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/json\r\n"+
				"Authorization: Bearer "+apitest.Token+"\r\nContent-Length: 16\r\n"+header+"\r\n"+`{"wish":"pause"}`)
		if status != http.StatusBadRequest || !strings.Contains(body, "Idempotency-Key") {
			t.Errorf("%q: %d %s", header, status, body)
		}
	}
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got []byte
	w.SaveF = func(r hive.SaveRequest) (hive.Saved, error) { got = r.Document; return hive.Saved{}, nil }
	for _, kind := range []string{
		"application/yaml", "text/yaml; charset=UTF-8", "application/x-yaml",
		"application/json", "application/json;charset=utf-8",
	} {
		got = nil
		c := call{http.MethodPut, "/api/v1/schedules/x", "{a: 1}\n", map[string]string{"Content-Type": kind}}
		if a := w.do(c); a.StatusCode != http.StatusOK || string(got) != "{a: 1}\n" {
			t.Errorf("%s: %d %q", kind, a.StatusCode, got)
		}
	}
	for _, kind := range []string{
		"", "text/plain", "application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x", "application/json; charset=latin1", "///",
	} {
		c := call{http.MethodPut, "/api/v1/schedules/x", "{}", map[string]string{"Content-Type": kind}}
		w.refused(c, http.StatusUnsupportedMediaType, "unsupported_media_type", "Content-Type")
	}
	for _, kind := range []string{"", "application/yaml", "text/plain", "application/x-www-form-urlencoded"} {
		c := call{
			http.MethodPut, "/api/v1/schedules/x/enabled", `{"enabled":true}`,
			map[string]string{"Content-Type": kind},
		}
		w.refused(c, http.StatusUnsupportedMediaType, "unsupported_media_type", "Content-Type")
	}
	c := call{http.MethodPut, "/api/v1/schedules/x", "{}", map[string]string{"Content-Encoding": "gzip"}}
	w.refused(c, http.StatusUnsupportedMediaType, "unsupported_media_type", "Content-Encoding")
}

func TestLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := "0123456789"
	w.LogF = apitest.Log([]byte(text), false)
	path := "/api/v1/batches/7/tasks/b/log"
	for _, tc := range []struct {
		query, header, body, contentRange, next string
		status                                  int
	}{
		{"", "", text, "", "10", 200},
		{"?offset=4", "", "456789", "", "10", 200},
		{"?offset=4&limit=2", "", "45", "", "6", 200},
		{"?offset=-3", "", "789", "", "10", 200},
		{"?offset=-99", "", text, "", "10", 200},
		{"?offset=10", "", "", "", "10", 200},
		{"?offset=99", "", "", "", "99", 200},
		{"", "bytes=0-0", "0", "bytes 0-0/10", "1", 206},
		{"", "bytes=2-4", "234", "bytes 2-4/10", "5", 206},
		{"", "bytes=2-", "23456789", "bytes 2-9/10", "10", 206},
		{"", "bytes=8-99", "89", "bytes 8-9/10", "10", 206},
		{"", "bytes=-4", "6789", "bytes 6-9/10", "10", 206},
		{"", "bytes=-99", text, "bytes 0-9/10", "10", 206},
	} {
		a := w.do(call{http.MethodGet, path + tc.query, "", map[string]string{"Range": tc.header}})
		if a.StatusCode != tc.status || string(a.body) != tc.body || a.Header.Get("Content-Range") != tc.contentRange ||
			a.Header.Get("X-Log-Next") != tc.next || a.Header.Get("X-Log-Size") != "10" ||
			a.Header.Get("X-Log-Complete") != "false" {
			t.Errorf("%q %q: %d %q %v", tc.query, tc.header, a.StatusCode, a.body, a.Header)
		}
	}
	a := w.do(call{http.MethodGet, path, "", map[string]string{"Range": "bytes=10-"}})
	if a.StatusCode != http.StatusRequestedRangeNotSatisfiable || a.Header.Get("Content-Range") != "bytes */10" {
		t.Errorf("beyond the end: %d %v", a.StatusCode, a.Header)
	}
	for _, r := range []string{
		"bytes=", "bytes=a-b", "bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=-0", "bytes=-",
		"bytes=--1",
	} {
		w.refused(call{http.MethodGet, path, "", map[string]string{"Range": r}}, http.StatusBadRequest, "invalid",
			"Range")
	}
	w.refused(call{http.MethodGet, path + "?limit=1", "", map[string]string{"Range": "bytes=0-1"}},
		http.StatusBadRequest, "invalid", "both")
	w.refused(call{method: http.MethodGet, path: path + "?attempt=2"}, http.StatusNotFound, "not_found", "attempt 2")
	w.AttemptsF = func(int64, string) ([]hive.AttemptView, error) {
		return []hive.AttemptView{{Attempt: hive.Attempt{Number: 1, Outcome: hive.OutcomeReturned}}}, nil
	}
	w.refused(call{method: http.MethodGet, path: path}, http.StatusNotFound, "not_found", "not started")
}

func TestCommandsThatAreNotApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := apitest.SampleCommand()
	c.State, c.Answer, c.DoneAt = hive.CommandPending, nil, time.Time{}
	w.RepairF = func(hive.RepairRequest) (hive.Command, error) { return c, nil }
	w.WishF = func(hive.WishRequest) (hive.Command, error) { c := c; c.Kind = hive.CommandWish; return c, nil }
	for _, id := range []string{"repair", "setWish"} {
		if a := w.do(samples()[id]); a.StatusCode != http.StatusAccepted {
			t.Errorf("%s: %d", id, a.StatusCode)
		}
	}
	c.State, c.Answer = hive.CommandRefused, []byte(`{"code":"conflict","words":"it has moved"}`)
	for _, id := range []string{"repair", "setWish"} {
		w.refused(samples()[id], http.StatusConflict, "conflict", "it has moved")
	}
	w.CommandF = func(int64) (hive.Command, error) { return c, nil }
	a := w.do(samples()["getCommand"])
	if a.StatusCode != http.StatusOK || !strings.Contains(string(a.body), "it has moved") {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	c.Answer = []byte("broken")
	w.refused(samples()["repair"], http.StatusInternalServerError, "internal", "")
}

func TestRequestsReachThePorts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var run hive.RunRequest
	w.CreateF = func(r hive.RunRequest) (hive.BatchView, error) { run = r; return apitest.SampleBatch(), nil }
	w.do(call{
		http.MethodPost, "/api/v1/schedules/warehouse/batches",
		`{"task":"d","at":"2026-05-01T11:20:00.5+08:00","params":{"n":9007199254740993,"on":true}}`,
		map[string]string{"Idempotency-Key": "k1"},
	})
	if run.Schedule != "warehouse" || run.Task != "d" || run.By != "ada" || run.Key != "k1" ||
		!run.At.Equal(time.Date(2026, 5, 1, 3, 20, 0, 500e6, time.UTC)) ||
		!reflect.DeepEqual(run.Params, map[string]any{"n": json.Number("9007199254740993"), "on": true}) {
		t.Errorf("run request: %+v", run)
	}
	var rep hive.RepairRequest
	w.RepairF = func(r hive.RepairRequest) (hive.Command, error) { rep = r; return apitest.SampleCommand(), nil }
	w.do(call{
		http.MethodPost, "/api/v1/batches/7/repairs",
		`{"action":"rerun","tasks":["a"],"downstream":true,"rerunKept":["z"],"revision":4,"note":"n","hash":"h"}`, nil,
	})
	if rep.Batch != 7 || rep.Action != hive.PlanRerun || rep.Tasks[0] != "a" || !rep.Downstream ||
		rep.RerunKept[0] != "z" ||
		rep.Revision != 4 || rep.Note != "n" || rep.Hash != "h" || rep.By != "ada" || rep.Key != "" {
		t.Errorf("repair request: %+v", rep)
	}
	var f hive.BatchFilter
	w.BatchesF = func(x hive.BatchFilter) ([]hive.Batch, error) {
		f = x
		a, b := apitest.SampleBatch().Batch, apitest.SampleBatch().Batch
		a.ID, b.ID = 9, 8
		return []hive.Batch{a, b}, nil
	}
	a := w.do(call{
		method: http.MethodGet,
		path: "/api/v1/batches?live=true&limit=2&before=10&schedule=s&state=queued,failed&kind=hook" +
			"&hookOf=7&from=2026-05-01T00:00:00Z&to=2026-05-02T00:00:00Z&tag=t&owner=o&executor=e&by=ada" +
			`&param=region=east,list=a\,b&since=2026-05-01&until=2026-05-02T08:00:00%2B08:00&longer=90s`,
	})
	want := hive.BatchFilter{
		Tag: "t", Owner: "o", Executor: "e", By: &hive.Starter{Person: "ada"},
		Params: []hive.ParamFilter{{Name: "region", Value: "east"}, {Name: "list", Value: "a,b"}},
		Since:  time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC),
		Longer:   90 * time.Second,
		Schedule: "s", States: []hive.BatchState{
			hive.BatchQueued,
			hive.BatchFailed,
		}, Kind: hive.KindHook, HookOf: 7, Live: true, Before: 10,
		From: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC), Limit: 2,
	}
	f.Until = f.Until.UTC()
	if !reflect.DeepEqual(f, want) || !strings.Contains(string(a.body), `"next":8`) {
		t.Errorf("filter %+v, answer %s", f, a.body)
	}
}

func TestTokenCannotOutliveItsMaker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end := apitest.T0.Add(time.Hour)
	w.AuthF = func(string) (hive.Identity, error) {
		return hive.Identity{
			User:  hive.User{ID: 1, Name: "ada", Admin: true},
			Token: hive.Token{ID: 10, UserID: 1, ExpiresAt: end},
		}, nil
	}
	for body, status := range map[string]int{
		`{}`: 403, `{"expiresIn":"2h"}`: 403, `{"group":"etl"}`: 403, `{"expiresIn":"1h"}`: 201,
		`{"expiresIn":"10m"}`:                      201,
		`{"expiresIn":"10m","name":"a\u001b[31m"}`: 400,
	} {
		if a := w.do(call{http.MethodPost, "/api/v1/tokens", body, nil}); a.StatusCode != status {
			t.Errorf("%s: %d %s, want %d", body, a.StatusCode, a.body, status)
		}
	}
}
