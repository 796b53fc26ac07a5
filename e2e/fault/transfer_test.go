package fault

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/db/migration"
	"github.com/rprp/hivego/e2e/harness"
)

// A backup, a restore and a copy are killed at many moments. Whatever is left is either complete, or says that it is
// not and can be tried again. The last run is always complete.
func TestTransferKilled(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		from := db.Config{URL: "sqlite:" + filepath.Join(dir, "from.db")}
		dbtest.Fill(t, from, migration.Latest(), 15_000)
		file, to := filepath.Join(dir, "kept"), "sqlite:"+filepath.Join(dir, "to.db")
		restored := "sqlite:" + filepath.Join(dir, "restored.db")
		if opts.DatabaseURL != "" {
			to, restored = opts.DatabaseURL, dbtest.Postgres(t)
		}
		backup := []string{
			"backup", file, "--database-url", from.URL, "--data", filepath.Join(dir, "none"), "--without-keys",
		}
		killed(t, backup, func() bool {
			return harness.Hivego(t, nil, "", "restore", file, "--check").Code == 0
		})
		restore := []string{"restore", file, "--data", filepath.Join(dir, "data"), "--database-url", restored}
		killed(t, restore, usable(t, restored))
		killed(t, []string{"copy", "--from", from.URL, "--to", to}, usable(t, to))
		r := harness.Hivego(t, nil, "", "copy", "--from", to, "--to", "sqlite:"+filepath.Join(dir, "again.db"))
		if r.Code != 0 || !strings.Contains(r.Stdout, "all compared") {
			t.Errorf("the copy cannot be copied: %s", r.Stderr)
		}
	})
}

// usable reports whether a database is complete. One that is not must say so.
func usable(t *testing.T, url string) func() bool {
	t.Helper()
	return func() bool {
		file := filepath.Join(t.TempDir(), "backup")
		r := harness.Hivego(t, nil, "", "backup", file, "--without-keys", "--without-logs", "--database-url", url)
		if r.Code != 0 && !strings.Contains(r.Stderr, "this database is incomplete") &&
			!strings.Contains(r.Stderr, "it has no tables") && !strings.Contains(r.Stderr, "there is no database") {
			t.Errorf("half of a database says: %s", r.Stderr)
		}
		return r.Code == 0
	}
}

// killed runs a command again and again, and kills it a little later each time, until it has done its work.
func killed(t *testing.T, args []string, done func() bool) {
	t.Helper()
	kills := 0
	for after := 20 * time.Millisecond; ; after = after * 3 / 2 {
		p := harness.StartProcess(t, fmt.Sprintf("%s-%d", args[0], kills), nil, args...)
		until := time.Now().Add(after)
		harness.Eventually(t, args[0]+" works for a while, or ends", func() bool {
			return p.Ended() || time.Now().After(until)
		})
		alone := p.Ended()
		p.Kill()
		if done() {
			break
		}
		if alone {
			t.Fatalf("%v: %s", args, p.Output())
		}
		kills++
	}
	if kills == 0 {
		t.Errorf("%v was done before it was killed once: nothing was tested", args)
	}
}
