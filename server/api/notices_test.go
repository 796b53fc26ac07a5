package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// A notice is shown until an administrator dismisses it, and can be read after that.
func TestNotices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	open, old := apitest.SampleNotice(), apitest.SampleNotice()
	open.ID, open.Epoch, open.Attempts = 2, 0, nil
	old.DismissedAt, old.DismissedBy = apitest.T0, "ada"
	w.NoticesF = func() ([]hive.Notice, error) { return []hive.Notice{open, old}, nil }
	a := w.do(call{method: http.MethodGet, path: "/api/v1/notices"})
	if text := string(a.body); strings.Contains(text, "ada") || strings.Contains(text, "heard") ||
		!strings.Contains(text, `"attempts":[]`) {
		t.Error(text)
	}
	a = w.do(call{method: http.MethodGet, path: "/api/v1/notices?dismissed=true"})
	for _, words := range []string{
		`"id":2`, `"dismissedBy":"ada"`, `"heard":12`, `"session":13`, `"task":"a"`,
		`"running":true`,
	} {
		if !strings.Contains(string(a.body), words) {
			t.Errorf("no %s in %s", words, a.body)
		}
	}

	var dismissed int64
	var by string
	w.DismissF = func(id int64, name string) error { dismissed, by = id, name; return nil }
	bob := map[string]string{"Authorization": "Bearer " + apitest.Reader}
	w.refused(call{http.MethodDelete, "/api/v1/notices/2", "", bob}, http.StatusForbidden, "forbidden", "administrator")
	if a := w.do(call{method: http.MethodDelete, path: "/api/v1/notices/2"}); a.StatusCode != http.StatusNoContent ||
		dismissed != 2 || by != "ada" {
		t.Errorf("%d: %d by %q", a.StatusCode, dismissed, by)
	}
	w.refused(call{method: http.MethodDelete, path: "/api/v1/notices/none"}, http.StatusBadRequest, "invalid", "notice")
}
