package app

import (
	"strings"
	"testing"

	"github.com/rprp/hivego/server/config"
)

// The start prints the rights of tasks, if they matter, and a remedy.
func TestWarnOfTaskRights(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		app     *App
		stopped bool
	}{
		"tasks of the server's user": {&App{cfg: &config.Serve{}}, true},
		"without executor":           {&App{cfg: &config.Serve{NoExecutor: true}}, false},
		"tasks of another user":      {&App{cfg: &config.Serve{ExecutorUser: other}, account: &account{}}, false},
	} {
		var output strings.Builder
		c.app.warnOfTaskRights(&output)
		if (output.Len() > 0) != c.stopped {
			t.Errorf("%s: said %q", name, output.String())
		}
		for _, words := range []string{"administrator", "--executor-user NAME", "--no-executor"} {
			if c.stopped && !strings.Contains(output.String(), words) {
				t.Errorf("%s: %q does not say %s", name, output.String(), words)
			}
		}
	}
}
