package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

const good = `apiVersion: hivego/v1
kind: Schedule
name: nightly
jobs:
  - key: load
    tasks:
      - {key: a, handler: shell, params: {command: "true"}}
`

func TestOutput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, args := range map[string][]string{
		"schedules.txt":  {"schedules"},
		"schedules.json": {"schedules", "-o", "json"},
		"batches.txt":    {"batches", "--schedule", "warehouse", "--state", "failed", "--limit", "5"},
		"batches.json":   {"batches", "-o", "json"},
		"batch.txt":      {"batch", "7"},
		"batch.json":     {"batch", "7", "-o", "json"},
		"resume.txt":     {"resume", "7"},
		"resume-dry.txt": {"resume", "7", "--latest", "--dry-run"},
		"resume.json":    {"resume", "7", "--dry-run", "-o", "json"},
		"rerun.txt":      {"rerun", "7", "a", "b", "--downstream"},
		"mark.txt":       {"mark", "7", "b", "--as", "success"},
		"ticks.txt":      {"ticks", "warehouse"},
		"why-tick.txt":   {"why", "warehouse", "2026-05-02 03:20:00.123Z"},
		"release.txt":    {"release", "warehouse", "2026-05-02T03:20:00Z", "--reason", "the file is there"},
		"ticks.json":     {"ticks", "warehouse", "-o", "json"},
		"forecast.txt":   {"forecast", "warehouse", "--until", "2026-05-02T03:20:00Z"},
		"forecast.json":  {"forecast", "--until", "2026-05-02T03:20:00Z", "-o", "json"},
		"chain.txt":      {"chain", "warehouse", "--resume-at", "2026-05-01T05:00:00Z"},
		"chain.json":     {"chain", "warehouse", "-o", "json"},
		"executors.txt":  {"executors"},
		"executors.json": {"executors", "-o", "json"},
		"why.txt":        {"why", "7", "c"},
		"history.txt":    {"history", "7"},
		"history.json":   {"history", "7", "-o", "json"},
		"why.json":       {"why", "7", "c", "-o", "json"},
		"logs.txt":       {"logs", "7", "b"},
		"export.yaml":    {"export", "warehouse"},
		"run.txt":        {"run", "warehouse"},
		"run-task.txt":   {"run", "warehouse", "--task", "a", "--param", "region=west", "--at", "2026-05-01T03:20:00Z"},
		"enable.txt":     {"enable", "warehouse"},
		"offline.txt":    {"executors", "offline", "embedded"},
		"top.txt":        {"top", "--once"},
		"top.json":       {"top", "-o", "json"},
	} {
		o := w.hivego(args...)
		if o.code != 0 || o.stderr != "" {
			t.Errorf("%v: exit %d: %s", args, o.code, o.stderr)
		}
		golden(t, name, o.stdout)
	}
}

// TestBatchShape checks that the output has all keys that scripts rely on.
func TestBatchShape(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ViewF = func(id int64, _ bool) (hive.BatchView, error) {
		return hive.BatchView{
			Batch: hive.Batch{
				ID: id, Kind: hive.KindAdhoc, State: hive.BatchQueued, Wish: hive.WishRun, Round: 1,
				Live: true,
			},
			Runs: []hive.RunView{{Run: hive.Run{Task: "a", State: hive.RunWaiting}}},
		}, nil
	}
	o := w.hivego("batch", "9", "-o", "json")
	want := `{"id":9,"schedule":"","revision":0,"kind":"adhoc",` +
		`"state":"queued","round":1,"startedAt":null,"finishedAt":null,` +
		`"jobs":[],"tasks":[{"key":"a","job":"","state":"waiting","reason":"","attempts":0,"executor":"",` +
		`"startedAt":null,"finishedAt":null,"exitCode":null,"error":""}]}`
	var got, same any
	if err := json.Unmarshal([]byte(o.stdout), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &same); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(same)
	if !bytes.Equal(a, b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

func TestRunWaits(t *testing.T) {
	t.Parallel()
	for state, code := range map[hive.BatchState]int{
		hive.BatchSucceeded: 0, hive.BatchFailed: 1,
		hive.BatchCanceled: 1,
	} {
		w := newWorld(t)
		var asked atomic.Int32
		w.ViewF = func(_ int64, runs bool) (hive.BatchView, error) {
			if runs {
				t.Error("waiting reads the tasks each time")
			}
			v := apitest.SampleBatch()
			v.Batch.State, v.Batch.Live = state, false
			switch asked.Add(1) {
			case 1:
				v.Batch.State, v.Batch.Live = hive.BatchRunning, true
			case 2:
				return v, hive.Errorf(hive.CodeUnavailable, "the database is away")
			}
			return v, nil
		}
		o := w.hivego("run", "warehouse", "--wait")
		if o.code != code || o.stdout != "7\n" || asked.Load() != 3 {
			t.Errorf("%s: exit %d after %d looks: %q %q", state, o.code, asked.Load(), o.stdout, o.stderr)
		}
		if o = w.hivego("resume", "7", "--wait"); o.code != code {
			t.Errorf("resume, %s: exit %d: %s", state, o.code, o.stderr)
		}
	}
}

func TestWaitIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.ViewF = func(int64, bool) (hive.BatchView, error) {
		cancel()
		v := apitest.SampleBatch()
		v.Batch.Live = true
		return v, nil
	}
	w.want(w.with(ctx, "", "run", "warehouse", "--wait"), 2, "7\n", "batch 7 goes on")
}

func TestErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.CreateF = func(hive.RunRequest) (hive.BatchView, error) {
		return hive.BatchView{},
			&hive.Error{Code: hive.CodeInvalid, Words: "params that cannot be", Faults: []hive.Fault{
				{Code: "unknown_param", Path: "params.x", Message: "no such param", Remedy: "it declares region"},
			}}
	}
	w.want(w.hivego("run", "warehouse", "--param", "x=1"), 2, "", "params.x: no such param; it declares region")
	for _, tc := range []struct {
		args  []string
		words string
	}{
		{[]string{"batch", "seven"}, "number"},
		{[]string{"batch", "-7"}, "-7"},
		{[]string{"batch"}, "arg"},
		{[]string{"batch", "7", "-o", "xml"}, "table, json or csv"},
		{[]string{"bach", "7"}, "bach"},
		{[]string{"mark", "7", "a"}, "--as"},
		{[]string{"mark", "7", "a", "--as", "done"}, "--as"},
		{[]string{"rerun"}, "arg"},
		{[]string{"rerun", "7"}, "name the tasks"},
		{[]string{"run", "x", "--param", "k"}, "name=value"},
		{[]string{"run", "x", "--param", "k=1", "--param", "k=2"}, "twice"},
		{[]string{"run", "x", "--at", "noon"}, "--at"},
		{[]string{"apply"}, "-f FILE"},
		{[]string{"apply", "-f", "/nowhere.yaml"}, "/nowhere.yaml"},
		{[]string{"batches", "--state", "done"}, "done"},
		{[]string{"logs", "x", "y"}, "number"},
	} {
		o := w.hivego(tc.args...)
		if o.code != 2 || o.stdout != "" || !strings.Contains(o.stderr, tc.words) {
			t.Errorf("%v: exit %d %q %q, want %q", tc.args, o.code, o.stdout, o.stderr, tc.words)
		}
	}
	w.token = "hgo_wrong"
	w.want(w.hivego("batches"), 2, "", "token")
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.server = l.Addr().String()
	_ = l.Close()
	w.want(w.hivego("run", "x"), 2, "", "cannot be reached at http://"+w.server)
	w.want(w.hivego("batches"), 2, "",
		"is it running there (`hivego serve`)? HIVEGO_SERVER or --server names another one\n")
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	w.server = "https://" + plain.Listener.Addr().String()
	w.want(w.hivego("batches"), 2, "", "what answers speaks no TLS")
	hangsUp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for c, err := hangsUp.Accept(); err == nil; c, err = hangsUp.Accept() {
			_, _ = c.Read(make([]byte, 1))
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = hangsUp.Close(); <-gone })
	w.server = hangsUp.Addr().String()
	w.want(w.hivego("batches"), 2, "", "what answers hangs up: does it speak TLS? Then write https://")
	w.server = "https://" + hangsUp.Addr().String()
	w.want(w.hivego("batches"), 2, "", "what answers hangs up: is it http, and not https?")
	w.server = "ftp://x"
	w.want(w.hivego("run", "x"), 2, "", "no address of a server")
}

// TestAnswersOfOtherPrograms checks answers of other programs, and of pages in front of the server.
func TestAnswersOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for kind, body := range map[string]string{
		"text/html; charset=utf-8": "<!doctype html>", "text/plain": "ok",
		"": "",
	} {
		w := newWorld(t)
		other := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(rw, body)
		}))
		t.Cleanup(other.Close)
		w.server = other.URL + "/path"
		for _, args := range [][]string{
			{"schedules"},
			{"batch", "7"},
			{"run", "x"},
			{"export", "x"},
			{"logs", "7", "a"},
			{"cancel", "7"},
		} {
			o := w.hivego(args...)
			if o.code != 2 || o.stdout != "" || !strings.Contains(o.stderr, "no HiveGo server") {
				t.Errorf("%v, %q: exit %d %q %q", args, kind, o.code, o.stdout, o.stderr)
			}
		}
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var saved []hive.SaveRequest
	w.SaveF = func(r hive.SaveRequest) (hive.Saved, error) {
		saved = append(saved, r)
		return hive.Saved{
			Schedule: hive.Schedule{Name: r.Name}, Revision: hive.Revision{Number: int64(len(saved))},
			Changed: len(saved) == 1,
			Faults: []hive.Fault{{
				Code: "unknown_handler", Path: "jobs[0]", Message: "nobody offers it",
				Warning: true,
			}},
		}, nil
	}
	one, two := write(t, "one.yaml", good), write(t, "two.yaml", strings.Replace(good, "nightly", "weekly", 1))
	o := w.hivego("apply", "-f", one, two)
	w.want(o, 0, "nightly: saved as revision 1\nweekly: unchanged, revision 2\n",
		one+": warning: jobs[0]: nobody offers it\n"+two+": warning: ")
	if len(saved) != 2 || saved[0].Name != "nightly" || saved[1].By != "ada" ||
		!strings.Contains(string(saved[1].Document), "weekly") {
		t.Errorf("saved: %+v", saved)
	}
	both := write(t, "both.yaml", good+"---\n"+strings.Replace(good, "nightly", "weekly", 1))
	w.want(w.hivego("apply", "-f", both), 0, "weekly",
		both+" (nightly): warning: jobs[0]: nobody offers it\n"+both+" (weekly): warning: ")
	saved = nil
	bad := write(t, "bad.yaml", strings.Replace(good, "kind: Schedule", "kinds: Schedule", 1))
	o = w.hivego("apply", "-f", one, "-f", bad)
	w.want(o, 2, "", bad+":2:")
	if len(saved) != 0 {
		t.Error("a file was saved although another one has faults")
	}
	w.want(w.with(t.Context(), good, "apply", "-f", "-", "--base", "3", "--note", "one more task"), 0, "nightly", "")
	w.want(w.with(t.Context(), good, "apply", "-f", "-", "--base", "0"), 0, "nightly", "")
	if len(saved) != 2 || saved[0].Base != 3 || saved[0].Fresh || saved[0].Note != "one more task" ||
		saved[1].Base != 0 || !saved[1].Fresh {
		t.Errorf("saved: %+v", saved)
	}
	w.want(w.hivego("apply", "-f", one, two, "--base", "0"), 2, "", "--base is for one file")
}

// The list says why a schedule has no next batch.
func TestStatesOfSchedules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ListSchedulesF = func(hive.ScheduleFilter) ([]hive.ScheduleView, error) {
		view := func(name string, enabled bool, finished hive.Finished) hive.ScheduleView {
			return hive.ScheduleView{Schedule: hive.Schedule{Name: name, Enabled: enabled}, Finished: finished}
		}
		return []hive.ScheduleView{
			view("a", true, ""), view("b", true, hive.FinishedEnded), view("c", true, hive.FinishedMaxBatches),
			view("d", false, hive.FinishedEnded),
		}, nil
	}
	lines := strings.Split(w.hivego("schedules").stdout, "\n")
	for i, want := range []string{"enabled", "finished", "finished", "disabled"} {
		if fields := strings.Fields(lines[i+1]); fields[1] != want || fields[3] != "-" {
			t.Errorf("%q is not %s", lines[i+1], want)
		}
	}
	o := w.hivego("schedules", "-o", "json")
	for _, want := range []string{`"finished": "ended"`, `"finished": "max_batches"`} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %s in %s", want, o.stdout)
		}
	}
}

func TestSlowOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pending := apitest.SampleCommand()
	pending.State, pending.Answer = hive.CommandPending, nil
	w.RepairF = func(hive.RepairRequest) (hive.Command, error) { return pending, nil }
	w.WishF = func(hive.WishRequest) (hive.Command, error) { c := pending; c.Kind = hive.CommandWish; return c, nil }
	var looks atomic.Int32
	w.CommandF = func(int64) (hive.Command, error) {
		if looks.Add(1) < 3 {
			return pending, nil
		}
		return apitest.SampleCommand(), nil
	}
	w.want(w.hivego("resume", "7"), 0, "round 2", "command 5")
	w.want(w.hivego("cancel", "7"), 0, "batch 7 has ended (failed)", "")
	refused := pending
	refused.State, refused.Answer = hive.CommandRefused, []byte(`{"code":"conflict","words":"it moved"}`)
	w.CommandF = func(int64) (hive.Command, error) { return refused, nil }
	w.want(w.hivego("resume", "7"), 2, "", "it moved")
}

// The command does not say "is being canceled" if the batch ends meanwhile, or was canceled before.
func TestCancelOfAnEndingBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	state := hive.BatchRunning
	w.ViewF = func(int64, bool) (hive.BatchView, error) {
		v := apitest.SampleBatch()
		v.Batch.State, v.Batch.Wish, v.Batch.Live = state, hive.WishCancel, !state.Final()
		return v, nil
	}
	w.want(w.hivego("cancel", "7"), 0, "batch 7 is being canceled\n", "")
	wish := w.WishF
	for _, end := range []hive.BatchState{hive.BatchCanceled, hive.BatchSucceeded, hive.BatchFailed} {
		state = hive.BatchRunning
		w.WishF = func(r hive.WishRequest) (hive.Command, error) {
			c, err := wish(r)
			state = end
			return c, err
		}
		w.want(w.hivego("cancel", "7"), 0, "batch 7 has ended ("+string(end)+")\n", "")
	}
	w.WishF = wish
	w.ViewF = func(int64, bool) (hive.BatchView, error) {
		return hive.BatchView{}, hive.Errorf(hive.CodeInternal, "it cannot be looked at")
	}
	w.want(w.hivego("cancel", "7"), 0, "batch 7 is being canceled\n", "") // the wish is stored
}
