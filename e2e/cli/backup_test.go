package cli_test

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/e2e/harness"
)

// The commands that keep and move whole databases, with their output and exit codes.
func TestBackupAndCopy(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		s := harness.NewServer(t, opts)
		s.Apply(sample())
		s.Try("run", "sample", "--wait")
		dir := t.TempDir()
		file, from := filepath.Join(dir, "kept.hivego"), opts.DatabaseURL
		key := []string{}
		if from == "" {
			from = "sqlite:" + filepath.Join(s.Data, "hivego.db")
		} else {
			key = []string{"--secret-key", filepath.Join(s.Data, "shared.key")}
		}
		run := func(args ...string) harness.Result { return harness.Hivego(t, s.LocalEnv(), "", args...) }
		backup := append([]string{"backup", file, "--data", s.Data}, key...)
		name, number := regexp.QuoteMeta(file), `[1-9]\d*`
		whole := name + `: complete and checked; schema ` + number + `, ` + number + ` tables, ` + number + ` rows, ` +
			number + ` files, ` + number + ` bytes`
		want(t, run(backup...), printed{stdout: whole + `\n`})
		want(t, run(backup...), printed{2, ``, `hivego backup: ` + name + ` exists already; .+--force\n`})
		want(t, run(append(backup, "--force")...), printed{stdout: whole + `\n`})
		want(t, run("restore", file, "--check"), printed{stdout: whole + `; made by hivego \S+ at \S+ \S+Z\n`})
		want(t, run("restore", file, "--data", s.Data),
			printed{2, ``, `hivego restore: another hivego server uses .+\n`})

		other := filepath.Join(dir, "restored")
		into := []string{"restore", file, "--data", other, "--database-url", "sqlite:hivego.db"}
		want(t, run(into...), printed{stdout: `restored into sqlite:\S+hivego\.db: ` + number + ` tables, ` + number +
			` rows; files: ` + number + `\n`})
		want(t, run(into...), printed{2, ``, `hivego restore: .*the target database is not empty; .+\n`})

		to := dbtest.Postgres(t)
		want(t, run("copy", "--from", from, "--to", to), printed{2, ``, `hivego copy: --from: .+stop.+\n`})
		s.Terminate()
		harness.Eventually(t, "the lease has ended", func() bool {
			return run("copy", "--from", from, "--to", to).Code == 0
		})
		want(t, run("copy", "--from", from, "--to", to), printed{2, ``, `hivego copy: --to: .*not empty; .+\n`})
	})
}
