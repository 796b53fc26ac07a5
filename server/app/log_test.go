package app

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/hive"
)

// Users see the remedy. The log has the cause as well, once.
func TestLogHasTheCause(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"plain": {errors.New("no space left"), `error="no space left"`},
		"behind": {
			fmt.Errorf("sweep: %w", &hive.Error{Words: "try again", Err: errors.New("refused")}),
			`error="sweep: try again: refused"`,
		},
		"in both": {hive.Errorf(hive.CodeUnavailable, "away: %w", errors.New("refused")), `error="away: refused"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			newLog(config.Log{Level: "info"}, &b).Error("it failed", "error", tc.err)
			if got := strings.TrimSpace(b.String()); !strings.HasSuffix(got, tc.want) {
				t.Errorf("logged %s; wanted ...%s", got, tc.want)
			}
		})
	}
}
