package cli_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/cli"
)

// backups is a fake that notes its orders.
type backups struct {
	backup  cli.BackupOrder
	restore cli.RestoreOrder
	copied  cli.CopyOrder
	err     error
}

func someContents() cli.BackupContents {
	return cli.BackupContents{
		Version: "1.2", Schema: 20, CreatedAt: time.Date(2024, 2, 29, 3, 20, 0, 0, time.UTC),
		Tables: 3, Files: 2, Rows: 10, Size: 4096,
	}
}

func (b *backups) Backup(_ context.Context, o cli.BackupOrder) (cli.BackupContents, error) {
	b.backup = o
	return someContents(), b.err
}

func (b *backups) Restore(_ context.Context, o cli.RestoreOrder) (cli.RestoreResult, error) {
	b.restore = o
	return cli.RestoreResult{
		BackupContents: someContents(), Database: "sqlite:/d/hivego.db", Kept: 1, Notes: []string{"a note"},
	}, b.err
}

func (b *backups) Copy(_ context.Context, o cli.CopyOrder, report func(table string, rows int64)) (
	cli.CopyResult, error,
) {
	b.copied = o
	report("users", 0)
	report("users", 5)
	return cli.CopyResult{From: "sqlite:/a", To: "postgres://b/c", Tables: 3, Rows: 10}, b.err
}

func (b *backups) run(args ...string) outcome {
	var stdout, stderr bytes.Buffer
	root := cli.Root(cli.Config{Commands: cli.BackupCommands(b)})
	code := cli.Main(context.Background(), root, args, strings.NewReader(""), &stdout, &stderr)
	return outcome{stdout.String(), stderr.String(), code}
}

func TestBackupCommands(t *testing.T) {
	t.Setenv("HIVEGO_LOGS", "elsewhere")
	t.Setenv("HIVEGO_DATABASE_URL", "")
	t.Setenv("HIVEGO_SECRET_KEY", "")
	w, b := &world{T: t}, &backups{}
	words := "complete and checked; schema 20, 3 tables, 10 rows, 2 files, 4096 bytes"
	w.want(b.run("backup", "f", "--data", "d", "--without-keys", "--secret-key", "k"), 0, "f: "+words+"\n", "")
	want := cli.BackupOrder{
		ServerFiles: cli.ServerFiles{
			Place: cli.Place{Data: "d"}, KeyPlace: cli.KeyPlace{SecretKey: "k"}, Logs: "elsewhere",
		},
		File: "f", WithoutKeys: true,
	}
	if b.backup != want {
		t.Errorf("the order is %+v", b.backup)
	}
	w.want(b.run("restore", "f", "--check"), 0,
		"f: "+words+"; made by hivego 1.2 at 2024-02-29 03:20:00Z\n", "")
	if !b.restore.CheckOnly {
		t.Errorf("the order is %+v", b.restore)
	}
	w.want(b.run("restore", "f"), 0, "restored into sqlite:/d/hivego.db: 3 tables, 10 rows; files: 1\n", "a note\n")
	w.want(b.run("copy", "--from", "sqlite:a", "--to", "postgres://b/c"), 0,
		"copied sqlite:/a to postgres://b/c: 3 tables, 10 rows, all compared\n", "users\n")
	if b.copied != (cli.CopyOrder{From: "sqlite:a", To: "postgres://b/c"}) {
		t.Errorf("the order is %+v", b.copied)
	}
	w.want(b.run("copy", "--from", "sqlite:a"), 2, "", "--to URL")
	w.want(b.run("backup"), 2, "", "an argument is missing")
	b.err = errors.New("the reason")
	for _, args := range [][]string{{"backup", "f"}, {"restore", "f"}, {"copy", "--from", "a", "--to", "b"}} {
		o := b.run(args...)
		w.want(o, 2, "", "the reason")
		if o.stdout != "" {
			t.Errorf("%v prints %q", args, o.stdout)
		}
	}
}
