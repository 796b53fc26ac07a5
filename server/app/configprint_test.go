package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/config"
)

// printed runs the command.
func printed(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := configCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetArgs(append([]string{"print"}, args...))
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestConfigPrint(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "hivego.yaml")
	require.NoError(t, os.WriteFile(file, []byte("database-url: postgres://h:geheim@db/x\n"), 0o600))
	out, err := printed(t, "--config", file, "--slots", "3")
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^slots +3 +--slots$`, out)
	assert.Regexp(t, `(?m)^database-url +postgres://h:\*\*\*@db/x +.*hivego.yaml, line 1$`, out)
	assert.Regexp(t, `(?m)^log-format +text +default$`, out)
	assert.Regexp(t, `(?m)^tls-cert +- +default$`, out)
	assert.NotContains(t, out, "geheim")

	out, err = printed(t, "--config", file, "-o", "json")
	require.NoError(t, err)
	var all []config.Setting
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	assert.Contains(t, all, config.Setting{Name: "config", Value: file, Origin: "--config"})

	out, err = printed(t, "--listen", "0.0.0.0:1")
	require.ErrorContains(t, err, "speaks TLS only")
	assert.Contains(t, out, "0.0.0.0:1", "it is printed all the same")

	out, err = printed(t, "executor", "--group", "etl", "--token-file", "/etc/etl.token")
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^group +etl +--group$`, out)
	assert.Regexp(t, `(?m)^token-file +/etc/etl.token +--token-file$`, out)

	_, err = printed(t, "--config", "/no/such/file")
	require.ErrorContains(t, err, "/no/such/file")
}
