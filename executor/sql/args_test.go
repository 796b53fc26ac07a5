package sql_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// placeholders writes a statement with # in the notation of the database of a connection.
func placeholders(connection, statement string) string {
	if connection != "dw" {
		return strings.ReplaceAll(statement, "#", "?")
	}
	var out strings.Builder
	for i, part := range strings.Split(statement, "#") {
		if i > 0 {
			out.WriteString("$" + string(rune('0'+i)))
		}
		out.WriteString(part)
	}
	return out.String()
}

// The values of args go on from one statement to the next, beside the parameters of the batch.
func TestArgs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench, connection string) {
		task := b.task(map[string]any{
			"connection": connection, "output": "*",
			"args": []any{"it's; ?", 9007199254740993, nil, "b", 2.5},
			"statement": placeholders(connection, `CREATE TABLE t (name VARCHAR(20), n BIGINT, x DECIMAL(9, 2));
				-- is this it?
				INSERT INTO t VALUES (#, #, #), ('what?', 0, NULL);
				INSERT INTO t VALUES (#, :n, #);
				SELECT (SELECT n FROM t WHERE name LIKE 'it%') AS big,
					(SELECT count(*) FROM t WHERE x IS NULL) AS nulls,
					(SELECT x FROM t WHERE name = 'b' AND n = :n) AS x,
					(SELECT count(*) FROM t WHERE name = 'it''s; ?') AS same`),
		}, map[string]any{"n": json.Number("7")})
		log, err := b.run(t.Context(), task)
		if err != nil {
			t.Fatal(err, log)
		}
		o := task.Outputs()
		if o["big"] != "9007199254740993" || o["nulls"] != "2" || o["same"] != "1" ||
			!strings.HasPrefix(o["x"], "2.5") {
			t.Errorf("outputs %v, log %s", o, log)
		}
	})
}

// A number says which value a placeholder stands for, as often as it is needed.
func TestNumberedArgs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench, connection string) {
		if connection == "shop" {
			return // MySQL has no numbers
		}
		sign := map[string]string{"dw": "$", "sqlite:test.db": "?"}[connection]
		task := b.task(map[string]any{
			"connection": connection, "output": "*", "args": []any{"a", "b"},
			"statement": strings.ReplaceAll("SELECT cast(#2 AS text) AS one, cast(:p AS text) AS p; "+
				"SELECT cast(#2 AS text) AS x, cast(#1 AS text) AS y, cast(#2 AS text) AS z, cast(:p AS text) AS p",
				"#", sign),
		}, map[string]any{"p": "c"})
		log, err := b.run(t.Context(), task)
		if o := task.Outputs(); err != nil || o["x"]+o["y"]+o["z"]+o["p"] != "babc" {
			t.Errorf("%v %v, log %s", err, o, log)
		}
	})
}

// Nothing runs if values are missing or left over.
func TestWrongNumberOfArgs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench, connection string) {
		for _, c := range []struct {
			statement string
			args      []any
			want      string
		}{
			{
				"CREATE TABLE a (n INTEGER);\nSELECT #, #",
				[]any{"hidden"},
				"statement 2, line 2: # stands for value 2 of args, but args has 1",
			},
			{"CREATE TABLE a (n INTEGER); SELECT #", nil, "# stands for value 1 of args, but args has 0"},
			{
				"CREATE TABLE a (n INTEGER); SELECT '?'",
				[]any{"hidden"},
				"no statement uses value 1 of args; write # where it belongs",
			},
			{"SELECT #", []any{[]any{"hidden"}}, "value 1 of args is a list or a mapping"},
		} {
			sign := "?"
			if connection == "dw" {
				sign = "$" + c.want[strings.Index(c.want, "value ")+len("value "):][:1]
			}
			params := map[string]any{
				"connection": connection, "statement": placeholders(connection, c.statement), "transaction": false,
			}
			if c.args != nil {
				params["args"] = c.args
			}
			log, err := b.run(t.Context(), b.task(params, nil))
			want := strings.Replace(c.want, "#", sign, 1)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error()+log, "hidden") ||
				strings.Contains(log, "CREATE") {
				t.Errorf("%s: %v, want %q, log %s", c.statement, err, want, log)
			}
		}
	})
}

// The placeholders of functions and prepared statements are not for args.
func TestPlaceholdersOfPostgreSQL(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench, connection string) {
		if connection != "dw" {
			return
		}
		task := b.task(map[string]any{
			"connection": connection, "output": "*", "args": []any{4},
			"statement": `CREATE OR REPLACE FUNCTION pg_temp.twice(integer) RETURNS integer LANGUAGE sql RETURN $1 * 2;
				PREPARE s AS SELECT $1::integer; DEALLOCATE s;
				SELECT pg_temp.twice($1::integer) AS n, '{"k": 1}'::jsonb ? 'k' AS k, '$2' AS text`,
		}, nil)
		log, err := b.run(t.Context(), task)
		if o := task.Outputs(); err != nil || o["n"] != "8" || o["k"] != "true" || o["text"] != "$2" {
			t.Errorf("%v %v, log %s", err, o, log)
		}
	})
}

// PostgreSQL shows only the beginning of a long value in its errors. No mask would find it.
func TestErrorWithTheBeginningOfASecret(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench, connection string) {
		const begin = "correct-horse-battery"
		secret := begin + strings.Repeat("-staple", 20)
		task := b.task(map[string]any{
			"connection": connection, "args": []any{secret},
			"statement": placeholders(connection, `CREATE TABLE t (s VARCHAR(500), n INTEGER NOT NULL);
				INSERT INTO t VALUES (#, NULL)`),
		}, nil)
		task.Secrets = []string{secret}
		log, err := b.run(t.Context(), task)
		if err == nil || strings.Contains(err.Error()+log, begin) || connection == "dw" &&
			!strings.Contains(err.Error(), "contains (***..., null)") {
			t.Errorf("%v, log %s", err, log)
		}
	})
}
