package conform_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// plantedWork is the work of the planted executor.
func plantedWork() conform.Work {
	w := work()
	w.Stubborn = `{"do": "stubborn"}`
	w.Outputs = map[string]string{"answer": "42", "big": bigOutput}
	w.Lines = []string{"line 0", "line 1", "line 2", "line 3", "line 4"}
	return w
}

// plantedFaults has the rule that finds each planted fault. Other rules may find it as well.
func plantedFaults() map[fault]string {
	return map[fault]string{
		"attach-keeps-acks":         "attach.again",
		"attach-renews":             "lease.takeover",
		"attach-steals":             "attach.stale",
		"attach-without-boot":       "attach.boot",
		"attach-without-tomb":       "attach.unknown",
		"busy-without-tomb":         "submit.busy",
		"clock-in-seconds":          "describe.clock",
		"end-before-work":           "end.quiet",
		"end-cuts-outputs":          "end.outputs",
		"end-without-outputs":       "end.outputs",
		"end-without-times":         "end.times",
		"end-wrong-log-bytes":       "end.times",
		"kill-by-anyone":            "epoch.attempt",
		"kill-ignored":              "kill.ends",
		"kill-never-forced":         "kill.grace",
		"kill-parent-only":          "end.quiet",
		"kill-rewrites-end":         "kill.late",
		"kill-without-grace":        "kill.grace",
		"lease-late-submit":         "lease.delayed",
		"lease-newest-number-only":  "lease.numbers",
		"lease-zero-kills":          "lease.forever",
		"load-always-0":             "load.running",
		"log-always-complete":       "log.grows",
		"log-loses-lines":           "log.whole",
		"log-plain-lines":           "log.lines",
		"log-wrong-offsets":         "log.ranges",
		"others-without-ended":      "attach.others",
		"poll-clock-in-seconds":     "poll.clock",
		"poll-first-waits":          "poll.first",
		"poll-never-waits":          "poll.waits",
		"poll-older-waits":          "poll.newest",
		"poll-tells-all":            "poll.own",
		"poll-tells-once":           "poll.repeats",
		"progress-after-end":        "poll.progress",
		"progress-in-percent":       "poll.progress",
		"progress-keeps-seq":        "poll.progress",
		"progress-later-in-percent": "poll.progress",
		"progress-told-once":        "poll.progress",
		"progress-unacked":          "poll.progress",
		"release-by-anyone":         "release.owner",
		"release-running":           "release.owner",
		"slots-overrun":             "submit.slots",
		"submit-keeps-no-epoch":     "epoch.submit",
		"submit-runs-again":         "submit.ended",
		"submit-runs-twice":         "submit.once",
		"timeout-ignored":           "timeout.kept",
		"times-of-another-clock":    "end.times",
		"tombs-run":                 "attach.unknown",
	}
}

// servePlanted answers calls until ctx ends.
func servePlanted(ctx context.Context, x *planted, listener net.Listener) {
	var calls sync.WaitGroup
	context.AfterFunc(ctx, func() { _ = listener.Close() })
	processor := hivego.NewDurableExecutorProcessor(x)
	for {
		c, err := listener.Accept()
		if err != nil {
			break
		}
		stop := context.AfterFunc(ctx, func() { _ = c.Close() })
		calls.Go(func() {
			defer stop()
			wireFault{}.serve(ctx, c, processor)
		})
	}
	x.close()
	calls.Wait()
}

const plantedToken = "planted-token"

// startPlanted starts an executor with one fault in this process; with none it is honest.
func startPlanted(t *testing.T, f fault) conform.Target {
	t.Helper()
	x, err := newPlanted(t.TempDir(), f, plantedToken)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var served sync.WaitGroup
	served.Go(func() { servePlanted(ctx, x, listener) })
	t.Cleanup(func() {
		cancel()
		served.Wait()
	})
	return conform.Target{Address: listener.Addr().String(), Token: plantedToken}
}

// An executor without a planted fault keeps every rule, so that it is the fault that the rules find.
func TestHonestExecutor(t *testing.T) {
	t.Parallel()
	r := check(t, conform.Options{Target: startPlanted(t, ""), Work: plantedWork()})
	for _, f := range r.Findings {
		if f.Result != conform.Pass && !needsStart(f.Rule) {
			t.Errorf("%s: %s %s", f.Rule, f.Result, f.Why)
		}
	}
}

// Each planted fault is found by its rule.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	for f, rule := range plantedFaults() {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			found := check(t, conform.Options{
				Target: startPlanted(t, f), Work: plantedWork(), Only: []string{rule}, Patience: plantedPatience,
			}).Findings[0]
			if found.Result != conform.Fail || found.Why == "" || found.Remedy == "" {
				t.Fatalf("%+v", found)
			}
			t.Log(found.Why)
		})
	}
}

// plantedPatience is enough for the slowest rule, and not for work that never ends.
const plantedPatience = 50 * time.Second

// peculiar has executors that do what the contract leaves open, or are slow, by the rule that could take it for a
// fault.
func peculiar() map[fault]string {
	return map[fault]string{
		"end-leaves-log-bytes-out": "end.times",
		"load-without-slots":       "describe.load",
		"poll-slow-once":           "poll.newest",
		"run-bad-call":             "run.handler",
		"stubborn-late":            "kill.grace",
	}
}

// An executor may be peculiar and slow, and keeps the rules.
func TestPeculiarExecutors(t *testing.T) {
	t.Parallel()
	for f, rule := range peculiar() {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			o := conform.Options{
				Target: startPlanted(t, f), Work: plantedWork(), Only: []string{rule}, Patience: plantedPatience,
			}
			if found := check(t, o).Findings[0]; found.Result != conform.Pass {
				t.Errorf("%+v", found)
			}
		})
	}
}

// A rule that says nothing about an executor is not checked, instead of being kept.
func TestNothingToSee(t *testing.T) {
	t.Parallel()
	for f, rule := range map[fault]string{"long-is-silent": "end.quiet", "poll-without-clock": "poll.clock"} {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			o := conform.Options{
				Target: startPlanted(t, f), Work: plantedWork(), Only: []string{rule}, Patience: plantedPatience,
			}
			if found := check(t, o).Findings[0]; found.Result != conform.Unchecked || found.Why == "" {
				t.Errorf("%+v", found)
			}
		})
	}
}
