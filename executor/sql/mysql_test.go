package sql_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/sql"
)

// shop runs a script on the connection shop.
func (b *bench) shop(script string, more map[string]any, values map[string]any) (string, map[string]string, error) {
	b.t.Helper()
	params := map[string]any{"connection": "shop", "statement": script}
	maps.Copy(params, more)
	t := b.task(params, values)
	log, err := b.run(b.t.Context(), t)
	return log, t.Outputs(), err
}

func TestMySQLValues(t *testing.T) {
	t.Parallel()
	b := onMySQL(t, "timezone=%2B08:00")
	script := `CREATE TABLE v (n BIGINT, f DECIMAL(8,3), s TEXT, b BOOLEAN, at DATETIME, stamp TIMESTAMP NULL, j TEXT)
  DEFAULT CHARSET utf8mb4;
		INSERT INTO v VALUES (:n, :f, :s, :b, :at, FROM_UNIXTIME(1), :list);
		SELECT n, f, s, b, at, stamp, j, :none AS nothing,
  (SELECT count(*) FROM v WHERE n = :n AND s = :s) AS found FROM v`
	values := map[string]any{
		"n": json.Number("9007199254740993"), "f": json.Number("1.125"), "s": `it's "中文" 🐝 \ ; ?`,
		"b": true, "at": "2026-11-21 03:20:00",
		"list": []any{"a"}, "none": nil,
	}
	_, outputs, err := b.shop(script, map[string]any{"output": "*"}, values)
	want := map[string]string{
		"n": "9007199254740993", "f": "1.125", "s": `it's "中文" 🐝 \ ; ?`, "b": "1", "at": "2026-11-21 03:20:00",
		"stamp": "1970-01-01 08:00:01",
		"j":     `["a"]`, "nothing": "", "found": "1",
	}
	if err != nil || !maps.Equal(outputs, want) {
		t.Errorf("%v %q", err, outputs)
	}
	if _, _, err := b.shop("SELECT :nothing", nil, nil); err == nil ||
		!strings.Contains(err.Error(), `no parameter is named "nothing"`) {
		t.Error(err)
	}
}

// MySQL commits before and after a statement such as CREATE. The statements after it run in a new transaction.
func TestMySQLCommitsByItself(t *testing.T) {
	t.Parallel()
	b := onMySQL(t, "")
	log, _, err := b.shop("CREATE TABLE t (n INT); INSERT INTO t VALUES (1); CREATE TABLE u (n INT);\n"+
		"INSERT INTO t VALUES (2);\nINSERT INTO t\nVALUES (3, 4)", nil, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "statement 5, line 3: Column count doesn't match") ||
		!strings.Contains(err.Error(), "(error 1136, SQLSTATE 21S01)") {
		t.Fatal(err)
	}
	if !strings.Contains(log, "rolled back, but MySQL had committed everything up to statement 3 (CREATE) by itself") {
		t.Errorf("log: %s", log)
	}
	log, _, err = b.shop("CREATE TEMPORARY TABLE x (n INT); INSERT INTO t VALUES (5); "+
		"SELECT sum(n) AS total FROM t; SELEC\n1", nil, nil)
	if err == nil || !strings.Contains(log, "total\n6\n") || !strings.Contains(log, "nothing was changed") {
		t.Errorf("%v %s", err, log)
	}
	if log, _, err = b.shop("SELECT sum(n) AS total FROM t", nil, nil); err != nil ||
		!strings.Contains(log, "total\n1\n") {
		t.Errorf("%v %s", err, log)
	}
	_, _, err = b.shop("SELECT 1;\n\nSELECT 1 +\n\nFROM t", nil, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "statement 2, line 5: ") {
		t.Error(err)
	}
}

func TestMySQLProcedures(t *testing.T) {
	t.Parallel()
	b := onMySQL(t, "")
	script := "DELIMITER //\nCREATE PROCEDURE p(n INT)\nBEGIN\n" +
		"  SELECT n AS first;\n  SELECT n + 1 AS second;\nEND//\nDELIMITER ;\n" +
		"CALL p(:n); # again\nCALL p(7)"
	log, outputs, err := b.shop(script, map[string]any{"output": "x"}, map[string]any{"n": json.Number("4")})
	if err != nil || outputs["x"] != "8" {
		t.Fatalf("%v %v", err, outputs)
	}
	for _, want := range []string{"3 statements", "first\n4\n", "second\n5\n", "first\n7\n", "second\n8\n"} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in %s", want, log)
		}
	}
}

// A kill ends the statement on the server, which releases its locks.
func TestMySQLKill(t *testing.T) {
	t.Parallel()
	b := onMySQL(t, "")
	if _, _, err := b.shop("CREATE TABLE t (n INT PRIMARY KEY); INSERT INTO t VALUES (1)", nil, nil); err != nil {
		t.Fatal(err)
	}
	ctx, kill := context.WithCancelCause(t.Context())
	task := b.task(map[string]any{"connection": "shop", "statement": "UPDATE t SET n = 2; SELECT n, sleep(600) FROM t"},
		nil)
	ended := make(chan error, 1)
	go func() { ended <- b.h.Run(ctx, task) }()
	for running := false; !running; {
		log, _, err := b.shop("SELECT count(*) AS sleepers FROM information_schema.processlist "+
			"WHERE db = database() AND info LIKE '%sleep(600) FROM t'", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		running = strings.Contains(log, "sleepers\n1\n")
		select {
		case err := <-ended:
			t.Fatalf("it ended by itself: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	kill(&sdk.Stopped{Reason: "killed: ada"})
	if err := <-ended; err == nil || !errors.Is(ctx.Err(), context.Canceled) {
		t.Fatal("a killed statement succeeded")
	}
	if log, _, err := b.shop("UPDATE t SET n = n + 10; SELECT n FROM t", nil, nil); err != nil ||
		!strings.Contains(log, "n\n11\n") {
		t.Errorf("%v %s", err, log)
	}
}

func TestMySQLURLs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	lines := map[string]string{
		"mysql://u:hush@127.0.0.1:1/d":              "connect to a (mysql 127.0.0.1:1/d)",
		"mariadb://u:hush@127.0.0.1:1/d?tls=true":   "connect to a (mysql 127.0.0.1:1/d)",
		"mysql://u:hush@h/d?tls=sometimes":          "tls: want true",
		"mysql://u:hush@h/d?timezone=x%27%3bDROP":   "timezone: want",
		"mysql://u:hush@h/d?timezone=a;b":           "after the question mark",
		"mysql://u:hush@h/d?allowAllFiles=true":     `"allowAllFiles"`,
		"mysql://u:hush@h:port/d":                   "the URL cannot be read",
		"mysql://u:hush@127.0.0.1/d?socket=/no/one": "connect to a (mysql /no/one/d)",
	}
	for line, want := range lines {
		if err := os.WriteFile(filepath.Join(b.data, sql.ConnectionsFile), []byte("a: '"+line+"'\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		_, err := b.run(t.Context(), b.task(map[string]any{"connection": "a", "statement": "SELECT 1"}, nil))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
