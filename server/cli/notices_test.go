package cli_test

import (
	"testing"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// The list of executors warns that the database went back; its table stays the same for scripts.
func TestNotices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bare := hive.Notice{ID: 2, At: apitest.T0}
	w.NoticesF = func() ([]hive.Notice, error) { return []hive.Notice{bare, apitest.SampleNotice()}, nil }
	o := w.hivego("executors")
	golden(t, "executors.txt", o.stdout)
	golden(t, "notices.txt", o.stderr)
	if o.code != 0 {
		t.Errorf("exit %d", o.code)
	}
}

// Executors are listed even if the server is too old for notices, or cannot reach its database.
func TestNoNotices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.NoticesF = func() ([]hive.Notice, error) { return nil, hive.Errorf(hive.CodeNotFound, "there is no such path") }
	o := w.hivego("executors")
	golden(t, "executors.txt", o.stdout)
	if o.code != 0 || o.stderr != "" {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
}
