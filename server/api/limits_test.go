package api_test

import (
	"net/http"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// A request that names no kind of limit removes nothing: the limit of the server has no name, so a slip would mean it.
func TestDeleteALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var deleted []string
	w.DeleteLimitF = func(k hive.LimitKey) error {
		deleted = append(deleted, k.String())
		return nil
	}
	for _, query := range []string{"", "?name=dw"} {
		w.refused(call{http.MethodDelete, "/api/v1/limits" + query, "", nil}, http.StatusBadRequest, "invalid",
			"say what kind of limit to remove")
	}
	for _, query := range []string{"?kind=server", "?kind=pool&name=dw"} {
		if a := w.do(call{http.MethodDelete, "/api/v1/limits" + query, "", nil}); a.StatusCode != http.StatusNoContent {
			t.Errorf("%s: %d %s", query, a.StatusCode, a.body)
		}
	}
	if len(deleted) != 2 || deleted[0] != "server" || deleted[1] != "pool dw" {
		t.Errorf("deleted %q", deleted)
	}
}
