package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rprp/hivego/executor/supervise"
)

// The supervisor masks log and outputs, also if the executor is another process at the end, and journals no value.
func TestSecretsMasked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	spec := r.spec(1, `printf 'it is corr'; printf "$PW" | cut -c5-; echo "out=$PW" > "$OUT"; touch began
		while [ ! -e go ]; do sleep 0.01; done; echo "then $PW" >&2`)
	spec.OutputFile = filepath.Join(r.data, "output")
	spec.Env = append(spec.Env, "PW=correct horse", "OUT="+spec.OutputFile)
	spec.Secrets = []string{"correct horse"}
	r.start(spec)
	eventually(t, "the script runs", exists(filepath.Join(r.data, "began")))
	r.m.Close()
	again := open(t, r.data)
	ends := make(chan supervise.End, 1)
	if !again.m.Adopt(ref(1), func(e supervise.End) { ends <- e }) {
		t.Fatal("the process is not known")
	}
	if err := os.WriteFile(filepath.Join(r.data, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if e := again.wait(ends); e.Exit.Code != 0 {
		t.Fatalf("end %+v", e)
	}
	text, output := again.text(1), read(t, spec.OutputFile)
	if strings.Contains(text, "horse") || strings.Count(text, "***") != 2 || output != "out=***\n" {
		t.Errorf("log %s, output %q", text, output)
	}
	if journal := read(t, filepath.Join(r.data, "supervisor", "journal")); strings.Contains(journal, "horse") {
		t.Error("the journal has the value")
	}
}

// What a task puts in the place of its output file is not followed.
func TestOutputLink(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	victim := filepath.Join(r.data, "victim")
	if err := os.WriteFile(victim, []byte("correct horse"), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := r.spec(1, "ln -s victim output")
	spec.OutputFile, spec.Secrets = filepath.Join(r.data, "output"), []string{"correct horse"}
	r.wait(r.start(spec))
	if got := read(t, victim); got != "correct horse" {
		t.Errorf("the file of somebody else became %q", got)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
