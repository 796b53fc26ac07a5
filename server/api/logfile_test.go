package api_test

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// A download is the complete log, however small the pieces.
func TestLogFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := bytes.Repeat([]byte("2026-11-21T03:22:58.114Z out hello\n"), 5000)
	whole := apitest.Log(text, false)
	w.LogF = func(a hive.Attempt, offset, limit int64) (hive.LogPart, error) {
		return whole(a, offset, min(limit, 70_001))
	}
	a := w.do(call{http.MethodGet, "/api/v1/batches/7/tasks/b/log/file?attempt=1", "", nil})
	if a.StatusCode != http.StatusOK || !bytes.Equal(a.body, text) {
		t.Errorf("%d, %d bytes of %d", a.StatusCode, len(a.body), len(text))
	}
	if got, want := a.Header.Get("Content-Disposition"), `attachment; filename="b-7-1.log"`; got != want {
		t.Errorf("Content-Disposition %s, want %s", got, want)
	}
}

func TestEmptyLogFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.LogF = apitest.Log(nil, true)
	if a := w.do(call{
		http.MethodGet, "/api/v1/batches/7/tasks/b/log/file?attempt=1", "",
		nil,
	}); a.StatusCode != http.StatusOK || len(a.body) != 0 {
		t.Errorf("%d %q", a.StatusCode, a.body)
	}
	if a := w.do(call{
		http.MethodGet, "/api/v1/batches/7/tasks/b/log/file?attempt=99", "",
		nil,
	}); a.StatusCode != http.StatusNotFound {
		t.Errorf("an attempt that is not there: %d", a.StatusCode)
	}
}
