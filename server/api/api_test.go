package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api"
	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// world is an app over fakes. Every answer is compared with openapi.yaml.
type world struct {
	*testing.T
	*apitest.Fakes

	app  *fiber.App
	spec *spec
	log  *bytes.Buffer
	now  time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, Fakes: apitest.Sample(), spec: loadSpec(t), log: &bytes.Buffer{}, now: apitest.T0}
	w.app = api.NewApp(api.Config{
		Log: slog.New(slog.NewTextHandler(w.log, nil)),
		Now: func() time.Time { return w.now },
		Mounts: map[string]http.Handler{"/thrift/registry": http.HandlerFunc(func(rw http.ResponseWriter,
			_ *http.Request,
		) {
			_, _ = io.WriteString(rw, "thrift")
		})},
	}, w.Ports())
	return w
}

// call is one request. By default its token is ada's and its body JSON.
type call struct {
	method, path, body string
	headers            map[string]string
}

type answer struct {
	*http.Response

	body []byte
}

func (w *world) do(c call) answer {
	w.Helper()
	r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
	r.Header.Set("Authorization", "Bearer "+apitest.Token)
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for k, v := range c.headers {
		if r.Header.Del(k); v != "" {
			r.Header.Set(k, v)
		}
	}
	resp, err := w.app.Test(r, 30_000)
	if err != nil {
		w.Fatalf("%s %s: %v", c.method, c.path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.Fatal(err)
	}
	w.spec.conforms(w.T, c.method, c.path, resp, body)
	if resp.Header.Get("X-Request-ID") == "" || resp.Header.Get("X-Content-Type-Options") != "nosniff" ||
		resp.Header.Get("Cache-Control") != cacheable(c.path, resp.StatusCode) {
		w.Errorf("%s %s: headers are missing: %v", c.method, c.path, resp.Header)
	}
	return answer{resp, body}
}

// cacheable checks the headers for caches. Only definitions may be cached.
func cacheable(path string, status int) string {
	if strings.HasSuffix(path, "/definition") && status < http.StatusBadRequest {
		return "private, no-cache"
	}
	return "no-store"
}

type problem struct {
	Code, Detail, Instance, Reason string
	Status                         int
	Params                         map[string]string
	Faults                         []hive.Fault
}

func (a answer) problem(t testing.TB) problem {
	t.Helper()
	var p problem
	if err := json.Unmarshal(a.body, &p); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return p
}

// refused expects a problem whose detail contains words.
func (w *world) refused(c call, status int, code, words string) {
	w.Helper()
	a := w.do(c)
	p := a.problem(w)
	if a.StatusCode != status || p.Status != status || p.Code != code || !strings.Contains(p.Detail, words) {
		w.Errorf("%s %s %.100s: %d %s, want %d %s with %q", c.method, c.path, c.body, a.StatusCode, a.body, status,
			code, words)
	}
}

// ownPage returns the headers of a request from a page of the server under httptest.
func ownPage() map[string]string { return map[string]string{"Origin": "http://example.com"} }

func TestEveryOperation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := samples()
	w.spec.each(t, func(method, path string, op operation) {
		c, ok := good[op.OperationID]
		if !ok || c.method != method {
			t.Errorf("no sample of %s %s", method, path)
			return
		}
		a := w.do(c)
		if op.OperationID != "getReadiness" && a.StatusCode >= 300 {
			t.Errorf("%s: %d %s", op.OperationID, a.StatusCode, a.body)
		}
		for _, secret := range []string{"never", "secret"} {
			// Only answers about webhooks have a field of that name.
			if bytes.Contains(bytes.ReplaceAll(a.body, []byte(`"secrets":[`), nil), []byte(secret)) &&
				op.OperationID != "createWebhookSecret" {
				t.Errorf("%s shows a secret: %s", op.OperationID, a.body)
			}
		}
	})
}

func TestEveryOperationWantsAToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for id, c := range samples() {
		switch id {
		case "getHealth", "getReadiness", "getSetup", "setUp", "logIn":
			c.headers = map[string]string{"Authorization": "", "Origin": "http://example.com"}
			if a := w.do(c); a.StatusCode == http.StatusUnauthorized {
				t.Errorf("%s wants a token", id)
			}
			continue
		}
		w.now = w.now.Add(time.Hour) // beyond the window of the limiter
		for _, header := range []string{
			"", "hgo_ada", "Basic aGdvX2FkYQ==", "Bearer hgo_wrong", "Bearer", "Bearer  ",
			"bearer\thgo_ada",
		} {
			c.headers = map[string]string{"Authorization": header}
			a := w.do(c)
			if a.StatusCode != http.StatusUnauthorized || a.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s with Authorization %q: %d %s", id, header, a.StatusCode, a.body)
			}
		}
	}
	w.now = w.now.Add(time.Hour)
	for _, path := range []string{"/api/v1/nothing", "/api", "/api/v2/me", "/API/v1/me"} {
		a := w.do(call{method: http.MethodGet, path: path, headers: map[string]string{"Authorization": ""}})
		if path != "/API/v1/me" && a.StatusCode != http.StatusUnauthorized || a.StatusCode < 400 {
			t.Errorf("%s without a token: %d", path, a.StatusCode)
		}
	}
}

func TestWrongTokensAreSlowedDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wrong := call{
		method: http.MethodGet, path: "/api/v1/me",
		headers: map[string]string{"Authorization": "Bearer hgo_x"},
	}
	for range 20 {
		w.refused(wrong, http.StatusUnauthorized, "unauthorized", "")
	}
	w.refused(wrong, http.StatusTooManyRequests, "too_many_requests", "wait")
	if a := w.do(wrong); a.Header.Get("Retry-After") != "60" {
		t.Errorf("Retry-After is %q", a.Header.Get("Retry-After"))
	}
	if a := w.do(call{method: http.MethodGet, path: "/api/v1/me"}); a.StatusCode != http.StatusOK {
		t.Errorf("a right token was locked out: %d", a.StatusCode)
	}
	w.now = w.now.Add(time.Minute)
	w.refused(wrong, http.StatusUnauthorized, "unauthorized", "")
}

func TestOnlyAdministrators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := map[string]string{"Authorization": "Bearer " + apitest.Reader}
	for _, id := range []string{
		"deleteExecutor", "setOffline", "addExecutor", "setDrain", "setExecutorGroup", "setLimit", "deleteLimit",
	} {
		c := samples()[id]
		c.headers = bob
		w.refused(c, http.StatusForbidden, "forbidden", "administrator")
	}
	w.refused(call{http.MethodPost, "/api/v1/tokens", `{"group":"etl"}`, bob}, http.StatusForbidden, "forbidden",
		"administrator")
	owners := []int64{}
	w.DeleteTokenF = func(_, user int64) error { owners = append(owners, user); return nil }
	w.do(call{http.MethodDelete, "/api/v1/tokens/10", "", bob})
	w.do(call{http.MethodDelete, "/api/v1/tokens/10", "", nil})
	if len(owners) != 2 || owners[0] != 2 || owners[1] != 0 {
		t.Errorf("tokens were deleted for the users %v", owners)
	}
}

func TestErrorsOfPorts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	get := call{method: http.MethodGet, path: "/api/v1/schedules/x"}
	for code, status := range map[hive.Code]int{
		hive.CodeInvalid: 400, hive.CodeNotFound: 404, hive.CodeConflict: 409, hive.CodeForbidden: 403,
		hive.CodeTooLarge: 413, hive.CodeUnavailable: 503,
	} {
		w.GetScheduleF = func(string) (hive.ScheduleView, error) {
			return hive.ScheduleView{}, &hive.Error{Code: code, Words: "words", Faults: []hive.Fault{
				{
					Code: "bad_cron", Path: "triggers[0].cron", Line: 3, Column: 5, Message: "m", Remedy: "r",
					Warning: true,
					Reason:  "cron_empty", Params: map[string]string{"a": "b"},
				},
			}}
		}
		w.refused(get, status, string(code), "words")
		if p := w.do(get).problem(t); len(p.Faults) != 1 || p.Faults[0].Line != 3 || p.Faults[0].Remedy != "r" ||
			!p.Faults[0].Warning ||
			p.Faults[0].Reason != "cron_empty" || p.Faults[0].Params["a"] != "b" {
			t.Errorf("faults: %+v", p.Faults)
		}
	}
	for _, err := range []error{
		errors.New("password=hunter2"),
		&hive.Error{Code: hive.CodeInternal, Words: "hunter2"},
	} {
		w.GetScheduleF = func(string) (hive.ScheduleView, error) { return hive.ScheduleView{}, err }
		w.refused(get, http.StatusInternalServerError, "internal", "log")
		if a := w.do(get); bytes.Contains(a.body, []byte("hunter2")) ||
			!bytes.Contains(w.log.Bytes(), []byte("hunter2")) {
			t.Errorf("internals belong in the log only: %s", a.body)
		}
	}
}

func TestPanics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.GetScheduleF = func(string) (hive.ScheduleView, error) { panic("hunter2") }
	a := w.do(call{method: http.MethodGet, path: "/api/v1/schedules/x"})
	p := a.problem(t)
	if a.StatusCode != http.StatusInternalServerError || p.Code != "internal" ||
		bytes.Contains(a.body, []byte("hunter2")) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if log := w.log.String(); !strings.Contains(log, "hunter2") || !strings.Contains(log, p.Instance) {
		t.Errorf("the log does not say why, or not for which request:\n%s", log)
	}
}

func TestMountsAndUnknownPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.do(call{http.MethodPost, "/thrift/registry", "x", map[string]string{"Authorization": ""}})
	if string(a.body) != "thrift" {
		t.Errorf("the mount answered %d %s", a.StatusCode, a.body)
	}
	w.refused(call{method: http.MethodGet, path: "/nothing"}, http.StatusNotFound, "not_found", "/nothing")
	w.refused(call{method: http.MethodGet, path: "/api/v1/nothing"}, http.StatusNotFound, "not_found",
		"/api/v1/nothing")
	for _, c := range []struct{ method, path, allow string }{
		{http.MethodPatch, "/api/v1/me", "GET, HEAD"},
		{http.MethodPost, "/api/v1/batches", "GET, HEAD"},
		{http.MethodPost, "/api/v1/batches/", "GET, HEAD"},
		{http.MethodDelete, "/api/v1/batches/1", "GET, HEAD"},
		{http.MethodGet, "/api/v1/tokens/1", "DELETE"},
		{http.MethodGet, "/api/v1/validate", "POST"},
		{http.MethodPost, "/healthz", "GET, HEAD"},
	} {
		a := w.do(call{method: c.method, path: c.path})
		if a.StatusCode != http.StatusMethodNotAllowed || a.Header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, Allow %q, want 405 and %q", c.method, c.path, a.StatusCode, a.Header.Get("Allow"),
				c.allow)
		}
		w.refused(call{method: c.method, path: c.path}, http.StatusMethodNotAllowed, "method_not_allowed",
			"it takes "+c.allow)
	}
	w.refused(call{method: http.MethodDelete, path: "/api/v1/nothing"}, http.StatusNotFound, "not_found",
		"/api/v1/nothing")
	if a := w.do(call{method: http.MethodGet, path: "/api/v1/openapi.yaml"}); a.StatusCode != http.StatusOK ||
		a.Header.Get("Content-Type") != "application/yaml" || !bytes.Contains(a.body, []byte("openapi: 3")) {
		t.Errorf("the API's own description: %d %q", a.StatusCode, a.Header.Get("Content-Type"))
	}
	if a := w.do(call{method: http.MethodPatch, path: "/api/v1/me"}); a.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("PATCH: %d", a.StatusCode)
	}
	var got string
	w.GetScheduleF = func(name string) (hive.ScheduleView, error) {
		got = name
		return hive.ScheduleView{}, hive.Errorf(hive.CodeNotFound, "no")
	}
	w.refused(call{method: http.MethodGet, path: "/api/v1/schedules/%E6%95%B0%2F..%2Fx"}, http.StatusNotFound,
		"not_found", "no")
	if got != "数/../x" {
		t.Errorf("the name came as %q", got)
	}
}
