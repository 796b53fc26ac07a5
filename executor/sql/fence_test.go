package sql_test

import (
	stdsql "database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rprp/hivego/executor/sql"
)

// fenced is a bench in the data folder of a server, whose database is in use.
type fenced struct {
	*bench
	server   string // the server's data folder
	database string // the server's database file
	away     string // a folder outside of the data folders
	db       *stdsql.DB
}

func newFenced(t *testing.T) *fenced {
	t.Helper()
	f := &fenced{server: t.TempDir(), away: t.TempDir()}
	f.database = filepath.Join(f.server, "hivego.db")
	db, err := stdsql.Open("sqlite", "file:"+f.database+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.Exec("CREATE TABLE users (name TEXT, admin INTEGER); INSERT INTO users VALUES ('ada', 0)")
	if err != nil {
		t.Fatal(err)
	}
	f.db = db
	data := filepath.Join(f.server, "executor")
	f.bench = &bench{t: t, data: data, h: sql.New(sql.Config{Data: data, Protected: []string{f.server, f.database}})}
	if err := os.MkdirAll(f.workspace(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"journal", "connections.yaml"} {
		if err := os.WriteFile(filepath.Join(data, name), []byte("a: b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f *fenced) admins() (n int) {
	f.t.Helper()
	if err := f.db.QueryRow("SELECT count(*) FROM users WHERE admin").Scan(&n); err != nil {
		f.t.Fatal(err)
	}
	return n
}

// alias gives a file of the server another name, by os.Link or os.Symlink.
func (f *fenced) alias(as func(oldname, newname string) error, of, name string) string {
	f.t.Helper()
	path := filepath.Join(f.away, name)
	if err := as(of, path); err != nil {
		f.t.Fatal(err)
	}
	return path
}

const promote = "UPDATE users SET admin = 1"

// No kind of path in a connection opens the server's files.
func TestConnectionToAProtectedFile(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]func(f *fenced) string{
		"path":          func(f *fenced) string { return f.database },
		"dots":          func(f *fenced) string { return f.server + "/executor/../hivego.db" },
		"slashes":       func(f *fenced) string { return f.server + "//./hivego.db" },
		"wal":           func(f *fenced) string { return f.database + "-wal" },
		"shm":           func(f *fenced) string { return f.database + "-shm" },
		"journal":       func(f *fenced) string { return f.database + "-journal" }, // does not exist
		"symlink":       func(f *fenced) string { return f.alias(os.Symlink, f.database, "a.db") },
		"folder's link": func(f *fenced) string { return f.alias(os.Symlink, f.server, "a") + "/hivego.db" },
		"hard link":     func(f *fenced) string { return f.alias(os.Link, f.database, "a.db") },
		"dead symlink":  func(f *fenced) string { return f.alias(os.Symlink, f.server+"/new.db", "a.db") },
		"linked wal": func(f *fenced) string {
			return strings.TrimSuffix(f.alias(os.Link, f.database+"-wal", "a.db-wal"), "-wal")
		},
		"linked journal": func(f *fenced) string {
			return strings.TrimSuffix(f.alias(os.Symlink, f.database, "a.db-journal"), "-journal")
		},
		"new file":            func(f *fenced) string { return f.server + "/new.db" },
		"executor's folder":   func(f *fenced) string { return f.data + "/journal" },
		"executor's new file": func(f *fenced) string { return f.data + "/new.db" },
		"beside workspaces":   func(f *fenced) string { return f.workspace() + "/../new.db" },
		"open file": func(f *fenced) string {
			file, err := os.OpenFile(f.database, os.O_RDWR, 0)
			if err != nil {
				f.t.Fatal(err)
			}
			f.t.Cleanup(func() { _ = file.Close() })
			return fmt.Sprintf("/proc/self/fd/%d", file.Fd())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFenced(t)
			log, err := f.run(t.Context(), f.task(map[string]any{
				"connection": "sqlite:" + path(f), "statement": promote,
			}, nil))
			if err == nil || !strings.Contains(err.Error(), "belongs to HiveGo itself") {
				t.Errorf("err = %v, log:\n%s", err, log)
			}
			if n := f.admins(); n != 0 {
				t.Errorf("%d administrators", n)
			}
		})
	}
}

// A named connection cannot open the server's files either.
func TestNamedConnectionToAProtectedFile(t *testing.T) {
	t.Parallel()
	f := newFenced(t)
	if err := os.WriteFile(filepath.Join(f.data, sql.ConnectionsFile), []byte("own: sqlite:"+f.database+"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.run(t.Context(),
		f.task(map[string]any{"connection": "own", "statement": promote}, nil)); err == nil || f.admins() != 0 {
		t.Errorf("err = %v, %d administrators", err, f.admins())
	}
}

// No statement on another database opens the server's files.
func TestStatementsOnAProtectedFile(t *testing.T) {
	t.Parallel()
	const own = "belongs to HiveGo itself"
	for name, c := range map[string]struct{ script, want string }{
		"attach":              {"ATTACH 'OWN' AS x; UPDATE x.users SET admin = 1", own},
		"attach, bind value":  {"ATTACH :path AS x; UPDATE x.users SET admin = 1", own},
		"attach, URI":         {"ATTACH 'file:OWN?mode=rw&cache=private' AS x; UPDATE x.users SET admin = 1", own},
		"attach, two modes":   {"ATTACH 'file:OWN?mode=memory&mode=rw' AS x; UPDATE x.users SET admin = 1", own},
		"attach, escapes":     {"ATTACH 'file://localhostSERVER/%68ivego.db' AS x; UPDATE x.users SET admin = 1", own},
		"attach, another VFS": {"ATTACH 'file:OWN?vfs=unix-none' AS x; UPDATE x.users SET admin = 1", own},
		"attach, dots":        {"ATTACH DATABASE 'SERVER/executor/../hivego.db' AS x", own},
		"attach, NUL":         {"ATTACH 'file:OWN%00.txt' AS x; UPDATE x.users SET admin = 1", "invalid argument"},
		"attach, expression": {
			"ATTACH 'SERVER' || '/hivego.db' AS x; UPDATE x.users SET admin = 1",
			"write ATTACH 'FILE' AS name",
		},
		"attach, comment": {"ATTACH/**/'OWN' AS x; UPDATE x.users SET admin = 1", "too many attached"},
		"attach, comments": {
			"/* ; */ ATTACH /* */ 'OWN' AS x; UPDATE x.users SET admin = 1",
			"write ATTACH 'FILE' AS name",
		},
		"attach in a trigger": {
			"CREATE TABLE a (b); CREATE TRIGGER c AFTER INSERT ON a BEGIN ATTACH 'OWN' AS x; END",
			"syntax error",
		},
		"vacuum":             {"VACUUM INTO 'SERVER/new.db'", own},
		"vacuum, URI":        {"VACUUM main INTO 'file:SERVER/new.db?mode=memory&mode=rwc'", own},
		"vacuum, expression": {"VACUUM INTO 'SERVER' || '/new.db'", "write ATTACH 'FILE' AS name"},
		"vacuum, comment":    {"VACUUM/**/INTO 'SERVER/new.db'", "too many attached"},
		"extension":          {"SELECT load_extension('SERVER/x.so')", "not authorized"},
		"writefile":          {"SELECT writefile('SERVER/x', 'x')", "no such function"},
		"readfile":           {"SELECT readfile('SERVER/executor/connections.yaml')", "no such function"},
		"fsdir":              {"SELECT * FROM fsdir('SERVER')", "no such table"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFenced(t)
			script := strings.NewReplacer("OWN", f.database, "SERVER", f.server).Replace(c.script)
			log, err := f.run(t.Context(), f.task(map[string]any{
				"connection": "sqlite:mine.db", "statement": script, "transaction": false,
			}, map[string]any{"path": f.database}))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("err = %v, want %q, log:\n%s", err, c.want, log)
			}
			if n := f.admins(); n != 0 {
				t.Errorf("%d administrators", n)
			}
			if _, err := os.Stat(f.server + "/new.db"); err == nil {
				t.Error("a file was made in the server's folder")
			}
		})
	}
}

// A script cannot be read from a protected file, because the log shows the script and would show secrets.
func TestScriptFromAProtectedFile(t *testing.T) {
	t.Parallel()
	f := newFenced(t)
	if err := os.Link(filepath.Join(f.data, "connections.yaml"),
		filepath.Join(f.workspace(), "linked.sql")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		f.data + "/connections.yaml", f.database, f.alias(os.Symlink, f.data+"/connections.yaml", "a.sql"),
		"linked.sql", f.data + "/workspace/../connections.yaml",
	} {
		log, err := f.run(t.Context(), f.task(map[string]any{"connection": "sqlite:mine.db", "file": path}, nil))
		if err == nil || !strings.Contains(err.Error(), "belongs to HiveGo itself") || strings.Contains(log, "a: b") {
			t.Errorf("%s: err = %v, log:\n%s", path, err, log)
		}
	}
}

// Tasks can use all other files, also by ATTACH.
func TestUnprotectedFiles(t *testing.T) {
	t.Parallel()
	f := newFenced(t)
	sameFile := filepath.Join(f.away, "twin.db")
	if err := os.WriteFile(filepath.Join(f.away, "one.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(f.away, "one.db"), sameFile); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ connection, script string }{
		{"sqlite:mine.db", "CREATE TABLE a (b); INSERT INTO a VALUES (1)"},
		{"sqlite:" + f.away + "/other.db", "CREATE TABLE c (d); INSERT INTO c VALUES (2)"},
		{"sqlite:" + sameFile, "CREATE TABLE a (b)"},
		{"sqlite:mine.db", "ATTACH 'AWAY/other.db' AS o; INSERT INTO a SELECT d FROM o.c; DETACH o"},
		{"sqlite:mine.db", "ATTACH DATABASE :path AS o; SELECT d FROM o.c"},
		{"sqlite:mine.db", "ATTACH ':memory:' AS o; CREATE TABLE o.x (y)"},
		{"sqlite:mine.db", "ATTACH '' AS o; CREATE TABLE o.x (y); INSERT INTO o.x VALUES (1)"},
		{"sqlite:mine.db", "ATTACH 'file:shared?vfs=memdb' AS o; CREATE TABLE o.x (y)"},
		{"sqlite:mine.db", "VACUUM; VACUUM main; VACUUM INTO 'AWAY/copy.db'; SELECT count(*) FROM a"},
	} {
		log, err := f.run(t.Context(), f.task(map[string]any{
			"connection": c.connection, "statement": strings.ReplaceAll(c.script, "AWAY", f.away), "transaction": false,
		}, map[string]any{"path": f.away + "/other.db"}))
		if err != nil {
			t.Errorf("%s: %v, log:\n%s", c.script, err, log)
		}
	}
	log, err := f.run(t.Context(), f.task(map[string]any{
		"connection": "sqlite:mine.db", "statement": "ATTACH '" + f.away +
			"/other.db' AS o; INSERT INTO a SELECT d FROM o.c",
	}, nil))
	if err != nil {
		t.Errorf("in a transaction: %v, log:\n%s", err, log)
	}
}

// A link alternates between the server's database and another file. No statement runs on the server's database.
func TestSwappedPath(t *testing.T) {
	t.Parallel()
	f := newFenced(t)
	harmless := filepath.Join(f.away, "harmless.db")
	db, err := stdsql.Open("sqlite", "file:"+harmless+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec("CREATE TABLE users (name TEXT, admin INTEGER)"); err != nil {
		t.Fatal(err)
	}
	link, other := filepath.Join(f.away, "link.db"), filepath.Join(f.away, "other")
	if err := os.Symlink(harmless, link); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; !stop.Load(); i++ {
			_ = os.Symlink([]string{f.database, harmless}[i%2], other)
			_ = os.Rename(other, link)
		}
	}()
	for refused, succeeded := 0, 0; refused < 50 || succeeded < 50; {
		_, err := f.run(t.Context(),
			f.task(map[string]any{"connection": "sqlite:" + link, "statement": promote, "transaction": false}, nil))
		switch {
		case err == nil:
			succeeded++
		case strings.Contains(err.Error(), "belongs to HiveGo itself"):
			refused++
		}
	}
	stop.Store(true)
	<-ended
	if n := f.admins(); n != 0 {
		t.Errorf("%d administrators", n)
	}
}
