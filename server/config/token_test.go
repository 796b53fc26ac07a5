package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExecutorToken(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("a1", 16)
	for name, tt := range map[string]struct{ content, want, refused string }{
		"a token":         {good + "\n", good, ""},
		"too short":       {good[1:], "", "must hold a token of at least 32 printable characters"},
		"two words":       {good + " " + good, "", "and no spaces; `openssl rand -hex 32` makes one"},
		"no ASCII":        {good + "é", "", "printable characters"},
		"an empty file":   {"\n", "", "is empty; put a token for executors in"},
		"no file at all":  {"-", "", "read the token"},
		"without a value": {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c Serve
			if tt.content != "" {
				c.ExecutorTokenFile = filepath.Join(t.TempDir(), "token")
			}
			if tt.content != "-" && tt.content != "" {
				require.NoError(t, os.WriteFile(c.ExecutorTokenFile, []byte(tt.content), 0o600))
			}
			token, err := c.ExecutorToken()
			require.Equal(t, tt.want, token)
			if tt.refused == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.refused)
			require.ErrorContains(t, err, "--executor-token-file")
			require.NotContains(t, err.Error(), good, "a message must not repeat a secret")
		})
	}
}
