package fault

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/e2e/harness"
)

// layers returns a schedule of many short tasks, each after the one above it.
func layers(dir string, deep, wide int) string {
	var b strings.Builder
	b.WriteString("apiVersion: hivego/v1\nkind: Schedule\nname: layers\njobs:\n")
	for j := range deep {
		fmt.Fprintf(&b, "  - key: j%d\n    tasks:\n", j)
		for k := range wide {
			needs := ""
			if j > 0 {
				needs = fmt.Sprintf("needs: [t%d-%d], ", j-1, k)
			}
			fmt.Fprintf(&b, "      - {key: t%d-%d, handler: shell, %sparams: {command: \"echo t%d-%d >> %s/began; "+
				"echo t%d-%d >> %s/ended\"}}\n",
				j, k, needs, j, k, dir, j, k, dir)
		}
	}
	return b.String()
}

// The database goes away in the middle of commits, in every way: connections are cut, it cannot be reached, it does not
// answer. The server stays, reports that it is not ready, and continues later: nothing is lost or done twice.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, through := newLine(t, dbtest.Postgres(t))
	s := harness.NewServer(t, harness.Options{DatabaseURL: through, Args: []string{"--slots", "4"}})
	const deep, wide = 8, 6
	s.Apply(layers(dir, deep, wide))
	id := s.Run("layers")
	ended := func(n int) {
		t.Helper()
		harness.Eventually(t, fmt.Sprintf("%d tasks have ended", n), func() bool {
			return len(lines(t, filepath.Join(dir, "ended"))) >= n
		})
	}
	status := func(want int) {
		t.Helper()
		harness.Eventually(t, fmt.Sprintf("readyz is %d", want), func() bool { return s.Ready() == want })
	}
	for n := 1; n <= 3; n++ {
		ended(n * wide)
		l.Cut()
	}
	ended(4 * wide)
	l.Shut(true)
	status(http.StatusServiceUnavailable)
	l.Shut(false)
	status(http.StatusOK)
	ended(5 * wide)
	l.Hold(true)
	status(http.StatusServiceUnavailable)
	l.Hold(false)
	status(http.StatusOK)
	b := s.WaitEnd(id)
	once(t, dir, b)
	if !s.Running() || len(b.Tasks) != deep*wide {
		t.Errorf("running: %t, %d tasks", s.Running(), len(b.Tasks))
	}
}
