package dbtest_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/db/transfer"
	"github.com/rprp/hivego/server/hive"
)

// Two HiveGos can share one PostgreSQL database, each in a schema of its own.
func TestDatabaseSchema(t *testing.T) {
	t.Parallel()
	server := dbtest.Postgres(t)
	open := func(schema string) *db.Store {
		return dbtest.Open(t, db.Config{URL: server, Schema: schema, Dir: t.TempDir()})
	}
	one, two, none := open("one"), open("Second-2"), open("")
	for i, s := range []*db.Store{one, two, none} {
		for n := range i + 1 {
			must(s.AddUser(t.Context(), hive.User{Name: fmt.Sprintf("user-%d", n), CreatedAt: t0}))(t)
		}
	}
	for i, s := range []*db.Store{one, two, none, open("one"), open("Second-2")} {
		same(t, fmt.Sprintf("users of store %d", i), len(must(s.Users(t.Context()))(t)), i%3+1)
	}

	_, err := db.Open(t.Context(), db.Config{URL: server, Schema: "missing", Existing: true})
	if hive.CodeOf(err) != hive.CodeNotFound || !strings.Contains(err.Error(), "--database-schema") {
		t.Errorf("a mistyped schema: %v", err)
	}
	if _, err := db.OpenSource(t.Context(), db.Config{URL: server, Schema: "missing"}, false); err == nil {
		t.Error("a mistyped schema is backed up")
	}

	// A copy from one schema into another one of the same database.
	from, to := db.Config{URL: server, Schema: "one"}, db.Config{URL: server, Schema: "copied"}
	s := must(db.OpenSource(t.Context(), from, true))(t)
	defer s.Close() //nolint:errcheck // it was only read
	target := must(db.OpenTarget(t.Context(), to, s.Origin(from.Name()), true))(t)
	must(transfer.Copy(t.Context(), s, target, quiet))(t)
	if err := target.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, "users of the copy", len(must(open("copied").Users(t.Context()))(t)), 1)
}

// A role without the right to create a schema, or to use it, gets the remedy.
func TestDatabaseSchemaWithoutRights(t *testing.T) {
	t.Parallel()
	server := dbtest.Postgres(t)
	u := must(url.Parse(server))(t)
	role := strings.TrimPrefix(u.Path, "/") + "_role"
	run := func(statements ...string) {
		t.Helper()
		if err := dbtest.Execute(t.Context(), server, statements...); err != nil {
			t.Fatal(err)
		}
	}
	run("CREATE ROLE "+role+" LOGIN", "CREATE SCHEMA closed")
	t.Cleanup(func() {
		if err := dbtest.Execute(t.Context(), server, "DROP ROLE IF EXISTS "+role); err != nil {
			t.Log(err) // its database is gone in a moment
		}
	})
	u.User = url.User(role)
	for schema, words := range map[string]string{
		"new": "CREATE SCHEMA \"new\" AUTHORIZATION", "closed": "GRANT USAGE",
	} {
		_, err := db.Open(t.Context(), db.Config{URL: u.String(), Schema: schema})
		if hive.CodeOf(err) != hive.CodeForbidden || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", schema, err)
		}
	}
	run("CREATE SCHEMA granted AUTHORIZATION " + role)
	if err := dbtest.Open(t, db.Config{URL: u.String(), Schema: "granted"}).Close(); err != nil {
		t.Error(err)
	}
	run("DROP SCHEMA granted CASCADE")
}

func TestBadSchemas(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"pg_own", "PG_x", "information_schema", "1st", "a b", `a"; DROP TABLE x; --`, "a.b", "a,b", "ü", "$user",
		strings.Repeat("a", 64), "a\x00",
	} {
		_, err := db.Open(t.Context(), db.Config{URL: "postgres://nobody@localhost:1/x", Schema: name})
		if err == nil || !strings.Contains(err.Error(), "cannot be a schema") {
			t.Errorf("%q: %v", name, err)
		}
	}
	_, err := db.Open(t.Context(), db.Config{Dir: t.TempDir(), Schema: "own"})
	if err == nil || !strings.Contains(err.Error(), "SQLite") {
		t.Errorf("a schema in SQLite: %v", err)
	}
}
