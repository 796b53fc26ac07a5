package app

import (
	"strings"
	"testing"

	"github.com/rprp/hivego/server/config"
)

// The start logs which rights tasks have, where that matters, and what helps.
func TestTellWhoMay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		app  *App
		told bool
	}{
		"tasks of the server's user": {&App{cfg: &config.Serve{}}, true},
		"without executor":           {&App{cfg: &config.Serve{NoExecutor: true}}, false},
		"tasks of another user":      {&App{cfg: &config.Serve{ExecutorUser: other}, account: &account{}}, false},
	} {
		var said strings.Builder
		c.app.tellWhoMay(&said)
		if (said.Len() > 0) != c.told {
			t.Errorf("%s: said %q", name, said.String())
		}
		for _, words := range []string{"administrator", "--executor-user NAME", "--no-executor"} {
			if c.told && !strings.Contains(said.String(), words) {
				t.Errorf("%s: %q does not say %s", name, said.String(), words)
			}
		}
	}
}
