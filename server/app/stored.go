package app

import (
	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// parser parses stored documents. While the ticker or a live batch holds a parsed document, others share it.
func parser(graphs *document.Graphs) func(text string) (*hive.Definition, error) {
	return func(text string) (*hive.Definition, error) {
		def, faults := graphs.Definition(text)
		if def == nil {
			return nil, &hive.Error{Code: hive.CodeInvalid, Words: "a stored revision cannot be read", Faults: faults}
		}
		return def, nil
	}
}

func parseCalendar(text string) (*hive.CalendarDefinition, error) {
	doc, faults := document.ParseCalendar([]byte(text), document.Options{Stored: true})
	if doc == nil {
		return nil, &hive.Error{Code: hive.CodeInvalid, Words: "a stored calendar cannot be read", Faults: faults}
	}
	return doc.Calendar, nil
}

func newRuns(def *hive.Definition) ([]hive.Run, error) {
	g, err := graph.Compile(def)
	if err != nil {
		return nil, err
	}
	return batch.NewRuns(g), nil
}
