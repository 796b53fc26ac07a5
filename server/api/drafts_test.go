package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// A token acts for its user, and each user has separate drafts.
func TestDraftsBelongToTheCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var put hive.Draft
	w.PutDraftF = func(d hive.Draft) (hive.Draft, error) { put = d; d.Version = 13; return d, nil }
	body := `{"base":3,"version":12,"definition":{"jobs": [ {"key":""} ],"#":{"":{"top":["# <a> & b"]}}}}`
	a := w.do(call{http.MethodPut, "/api/v1/drafts/new-one", body, nil})
	want := hive.Draft{
		User: 1, Name: "new-one", Base: 3, Version: 12,
		Document: `{"jobs": [ {"key":""} ],"#":{"":{"top":["# <a> & b"]}}}`,
	}
	if put != want || a.StatusCode != http.StatusOK || !strings.Contains(string(a.body), `"version":13`) ||
		strings.Contains(string(a.body), "jobs") {
		t.Errorf("%+v: %d %s", put, a.StatusCode, a.body)
	}
	var user, version int64
	w.DeleteDraftF = func(u int64, _ string, v int64) error { user, version = u, v; return nil }
	bob := map[string]string{"Authorization": "Bearer " + apitest.Reader}
	if a := w.do(call{http.MethodDelete, "/api/v1/drafts/new-one", "", bob}); a.StatusCode != http.StatusNoContent ||
		user != 2 || version != 0 {
		t.Errorf("%d, user %d, version %d", a.StatusCode, user, version)
	}
}

// Having no draft is not a problem. A name that no schedule can have is one.
func TestNoDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.DraftF = func(_ int64, name string) (hive.Draft, error) {
		if name == "_" {
			return hive.Draft{}, hive.Errorf(hive.CodeInvalid,
				"no name of a schedule").WithReason(hive.ErrorScheduleName, "name", name)
		}
		return hive.Draft{}, hive.Errorf(hive.CodeNotFound, "you have no draft").WithReason(hive.ErrorNoDraft,
			"schedule", name)
	}
	if a := w.do(call{method: http.MethodGet, path: "/api/v1/drafts/new-one"}); a.StatusCode != http.StatusNoContent ||
		len(a.body) != 0 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	w.refused(call{method: http.MethodGet, path: "/api/v1/drafts/_"}, http.StatusBadRequest, "invalid",
		"no name of a schedule")
}

func TestBadDrafts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deep := strings.Repeat("[", 80) + strings.Repeat("]", 80)
	for body, words := range map[string]string{
		`{"base":0,"version":0}`:                                     "definition",
		`{"base":0,"definition":{}}`:                                 "version",
		`{"base":-1,"version":0,"definition":{}}`:                    "base",
		`{"base":0,"version":-1,"definition":{}}`:                    "version",
		`{"base":0,"version":1.5,"definition":{}}`:                   "version",
		`{"base":0,"version":"1","definition":{}}`:                   "version",
		`{"base":0,"version":0,"definition":null}`:                   "definition",
		`{"base":0,"version":0,"definition":{"a":1,"a":2}}`:          "stands twice",
		`{"base":0,"version":0,"definition":{"a":` + deep + `}}`:     "nested deeper",
		`{"base":0,"version":0,"definition":{"a":"\u0000"}}`:         "NUL",
		`{"base":0,"version":0,"definition":{},"name":"x"}`:          "unknown field",
		"{\"base\":0,\"version\":0,\"definition\":{\"a\":\"\xff\"}}": "UTF-8",
	} {
		w.refused(call{method: http.MethodPut, path: "/api/v1/drafts/x", body: body}, http.StatusBadRequest, "invalid",
			words)
	}
	w.refused(call{method: http.MethodDelete, path: "/api/v1/drafts/x?version=0"}, http.StatusBadRequest, "invalid",
		"version")

	// A draft may be nested as deeply as a document.
	fine := strings.Repeat(`{"a":[`, 20) + strings.Repeat("]}", 20)
	if a := w.do(call{
		http.MethodPut, "/api/v1/drafts/x", `{"base":0,"version":0,"definition":` + fine + `}`,
		nil,
	}); a.StatusCode != http.StatusOK {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}

func TestNotesOfRevisions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got hive.SaveRequest
	save := w.SaveF
	w.SaveF = func(r hive.SaveRequest) (hive.Saved, error) { got = r; return save(r) }
	for query, want := range map[string]struct {
		note  string
		base  int64
		fresh bool
	}{
		"":                                     {},
		"?base=0":                              {fresh: true},
		"?base=4":                              {base: 4},
		"?note=a+%0A%09b%C2%85%E2%80%AEc%00d+": {note: "a b c d"},
		"?note=%E4%BF%AE%E5%A4%8D%20%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB": {note: "修复 👩‍💻"},
		"?note=%ff": {note: "\uFFFD"},
		"?note=" + strings.Repeat("%E6%94%B9", 200): {note: strings.Repeat("改", 200)},
	} {
		a := w.do(call{http.MethodPut, "/api/v1/schedules/x" + query, "{}", nil})
		if a.StatusCode != http.StatusOK || got.Note != want.note || got.Base != want.base || got.Fresh != want.fresh {
			t.Errorf("%s: %d %+v", query, a.StatusCode, got)
		}
	}
	w.refused(call{method: http.MethodPut, path: "/api/v1/schedules/x?note=" + strings.Repeat("x", 201), body: "{}"},
		http.StatusBadRequest, "invalid", "note")
	if a := w.do(samples()["listRevisions"]); !strings.Contains(string(a.body), `"note":"one more task"`) {
		t.Errorf("%s", a.body)
	}
}
