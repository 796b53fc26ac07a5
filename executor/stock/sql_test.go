package stock_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// A secret is a bind value of a statement. Neither the log nor an output shows it, and no file of the executor has it.
func TestSecretAsBindValue(t *testing.T) {
	t.Parallel()
	const value = "corr'ect-horse"
	data := t.TempDir()
	e, _ := inProcess(t, data)
	s := connect(t, e, 1)
	s.attach()
	submit := func(id int64, statement string) {
		params := `{"connection":"sqlite:a.db","args":["<A>",7],"output":"*","statement":"` + statement + `"}`
		s.submit(&hivego.Assignment{
			AttemptId: &id, Handler: new("sql"), ParamsJson: &params,
			Workspace: new("w"), Task: new("t"), Job: new("j"), Schedule: new("nightly"), BatchId: new(int64(3)),
			Secrets: []*hivego.SecretText{{Mark: new("<A>"), Text: new(value), Value: new(value)}},
		})
	}
	submit(1, "SELECT ? AS echo, length(?1) AS size; SELECT ? AS n, ?1 AS echo")
	o := s.outcome(1)
	if o.GetKind() != hivego.OutcomeKind_SUCCESS || o.GetOutputs()["echo"] != "***" || o.GetOutputs()["n"] != "7" {
		t.Errorf("%v %s, outputs %v", o.GetKind(), o.GetError(), o.GetOutputs())
	}
	log := s.log(1)
	if strings.Contains(log, "horse") ||
		!strings.Contains(log, "echo | size\n") || !strings.Contains(log, "*** | 14\n") {
		t.Errorf("log %s", log)
	}
	submit(2, "SELECT ? + ?, json_extract('{}', ?1)")
	o = s.outcome(2)
	if o.GetKind() != hivego.OutcomeKind_FAILURE || !strings.Contains(o.GetError(), "***") ||
		strings.Contains(o.GetError()+s.log(2), "horse") {
		t.Errorf("%v %s, log %s", o.GetKind(), o.GetError(), s.log(2))
	}
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), "horse") {
			t.Errorf("%s has the value", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
