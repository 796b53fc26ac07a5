package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// The flags reach the server; what has no zone is of this computer.
func TestBatchFlags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var f hive.BatchFilter
	w.BatchesF = func(x hive.BatchFilter) ([]hive.Batch, error) { f = x; return nil, nil }
	args := []string{
		"batches", "--tag", "finance", "--owner", "ada", "--executor", "e", "--by", "webhook", "--state",
		"failed, running", "--param", "a=x,y", "--param", `b=\`, "--since", "2026-11-01", "--until",
		"2026-11-02T00:00:00Z", "--moment-from", "2026-11-01T08:00", "--longer", "90s", "--needs-person",
	}
	for _, format := range []string{"table", "json", "csv"} {
		f = hive.BatchFilter{}
		if o := w.hivego(append(args, "-o", format)...); o.code != 0 {
			t.Fatalf("exit %d: %s", o.code, o.stderr)
		}
		local := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.Local) }
		params, err := json.Marshal(f.Params)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case !f.NeedsPerson, f.Tag != "finance" || f.Owner != "ada" || f.Executor != "e" || f.Longer != 90*time.Second,
			f.By == nil || *f.By != hive.Starter{Trigger: hive.StarterWebhook},
			len(f.States) != 2 || f.States[1] != hive.BatchRunning,
			string(params) != `[{"Name":"a","Value":"x,y"},{"Name":"b","Value":"\\"}]`,
			!f.Since.Equal(local(1, 0)) || !f.MomentFrom.Equal(local(1, 8)),
			!f.Until.Equal(time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)):
			t.Errorf("%s: %+v, by %+v", format, f, f.By)
		}
	}
	for want, args := range map[string][]string{
		`--since "soon"`: {"--since", "soon"}, `--param "a"`: {"--param", "a"}, `--longer "x"`: {"--longer", "x"},
		`--state "odd"`: {"--state", "failed,odd"}, "--limit must be": {"-o", "csv", "--limit", "0"},
		"--hooks-of must be": {"--hooks-of", "-1"}, "--backfill must be": {"--backfill", "-1"},
	} {
		if o := w.hivego(append([]string{"batches"}, args...)...); o.code != 2 || !strings.Contains(o.stderr, want) {
			t.Errorf("%v: exit %d %q", args, o.code, o.stderr)
		}
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for want, args := range map[string][]string{
		"id,schedule,":         {"batches", "-o", "csv"},
		"\ufeffid,schedule,":   {"batches", "-o", "csv", "--bom"},
		"job,task,state,":      {"batch", "7", "-o", "csv"},
		"\ufeffjob,task,state": {"batch", "7", "-o", "csv", "--bom"},
	} {
		o := w.hivego(args...)
		if o.code != 0 || !strings.HasPrefix(o.stdout, want) || strings.Count(o.stdout, "\r\n") < 2 {
			t.Errorf("%v: exit %d %q %q", args, o.code, o.stdout, o.stderr)
		}
	}
}
