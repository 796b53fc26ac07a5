// Package dist tests what a release consists of: archives, units of systemd, the container image, Compose and Helm.
// What needs an engine, a cluster or a running systemd is parsed, linted or rendered here.
package dist

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/e2e/harness"
)

const root = "../.."

func TestMain(m *testing.M) { harness.Main(m) }

// read returns a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(raw)
}

// command runs a program in the repository's folder and returns its output. It fails the test if the program fails.
func command(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, "%s %s\n%s%s", name, strings.Join(args, " "), out, errs.String())
	return string(out)
}
