package sql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/sql"
	"github.com/rprp/hivego/executor/sql/mariadbtest"
)

// bench is a data folder with a handler.
type bench struct {
	t    testing.TB
	data string
	n    int64
	h    *sql.Handler
}

func newBench(t testing.TB) *bench {
	t.Helper()
	data := t.TempDir()
	return &bench{t: t, data: data, h: sql.New(sql.Config{Data: data})}
}

func (b *bench) workspace() string { return filepath.Join(b.data, "workspace") }

// task makes a task with these params.
func (b *bench) task(params map[string]any, values map[string]any) *sdk.Task {
	b.t.Helper()
	b.n++
	folder := filepath.Join(b.data, fmt.Sprint("attempt", b.n))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.t.Fatal(err)
	}
	text, err := json.Marshal(params)
	if err != nil {
		b.t.Fatal(err)
	}
	return &sdk.Task{Attempt: sdk.Ref{ID: b.n}, Params: text, Values: values, Folder: folder, Workspace: b.workspace()}
}

// run runs a task and returns its log and error.
func (b *bench) run(ctx context.Context, t *sdk.Task) (string, error) {
	b.t.Helper()
	err := b.h.Run(ctx, t)
	data, _ := os.ReadFile(t.LogPath())
	out := ""
	for line := range strings.Lines(string(data)) {
		out += line[len("2026-11-21T03:22:58.114Z out "):]
	}
	return out, err
}

// each runs a test on each database.
func each(t *testing.T, f func(t *testing.T, b *bench, connection string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, newBench(t), "sqlite:test.db")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		line := "dw: " + dbtest.Postgres(t) + "\n"
		if err := os.WriteFile(filepath.Join(b.data, sql.ConnectionsFile), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		f(t, b, "dw")
	})
	t.Run("mysql", func(t *testing.T) {
		t.Parallel()
		f(t, onMySQL(t, ""), "shop")
	})
}

// onMySQL makes a bench with a connection to a MariaDB, named shop. options are added to the query of its URL.
func onMySQL(t testing.TB, options string) *bench {
	t.Helper()
	b := newBench(t)
	u, err := url.Parse(mariadbtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	if options != "" {
		u.RawQuery += "&" + options
	}
	if err := os.WriteFile(filepath.Join(b.data, sql.ConnectionsFile), []byte("shop: "+u.String()+"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRun(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench, connection string) {
		task := b.task(map[string]any{
			"connection": connection, "output": "sum",
			"statement": `CREATE TABLE t (region TEXT, n INTEGER, at DATE);
				INSERT INTO t VALUES (:region, :n, :day), ('west;', 2, NULL), ('it''s', 3, NULL);
				SELECT region, n FROM t WHERE n >= :n + 0 OR region = :region ORDER BY n;
				SELECT sum(n) AS total, count(*) AS many FROM t WHERE at = :day OR at IS NULL`,
		}, map[string]any{"region": "east", "n": json.Number("1"), "day": "2026-11-21"})
		log, err := b.run(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"4 statements\n", "[1/4] CREATE TABLE t", "[2/4] INSERT INTO t VALUES (:region", ": 3 rows, ",
			"region | n\neast | 1\n", "it's | 3\n",
			"total | many\n6 | 3\n1 row, ", "committed\n",
		} {
			if !strings.Contains(log, want) {
				t.Errorf("no %q in %q", want, log)
			}
		}
		if o := task.Outputs(); o["sum_total"] != "6" || o["sum_many"] != "3" {
			t.Fatalf("outputs %v", o)
		}
	})
}

func TestErrorsNameThePositionAndRollBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench, connection string) {
		script := "CREATE TABLE t (n INTEGER);\nINSERT INTO t VALUES (1);\n\nINSERT INTO\n  nowhere VALUES (2);"
		log, err := b.run(t.Context(), b.task(map[string]any{"connection": connection, "statement": script}, nil))
		if err == nil || !strings.Contains(err.Error(), "statement 3, line ") ||
			!strings.Contains(err.Error(), "nowhere") {
			t.Fatalf("error %v", err)
		}
		if connection == "dw" && !strings.Contains(err.Error(), "line 5:") {
			t.Fatalf("error %v", err)
		}
		if connection == "shop" { // a table is made for good there: see TestMySQLCommitsByItself
			return
		}
		if !strings.Contains(log, "rolled back") {
			t.Fatalf("log %q", log)
		}
		_, err = b.run(t.Context(),
			b.task(map[string]any{"connection": connection, "statement": "SELECT * FROM t"}, nil))
		if err == nil {
			t.Fatal("the table is there")
		}
		each := map[string]any{"connection": connection, "statement": script, "transaction": false}
		if _, err = b.run(t.Context(), b.task(each, nil)); err == nil {
			t.Fatal("no error")
		}
		log, err = b.run(t.Context(),
			b.task(map[string]any{"connection": connection, "statement": "SELECT n FROM t"}, nil))
		if err != nil || !strings.Contains(log, "n\n1\n") {
			t.Fatalf("%v %q", err, log)
		}
	})
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench, connection string) {
		cases := []struct {
			output, statement string
			want              map[string]string
			err               string
		}{
			{"n", "SELECT 7 AS x", map[string]string{"n": "7"}, ""},
			{"*", "SELECT 7 AS x, NULL AS y; CREATE TABLE z (a INTEGER)", map[string]string{"x": "7", "y": ""}, ""},
			{"n", "SELECT 1 WHERE 1 = 0", nil, "no row"},
			{"n", "CREATE TABLE a (n INTEGER)", nil, "no statement was a query"},
			{
				"n", "CREATE TABLE b (n INTEGER); INSERT INTO b VALUES (4), (5) RETURNING n",
				map[string]string{"n": "4"},
				"",
			},
		}
		for _, c := range cases {
			task := b.task(map[string]any{"connection": connection, "statement": c.statement, "output": c.output}, nil)
			_, err := b.run(t.Context(), task)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%s: %v", c.statement, err)
				}
				continue
			}
			if err != nil || fmt.Sprint(task.Outputs()) != fmt.Sprint(c.want) {
				t.Errorf("%s: %v %v", c.statement, task.Outputs(), err)
			}
		}
	})
}

func TestManyRowsAreNotAllShown(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench, connection string) {
		statement := "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 5000) " +
			"SELECT n FROM s ORDER BY n"
		if connection == "shop" { // which counts to 1,000 only
			statement = "SELECT 1 AS n FROM information_schema.columns a, information_schema.columns b LIMIT 5000"
		}
		log, err := b.run(t.Context(), b.task(map[string]any{"connection": connection, "statement": statement}, nil))
		if err != nil || strings.Count(log, "\n") > 120 || !strings.Contains(log, "5000 rows, ") ||
			!strings.Contains(log, "only the first 100 rows") {
			t.Fatalf("%v %q", err, log)
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench, connection string) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		statement := "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s) SELECT count(*) FROM s"
		switch connection {
		case "dw":
			statement = "SELECT pg_sleep(600)"
		case "shop":
			statement = "SELECT sleep(600)"
		}
		if _, err := b.run(ctx,
			b.task(map[string]any{"connection": connection, "statement": statement}, nil)); err == nil {
			t.Fatal("a canceled statement succeeded")
		}
	})
}

// Several tasks can write the same file at the same time.
func TestParallelWriters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run := func(statement string) (string, error) {
		return b.run(t.Context(), b.task(map[string]any{"connection": "sqlite:shared.db", "statement": statement}, nil))
	}
	if _, err := run("CREATE TABLE t (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	const writers = 8
	for range writers {
		task := b.task(map[string]any{
			"connection": "sqlite:shared.db", "statement": "SELECT count(*) FROM t;" +
				strings.Repeat("INSERT INTO t SELECT count(*) FROM t;", 50),
		}, nil)
		go func() { errs <- b.h.Run(t.Context(), task) }()
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if log, err := run("SELECT count(*), max(n) FROM t"); err != nil || !strings.Contains(log, "\n400 | 399\n") {
		t.Fatalf("%v %q", err, log)
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.MkdirAll(filepath.Join(b.workspace(), "stage"), 0o700); err != nil {
		t.Fatal(err)
	}
	script := "\ufeffSELECT 1;\n\nSELEC 2;"
	if err := os.WriteFile(filepath.Join(b.workspace(), "stage", "x.sql"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := b.run(t.Context(), b.task(map[string]any{"connection": "sqlite:a.db", "file": "stage/x.sql"}, nil))
	if err == nil || !strings.HasPrefix(err.Error(), "stage/x.sql, statement 2, line 3: ") {
		t.Fatalf("error %v", err)
	}
	if _, err := b.run(t.Context(),
		b.task(map[string]any{"connection": "sqlite:a.db", "file": "none.sql"}, nil)); err == nil {
		t.Fatal("a missing file is no error")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct{ params, want string }{
		{`{}`, "connection is missing"},
		{`{"connection": "sqlite:a"}`, "either statement or file"},
		{`{"connection": "sqlite:a", "statement": "x", "file": "y"}`, "either statement or file"},
		{`{"connection": "sqlite:a", "file": "../y"}`, "leaves the schedule's folder"},
		{`{"connection": "sqlite:../a", "statement": "x"}`, "leaves the schedule's folder"},
		{`{"connection": "sqlite:", "statement": "x"}`, "name of a file"},
		{`{"connection": "sqlite::memory:", "statement": "x"}`, "name of a file"},
		{`{"connection": "oracle://h/d", "statement": "x"}`, "want sqlite:FILE, postgres://"},
		{`{"connection": "mysql://u:secret@h/d", "statement": "x"}`, "a password has no place in a definition"},
		{`{"connection": "postgres://u:secret@h/d", "statement": "x"}`, "a password has no place in a definition"},
		{
			`{"connection": "postgres://u@h/d?password=secret", "statement": "x"}`,
			"a password has no place in a definition",
		},
		{
			`{"connection": "postgres://u@h/d?sslpassword=s", "statement": "x"}`,
			"a password has no place in a definition",
		},
		{`{"connection": "sqlite:a", "sentence": "x"}`, "unknown field"},
	} {
		params, want := c.params, c.want
		err := b.h.Check(&sdk.Task{Params: json.RawMessage(params)})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v", params, err)
		}
	}
}

// A script that is a pipe or a device is refused at once.
func TestScriptsThatAreNotFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"/dev/zero", "/", pipe} {
		_, err := b.run(t.Context(), b.task(map[string]any{"connection": "sqlite:a.db", "file": file}, nil))
		if err == nil || !strings.Contains(err.Error(), "is not a plain file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestConnections(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(b.data, sql.ConnectionsFile)
	run := func(connection string) error {
		_, err := b.run(t.Context(), b.task(map[string]any{"connection": connection, "statement": "SELECT 1"}, nil))
		return err
	}
	const nowhere = `"dw" is neither in connections.yaml of this executor nor on the server`
	if err := run("dw"); err == nil || !strings.Contains(err.Error(), nowhere) {
		t.Fatal(err)
	}
	secret := url.UserPassword("u", "hush").String()
	text := "here: sqlite:a.db\nwrong: ftp://x\nbroken: 'postgres://" + secret + "@h:notaport/d'\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run("here"); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run("here"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wrong", "broken"} {
		if err := run(name); err == nil || strings.Contains(err.Error(), "hush") {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte("- a list\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run("here"); err == nil || !strings.Contains(err.Error(), "name: URL") {
		t.Fatal(err)
	}
}

func TestTransactionStatements(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	run := func(statement string, transaction bool) error {
		_, err := b.run(t.Context(), b.task(map[string]any{
			"connection": "sqlite:a.db", "statement": statement, "transaction": transaction,
		}, nil))
		return err
	}
	for _, s := range []string{"SELECT 1; COMMIT", "begin; select 1; end", "ROLLBACK"} {
		if err := run(s, true); err == nil || !strings.Contains(err.Error(), "transaction: false") {
			t.Errorf("%s: %v", s, err)
		}
	}
	for s, transaction := range map[string]bool{
		"SAVEPOINT a; SELECT 1; ROLLBACK TO a; RELEASE a": true, "BEGIN; SELECT 1; COMMIT": false, "VACUUM": false,
	} {
		if err := run(s, transaction); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	if err := run("-- nothing", true); err == nil {
		t.Error("a script without a statement is no error")
	}
}
