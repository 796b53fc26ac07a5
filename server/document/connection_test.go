package document_test

import (
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// The name of a connection is checked where it stands, as far as the server knows.
func TestConnectionNames(t *testing.T) {
	t.Parallel()
	const text = `apiVersion: hivego/v1
kind: Schedule
name: nightly
jobs:
  - key: load
    tasks:
      - {key: a, handler: sql, group: etl, params: {connection: dw}}
      - {key: b, handler: sql, params: {connection: dw}}
      - {key: c, handler: sql, params: {connection: dww}}
      - {key: d, handler: sql, params: {connection: elsewhere}}
      - {key: e, handler: sql, params: {connection: "sqlite:a.db"}}
      - {key: f, handler: sql, params: {connection: "${{ params.db }}"}}
      - {key: g, handler: sql, params: {other: nothing}}
params: {db: dw}
`
	options := document.Options{
		Handlers: []hive.Handler{{Name: "sql", Schema: `{"properties": {
			"connection": {"type": "string", "x-render": "plain", "x-connection": true}, "other": {}}}`}},
		Connections: map[string]hive.ConnectionDefinition{"dw": {Name: "dw", Groups: []string{"etl"}}},
	}
	doc, faults := document.Parse([]byte(text), options)
	if doc != nil {
		t.Error("the document is accepted")
	}
	want := []struct {
		line    int
		warning bool
		words   string
	}{
		{8, false, "executors of group default may not have the connection dw"},
		{9, true, "the server has no connection dww; did you mean dw?"},
		{10, true, "it works where connections.yaml of the executor has it"},
	}
	if len(faults) != len(want) {
		t.Fatalf("faults %v", faults)
	}
	for i, w := range want {
		if f := faults[i]; f.Line != w.line || f.Warning != w.warning || !strings.Contains(f.String(), w.words) {
			t.Errorf("fault %d %s, want %d %s", f.Line, f, w.line, w.words)
		}
	}
	options.Connections = map[string]hive.ConnectionDefinition{} // all of them are the executors' own
	if doc, faults := document.Parse([]byte(text), options); doc == nil || len(faults) > 0 {
		t.Errorf("without connections: %v", faults)
	}
}

func TestParseConnection(t *testing.T) {
	t.Parallel()
	const text = `# The warehouse
apiVersion: hivego/v1
kind: Connection
name: dw
type: postgres
host: db # the new one
port: 5432
database: dw
user: etl
password: "${{ secrets.DW }}"
options:
  sslmode: require
groups: [default]
`
	doc, faults := document.ParseConnection([]byte(text), document.Options{})
	if doc == nil || len(faults) > 0 {
		t.Fatal(faults)
	}
	if doc.Kind() != hive.KindConnection || doc.Name() != "dw" || !doc.Connection.Allows("default") ||
		!strings.Contains(string(doc.Canonical), "# the new one") {
		t.Errorf("%+v\n%s", doc.Connection, doc.Canonical)
	}
	again, _ := document.ParseConnection(doc.Canonical, document.Options{Stored: true})
	if again == nil || again.Hash != doc.Hash {
		t.Error("the canonical text is not stable")
	}
	all, faults := document.ParseAll([]byte(text+"---\n"+text), document.Options{})
	if all != nil || len(faults) != 1 || !strings.Contains(faults[0].String(), "Connection dw is already defined") {
		t.Errorf("twice: %v", faults)
	}
	_, faults = document.ParseConnection([]byte("kind: Connection\npassword: hidden\n"), document.Options{})
	if strings.Contains(faults[0].String(), "hidden") {
		t.Error(faults)
	}
}
