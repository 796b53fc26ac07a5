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
