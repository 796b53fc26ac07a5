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

// units are the units, with the greatest exposure that `systemd-analyze security` may report, in tenths. Executors run
// any command, so they are less locked.
func units() map[string]string {
	return map[string]string{"hivego.service": "15", "hivego-executor.service": "25"}
}

// TestUnits lets systemd check the units, and measure how much they are locked.
func TestUnits(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("systemd-analyze")
	require.NoError(t, err, "install systemd: `scripts/need systemd` does that")
	dir := t.TempDir()
	for name := range units() {
		text := read(t, "deploy/systemd/"+name)
		require.Contains(t, text, "ExecStart=/usr/local/bin/hivego ")
		text = strings.ReplaceAll(text, "/usr/local/bin/hivego", harness.Binary(t))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for name, most := range units() {
		unit := filepath.Join(dir, name)
		out := command(t, nil, "bash", "-c", `systemd-analyze verify --man=no "$0" 2>&1`, unit)
		require.Empty(t, out, name)
		command(t, nil, "systemd-analyze", "security", "--no-pager", "--offline=yes", "--threshold="+most, unit)
	}
}

// TestUnitsFitSettings starts the program with the example settings, as far as they can be used here: it must know
// every setting, and find the folders that the units make.
func TestUnitsFitSettings(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{"server": "hivego", "executor": "hivego-executor"} {
		text, service := read(t, "deploy/etc/"+name+".yaml"), read(t, "deploy/systemd/"+unit+".service")
		require.Contains(t, text, "data: /var/lib/"+unit+"\n")
		for _, line := range []string{
			"StateDirectory=" + unit, "User=" + unit, "--config /etc/hivego/" + name + ".yaml", "NoNewPrivileges=yes",
			"Type=notify",
		} {
			require.Contains(t, service, line)
		}
		require.Contains(t, read(t, "deploy/systemd/hivego-sysusers.conf"), "\nu "+unit+" -")

		// With every comment that is a setting taken in, an unknown setting would be refused first. Each run ends by a
		// pair of files that does not exist.
		var all []string
		for line := range strings.Lines(text) {
			key, _, found := strings.Cut(strings.TrimPrefix(line, "# "), ": ")
			if found && !strings.ContainsAny(key, " /`") && !strings.Contains(strings.Join(all, ""), key+": ") {
				all = append(all, strings.TrimPrefix(line, "# "))
			}
		}
		file := filepath.Join(t.TempDir(), name+".yaml")
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(all, "")), 0o600))
		args := map[string][]string{
			"server":   {"serve", "--config", file, "--data", t.TempDir(), "--ca", "/nowhere/ca.crt"},
			"executor": {"executor", "--config", file, "--data", t.TempDir(), "--token-file", "/nowhere/token"},
		}[name]
		out, err := exec.CommandContext(t.Context(), harness.Binary(t), args...).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "/nowhere/", "it fails at the missing file, and not before")
	}
}

// TestUnitOfExecutorKeepsTasks holds what lets tasks continue during a restart.
func TestUnitOfExecutorKeepsTasks(t *testing.T) {
	t.Parallel()
	text := read(t, "deploy/systemd/hivego-executor.service")
	require.Contains(t, text, "\nKillMode=process\n")
	require.NotContains(t, text, "\nPrivateTmp=yes", "a stop would delete the files of tasks that continue")
	require.NotContains(t, text, "\nRuntimeDirectory=")
}
