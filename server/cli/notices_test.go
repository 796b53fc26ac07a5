package cli_test

import (
	"testing"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// Who looks at executors hears that the database went back; the table itself stays as it is for scripts.
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

// A server of an earlier version has no notices, and one whose database is away cannot tell: the executors are listed.
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
