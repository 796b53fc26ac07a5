package sql

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func texts(list []statement) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.text)
	}
	return out
}

func TestSplit(t *testing.T) {
	t.Parallel()
	trigger := "CREATE TRIGGER t AFTER INSERT ON a BEGIN " +
		"INSERT INTO b VALUES (CASE WHEN 1 THEN 2 END); DELETE FROM c; END"
	atomic := "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END"
	cases := []struct {
		name   string
		d      dialect
		script string
		want   []string
	}{
		{"nothing", sqlite, " ; -- only a comment\n ;/* and another */", nil},
		{"two", sqlite, "SELECT 1; SELECT 2", []string{"SELECT 1", "SELECT 2"}},
		{
			"strings", sqlite, `SELECT ';''; -- no'; SELECT "a;b", [c;d], ` + "`e;f`",
			[]string{`SELECT ';''; -- no'`, `SELECT "a;b", [c;d], ` + "`e;f`"},
		},
		{
			"comments", sqlite, "SELECT 1 -- a;b\n+ 2 /* ; */; SELECT 3",
			[]string{"SELECT 1 -- a;b\n+ 2 /* ; */", "SELECT 3"},
		},
		{
			"comments in comments", postgres, "SELECT 1 /* a /* ; */ ; */; SELECT 2",
			[]string{"SELECT 1 /* a /* ; */ ; */", "SELECT 2"},
		},
		{
			"no comments in comments", sqlite, "SELECT 1 /* a /* ; */; SELECT 2",
			[]string{"SELECT 1 /* a /* ; */", "SELECT 2"},
		},
		{"trigger", sqlite, trigger + "; SELECT 1", []string{trigger, "SELECT 1"}},
		{
			"temporary trigger", sqlite,
			strings.Replace(trigger, "TRIGGER", "TEMP TRIGGER IF NOT EXISTS", 1) + ";SELECT 1",
			[]string{
				strings.Replace(trigger, "TRIGGER", "TEMP TRIGGER IF NOT EXISTS", 1), "SELECT 1",
			},
		},
		{"begin is no body", sqlite, "BEGIN; SELECT 1; END", []string{"BEGIN", "SELECT 1", "END"}},
		{"atomic body", postgres, atomic + "; SELECT 1", []string{atomic, "SELECT 1"}},
		{
			"dollar quotes", postgres, "DO $$ BEGIN x; END $$; SELECT $a$;$b$;$a$; SELECT $1",
			[]string{"DO $$ BEGIN x; END $$", "SELECT $a$;$b$;$a$", "SELECT $1"},
		},
		{
			"escapes", postgres, `SELECT E'a\';b'; SELECT 'c\'; SELECT 2`,
			[]string{`SELECT E'a\';b'`, `SELECT 'c\'`, "SELECT 2"},
		},
		{"no escapes", sqlite, `SELECT 'a\'; SELECT 1`, []string{`SELECT 'a\'`, "SELECT 1"}},
		{
			"mysql's comments", mysql, "SELECT 1 # a;b\n+ 2 -- ;\n--1 /* ; /* */; SELECT 3",
			[]string{"SELECT 1 # a;b\n+ 2 -- ;\n--1 /* ; /* */", "SELECT 3"},
		},
		{"mysql's quotes", mysql, `SELECT 'a\';b', "c\";"; SELECT 2`, []string{`SELECT 'a\';b', "c\";"`, "SELECT 2"}},
		{"mysql's names", mysql, "SELECT `a;\\`; SELECT 2", []string{"SELECT `a;\\`", "SELECT 2"}},
		{
			"mysql's code in comments", mysql, "/*!40101 SET x = 1 */;\nSELECT 1",
			[]string{"/*!40101 SET x = 1 */", "SELECT 1"},
		},
		{
			"another delimiter", mysql,
			"delimiter $$\nCREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END$$\n$$\nDELIMITER ;\nSELECT 3",
			[]string{
				"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END", "SELECT 3",
			},
		},
		{
			"a column of that name", mysql, "SELECT delimiter FROM t; SELECT 2",
			[]string{"SELECT delimiter FROM t", "SELECT 2"},
		},
		{"open end", sqlite, "SELECT 'a; b", []string{"SELECT 'a; b"}},
		{"chinese", sqlite, "SELECT '；' AS 名字; SELECT 2", []string{"SELECT '；' AS 名字", "SELECT 2"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := texts(split(c.script, c.d)); !slices.Equal(got, c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	list := split("-- first\n\nSELECT 1;\n/* a\nb */ SELECT\n'x\ny'; SELECT 3", sqlite)
	var lines []int
	for _, s := range list {
		lines = append(lines, s.line)
	}
	if !slices.Equal(lines, []int{3, 5, 7}) {
		t.Fatalf("lines %v", lines)
	}
}

func TestBinds(t *testing.T) {
	t.Parallel()
	values := map[string]any{"a": "x", "n": json.Number("5"), "f": json.Number("1.5"), "b": true, "none": nil}
	cases := []struct {
		name, script string
		d            dialect
		want         string
		args         []any
		err          string
	}{
		{
			"sqlite", "SELECT :a, :n, :a, :f, :b, :none", sqlite, "SELECT ?1, ?2, ?1, ?3, ?4, ?5",
			[]any{"x", int64(5), 1.5, true, nil},
			"",
		},
		{"postgres", "SELECT :a, :n::int, :b", postgres, "SELECT $1, $2::int, $3", []any{"x", "5", "true"}, ""},
		{
			"mysql", "SELECT :a, :n, :a, @x := :f # :b", mysql, "SELECT ?, ?, ?, @x := ? # :b",
			[]any{"x", int64(5), "x", 1.5},
			"",
		},
		{
			"not in quotes", `SELECT ':a', ":a" -- :a` + "\n, :a", sqlite, `SELECT ':a', ":a" -- :a` + "\n, ?1",
			[]any{"x"},
			"",
		},
		{"not in dollar quotes", "SELECT $$:a$$, :a", postgres, "SELECT $$:a$$, $1", []any{"x"}, ""},
		{"casts", "SELECT 'x'::text, a::int[]", postgres, "SELECT 'x'::text, a::int[]", nil, ""},
		{"slices", "SELECT r[1:2], r[lo:hi], r[:n]", postgres, "SELECT r[1:2], r[lo:hi], r[$1]", []any{"5"}, ""},
		{"unknown", "SELECT :who", sqlite, "", nil, `no parameter is named "who"; there are: a, b, f, n, none`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text, args, err := split(c.script, c.d)[0].prepare(c.d, values, nil)
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil || text != c.want || !reflect.DeepEqual(args, c.args) {
				t.Fatalf("%q %v %v", text, args, err)
			}
		})
	}
}

// For any script, split ends, keeps the order, and returns only text of the script.
func TestSplitAnything(t *testing.T) {
	t.Parallel()
	parts := []string{
		"SELECT", " ", ";", "'", `"`, "$$", "$a$", "--", "\n", "/*", "*/", ":x", "::", "[", "]",
		"CREATE TRIGGER", " BEGIN ", " END",
		" CASE ", "E'", "#", "/*!", "DELIMITER ", "//", "\\", "中", "1e5", "`", "CREATE FUNCTION f() BEGIN ATOMIC ",
	}
	rapid.Check(t, func(t *rapid.T) {
		script := strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "script"), "")
		d := rapid.SampledFrom([]dialect{sqlite, postgres, mysql}).Draw(t, "dialect")
		rest := script
		for _, s := range split(script, d) {
			i := strings.Index(rest, s.text)
			if i < 0 || s.text == "" {
				t.Fatalf("%q is not in what is left of %q", s.text, script)
			}
			rest = rest[i+len(s.text):]
			last := 0
			for _, b := range s.binds {
				if b.from < last || s.text[b.from:b.to] != ":"+b.name {
					t.Fatalf("bind %+v of %q", b, s.text)
				}
				last = b.to
			}
		}
	})
}
