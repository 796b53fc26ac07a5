package cli_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// moment is how times are written in JSON: RFC 3339 in UTC, with milliseconds.
var moment = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// sample returns a schedule with a success, a failure and a task that is skipped because of it.
func sample() string {
	return document("sample", "params: {region: east, size: 3}\n",
		[]string{shell("good", `echo "$region $size"`), shell("bad", "exit 3", "retry: {max: 1, delay: 0s}")},
		[]string{shell("after", "true", "needs: [good]"), shell("cut", "true", "needs: [bad]")})
}

// Every command of the contract, with right input.
func TestContract(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	file := harness.File(t, "sample.yaml", sample())
	stamp := `\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`
	for _, c := range []struct {
		args string
		printed
	}{
		{"validate -f " + file, printed{stdout: file + `: valid\n`}},
		{"apply -f " + file, printed{stdout: `sample: saved as revision 1\n`}},
		{"apply -f " + file, printed{stdout: `sample: unchanged, revision 1\n`}},
		{"run sample", printed{stdout: `1\n`}},
		{"run sample --wait", printed{1, `2\n`, "batch 2 failed; `hivego batch 2` shows .+\n"}},
		{"run sample --task good --wait", printed{stdout: `3\n`}},
		{"run sample --task bad --wait", printed{1, `4\n`, `batch 4 failed; .+\n`}},
		{"run sample --task good --param region=west --param size=10 --wait", printed{stdout: `5\n`}},
		{"logs 5 good", printed{stdout: `\S+Z sys shell begins on executor embedded, attempt 1 \(id \d+-\w+\), ` +
			`process \d+\n\S+Z out west 10\n` +
			`\S+Z sys exit code 0 after \S+\n`}},
		{"batch 5", printed{stdout: `batch 5 of adhoc: succeeded\nadhoc by admin for ` + stamp + `; round 1, started ` +
			stamp + `, took \S+\n\n` +
			`TASK  JOB  STATE      REASON  ATTEMPTS  EXECUTOR  STARTED               TOOK +EXIT  ERROR\n` +
			`good  -    succeeded  -       1         embedded  ` + stamp + `  \S+ +0\n`}},
		{"why 2 cut", printed{stdout: `cut \(skipped\): it was skipped because of bad \(upstream_failed\)\nsince ` +
			stamp + `\n`}},
		{"why 2 bad", printed{stdout: `bad \(failed\): it failed: exit code 3; ` +
			`.hivego rerun 2 bad --downstream. runs it and what follows again\nsince ` + stamp + `\n`}},
		{"why 2 good", printed{stdout: `good \(succeeded\): it succeeded\nsince ` + stamp + `\n`}},
		{"resume 2 --wait", printed{1, `batch 2, round 2, revision 1: resume changes 2 tasks\n` +
			`TASK +JOB +FROM +TO +WHY\n` +
			`bad +j1 +failed +waiting +failed\ncut +j2 +skipped +waiting +skipped \(bad\)\n`, `batch 2 failed; .+\n`}},
		{
			"mark 2 bad --as success",
			printed{stdout: `(?s)batch 2, round 3, revision 1: mark as success changes 2 tasks\n.+` +
				`bad +j1 +failed +succeeded +asked\ncut +j2 +skipped +waiting +skipped \(bad\)\n`},
		},
		{
			"rerun 2 good --downstream --wait",
			printed{stdout: `(?s)batch 2, round 4, revision 1: rerun changes 2 tasks\n.+` +
				`good +j1 +succeeded +waiting +asked\nafter +j2 +succeeded +waiting +downstream \(good\)\n`},
		},
		{
			"batches --kind adhoc --state failed",
			printed{stdout: `ID +SCHEDULE +REVISION +KIND +STATE +ROUND +STARTED +TOOK +BY\n` +
				`4   - +- +adhoc +failed +1 +` + stamp + ` +\S+ +admin\n`},
		},
		{"disable sample", printed{stdout: `sample: disabled\n`}},
		{"enable sample", printed{stdout: `sample: enabled\n`}},
		{"ticks sample", printed{stdout: `MOMENT +DECISION +RULE +BATCH +TRIGGER +DETAIL\n`}},
		{"ticks sample -o json", printed{stdout: `\[\]\n`}},
		{"executors", printed{stdout: `NAME +GROUP +STATE +RUNNING +SLOTS +HANDLERS +LABELS +ADDRESS +SEEN\n` +
			`embedded +default +online +0 +\d+ +http,shell,sql +- +127\.0\.0\.1:\d+ +` + stamp + `\n`}},
	} {
		if c.args == "mark 2 bad --as success" {
			s.WaitEnd(2)
		}
		want(t, s.Try(strings.Fields(c.args)...), c.printed)
		if strings.HasPrefix(c.args, "mark") {
			s.WaitEnd(2)
		}
	}
	canonical := s.CLI("export", "sample")
	want(t, harness.Hivego(t, nil, canonical, "fmt", "-f", "-"), printed{stdout: regexp.QuoteMeta(canonical)})
	if s.Apply(canonical); !strings.Contains(s.CLI("schedules"), "sample          enabled  1 ") {
		t.Errorf("export and apply made another revision:\n%s", s.CLI("schedules"))
	}
}

// The shape of `batch ID -o json`.
func TestBatchJSON(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	s.Apply(sample())
	want(t, s.Try("run", "sample", "--wait"), printed{1, `1\n`, `.+\n`})
	b := shape(t, decode(t, s.CLI("batch", "1", "-o", "json")),
		"id", "schedule", "revision", "kind", "state", "round", "startedAt", "finishedAt", "jobs",
		"tasks")
	same(t, "batch", with(b, "jobs", "tasks", "startedAt", "finishedAt"), map[string]any{
		"id": 1.0, "schedule": "sample", "revision": 1.0, "kind": "manual", "state": "failed", "round": 1.0,
	})
	times(t, b, "startedAt", "finishedAt")
	none := map[string]any{"startedAt": nil, "finishedAt": nil}
	must := []map[string]any{
		{
			"key": "good", "job": "j1", "state": "succeeded", "reason": "", "attempts": 1.0, "executor": "embedded",
			"exitCode": 0.0, "error": "",
		},
		{
			"key": "bad", "job": "j1", "state": "failed", "reason": "exit", "attempts": 2.0, "executor": "embedded",
			"exitCode": 3.0,
			"error":    "exit code 3",
		},
		{
			"key": "after", "job": "j2", "state": "succeeded", "reason": "", "attempts": 1.0, "executor": "embedded",
			"exitCode": 0.0, "error": "",
		},
		{
			"key": "cut", "job": "j2", "state": "skipped", "reason": "upstream_failed", "attempts": 0.0, "executor": "",
			"exitCode": nil, "error": "",
		},
	}
	tasks, _ := b["tasks"].([]any)
	if len(tasks) != len(must) {
		t.Fatalf("tasks: %v", tasks)
	}
	for i := range must {
		task := shape(t, tasks[i], "key", "job", "state", "reason", "attempts", "executor", "startedAt", "finishedAt",
			"exitCode", "error")
		same(t, "task", with(task, "startedAt", "finishedAt"), must[i])
		if task["key"] == "cut" {
			if task["startedAt"] != none["startedAt"] {
				t.Errorf("cut never started, yet startedAt is %v", task["startedAt"])
			}
			continue
		}
		times(t, task, "startedAt", "finishedAt")
	}

	s.CLI("run", "sample", "--task", "good", "--wait")
	alone := shape(t, decode(t, s.CLI("batch", "2", "-o", "json")),
		"id", "schedule", "revision", "kind", "state", "round", "startedAt", "finishedAt", "jobs",
		"tasks")
	same(t, "adhoc", with(alone, "jobs", "tasks", "startedAt", "finishedAt"), map[string]any{
		"id": 2.0, "schedule": "", "revision": 0.0, "kind": "adhoc", "state": "succeeded", "round": 1.0,
	})
	if tasks, _ := alone["tasks"].([]any); len(tasks) != 1 {
		t.Errorf("tasks of an adhoc batch: %v", tasks)
	} else if task, _ := tasks[0].(map[string]any); task["key"] != "good" || task["job"] != "" {
		t.Errorf("task of an adhoc batch: %v", task)
	}
}

// with returns an object without some of its keys.
func with(object map[string]any, without ...string) map[string]any {
	out := maps.Clone(object)
	for _, k := range without {
		delete(out, k)
	}
	return out
}

// times requires that the fields are moments, in order.
func times(t *testing.T, object map[string]any, keys ...string) {
	t.Helper()
	last := ""
	for _, k := range keys {
		text, _ := object[k].(string)
		if !moment.MatchString(text) || text < last {
			t.Errorf("%s is %v, after %q", k, object[k], last)
		}
		last = text
	}
}

// A command that cannot do its work gives the reason in one sentence on standard error, prints nothing, and exits with
// 2.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	s.Apply(sample())
	want(t, s.Try("run", "sample", "--task", "good", "--wait"), printed{stdout: `1\n`})
	long := strings.Repeat("x", 5000)
	for _, c := range []struct {
		args   []string
		stderr string
	}{
		{[]string{"run", "nosuch"}, `hivego run: there is no schedule "nosuch"; .hivego schedules. lists them\n`},
		{[]string{"run", long}, `hivego run: .{1,200}\n`},
		{
			[]string{"run", "\x1b[31mred\n"},
			`hivego run: there is no schedule "\\x1b\[31mred\\n"; .hivego schedules. lists them\n`,
		},
		{
			[]string{"run", "../../etc/passwd"},
			`hivego run: there is no schedule "../../etc/passwd"; .hivego schedules. lists them\n`,
		},
		{[]string{"run", ""}, "hivego run: an argument is empty; say `hivego run NAME \\[flags\\]`\n"},
		{[]string{"run"}, "hivego run: an argument is missing; say `hivego run NAME \\[flags\\]`\n"},
		{
			[]string{"run", "sample", "--task", "nosuch"},
			`hivego run: schedule "sample" has no task "nosuch" in revision 1; ` +
				`.hivego export sample. shows its tasks\n`,
		},
		{
			[]string{"run", "sample", "--param", "nosuch=1"},
			`(?s)hivego run: params .+the schedule declares no such param; it declares region, size\n`,
		},
		{
			[]string{"run", "sample", "--param", "size=big"},
			`(?s)hivego run: params .+params.size: "big" is not a number; .+\n`,
		},
		{[]string{"run", "sample", "--param", "size"}, `hivego run: --param "size": write it as name=value\n`},
		{[]string{"run", "sample", "--at", "noon"}, `hivego run: --at: .+\n`},
		{[]string{"batch", "99"}, `hivego batch: there is no batch 99; .hivego batches. lists them\n`},
		{[]string{"batch", "one"}, `hivego batch: "one": a batch is named by its number\n`},
		{[]string{"batch", "99999999999999999999"}, `hivego batch: "9+": a batch is named by its number\n`},
		{[]string{"batch", "1", "-o", "xml"}, `hivego batch: .+it is table, json or csv, not "xml"; .+\n`},
		{
			[]string{"batches", "--state", "odd"},
			`hivego batches: --state "odd": one of queued, running, succeeded, failed, canceled\n`,
		},
		{
			[]string{"batches", "--schedule", "nosuch"},
			`hivego batches: there is no schedule "nosuch"; .hivego schedules. lists them\n`,
		},
		{[]string{"batches", "--limit", "0"}, `hivego batches: --limit must be from 1 to 500\n`},
		{[]string{"resume", "99"}, `hivego resume: there is no batch 99; .hivego batches. lists them\n`},
		{[]string{"resume", "1"}, `hivego resume: there is nothing to resume in this batch as it is now\n`},
		{[]string{"rerun", "1", "nosuch"}, `hivego rerun: .+no task nosuch.+\n`},
		{[]string{"rerun"}, "hivego rerun: an argument is missing; say `hivego rerun ID .+\n"},
		{[]string{"rerun", "1"}, `hivego rerun: name the tasks to run again; --with-dependants alone takes .+\n`},
		{[]string{"mark", "1", "good"}, `hivego mark: say --as success or --as skipped\n`},
		{[]string{"mark", "1", "good", "--as", "done"}, `hivego mark: say --as success or --as skipped\n`},
		{[]string{"mark", "1", "nosuch", "--as", "success"}, `hivego mark: .+no task nosuch.+\n`},
		{[]string{"cancel", "1"}, `hivego cancel: the batch has ended \(succeeded\); .+\n`},
		{[]string{"cancel", "99"}, `hivego cancel: there is no batch 99; .hivego batches. lists them\n`},
		{
			[]string{"logs", "1", "nosuch"},
			`hivego logs: batch 1 has no task "nosuch"; .hivego batch 1. shows its tasks\n`,
		},
		{
			[]string{"logs", "1", "nosuch", "-f"},
			`hivego logs: batch 1 has no task "nosuch"; .hivego batch 1. shows its tasks\n`,
		},
		{
			[]string{"logs", "1", "good", "--attempt", "2"},
			`hivego logs: task "good" of batch 1 has no attempt 2; .hivego batch 1. shows its tasks\n`,
		},
		{
			[]string{"why", "1", "nosuch"},
			`hivego why: batch 1 has no task "nosuch"; .hivego batch 1. shows its tasks\n`,
		},
		{[]string{"ticks", "nosuch"}, `hivego ticks: there is no schedule "nosuch"; .hivego schedules. lists them\n`},
		{[]string{"export", "nosuch"}, `hivego export: there is no schedule "nosuch"; .hivego schedules. lists them\n`},
		{[]string{"export", "sample", "--revision", "9"}, `hivego export: the schedule has no revision 9\n`},
		{
			[]string{"disable", "nosuch"},
			`hivego disable: there is no schedule "nosuch"; .hivego schedules. lists them\n`,
		},
		{
			[]string{"executors", "delete", "embedded"},
			`hivego executors delete: executor "embedded" is online and would come back; .+\n`,
		},
		{
			[]string{"executors", "offline", "nosuch"},
			`hivego executors offline: there is no executor "nosuch"; .hivego executors. lists them\n`,
		},
		{[]string{"fly"}, "hivego: unknown command \"fly\"; `hivego --help` lists the commands\n"},
		{[]string{"run", "sample", "--fly"}, "hivego run: unknown flag: --fly; `hivego run --help` lists the flags\n"},
	} {
		want(t, s.Try(c.args...), printed{2, "", c.stderr})
	}
	if list := s.CLI("batches"); strings.Count(list, "\n") != 2 {
		t.Errorf("what was refused left batches behind:\n%s", list)
	}
}

// Every command needs a token with the right to it.
func TestTokens(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	invalid := "hivego schedules: the token is not valid: .+`hivego token create --user NAME --data DIR` makes one\n"
	for name, c := range map[string]struct{ env, stderr string }{
		"none":  {"HIVEGO_TOKEN=", "hivego schedules: there is no token: set HIVEGO_TOKEN; .+\n"},
		"wrong": {"HIVEGO_TOKEN=hgo_" + strings.Repeat("A", 43), invalid},
		"cut":   {"HIVEGO_TOKEN=" + s.Token[:len(s.Token)-1], invalid},
		"of executors": {
			"HIVEGO_TOKEN=" + strings.TrimSpace(s.Local("", "token", "create", "--group", "etl")),
			`hivego schedules: this token lets executors join group "etl" .+\n`,
		},
		"two lines": {
			"HIVEGO_TOKEN=" + s.Token + "\nX: y",
			"hivego schedules: the token holds characters that no token has; .+\n",
		},
		"no file": {
			"HIVEGO_TOKEN_FILE=/no/such/file",
			"hivego schedules: read the token: open /no/such/file: .+\n",
		},
		"server down": {
			"HIVEGO_SERVER=http://" + harness.FreeAddress(t),
			"hivego schedules: the server cannot be reached at .+: connection refused; " +
				"is it running there \\(`hivego serve`\\)\\? HIVEGO_SERVER or --server names another one\n",
		},
		"no server": {
			"HIVEGO_SERVER=ftp://example.org",
			`hivego schedules: "ftp://example.org" is no address of a server; .+\n`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := append(s.Env(), c.env)
			if strings.HasPrefix(c.env, "HIVEGO_TOKEN_FILE") {
				env = []string{"HIVEGO_SERVER=" + s.URL, c.env}
			}
			want(t, harness.Hivego(t, env, "", "schedules"), printed{2, "", c.stderr})
		})
	}
	want(t, harness.Hivego(t, nil, "", "token", "create", "--user", "nobody", "--data", s.Data),
		printed{2, "", `hivego token create: .*nobody.*\n`})
	want(t, harness.Hivego(t, nil, "short\n", "user", "add", "eve", "--password-stdin", "--data", s.Data),
		printed{2, "", `hivego user add: .+\n`})
	want(t, harness.Hivego(t, nil, "a long password\n", "user", "add", "admin", "--password-stdin", "--data", s.Data),
		printed{2, "", `hivego user add: .*admin.*\n`})
}
