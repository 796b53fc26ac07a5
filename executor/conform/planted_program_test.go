package conform_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/executor/sdk"
)

// restartFaults has the rule that finds each fault of restarts, freezes and stops.
func restartFaults() map[fault]string {
	return map[fault]string{
		"drain-accepts":           "drain.refuses",
		"drain-ignored":           "drain.refuses",
		"journal-late":            "restart.started",
		"journal-none":            "restart.started",
		"lease-by-ticks":          "freeze.lease",
		"restart-dies-of-work":    "restart.identity",
		"restart-ends-untold":     "restart.ended",
		"restart-low-numbers":     "restart.answers",
		"restart-new-id":          "restart.identity",
		"restart-runs-again":      "restart.running",
		"restart-same-boot":       "restart.identity",
		"restart-without-cluster": "restart.epochs",
		"restart-without-epochs":  "restart.epochs",
		"restart-without-logs":    "restart.ended",
		"restart-without-outputs": "restart.ended",
		"restart-without-tombs":   "restart.tombstones",
	}
}

// needsStart reports whether a rule needs a program that the check starts itself.
func needsStart(rule string) bool {
	area, _, _ := strings.Cut(rule, ".")
	return area == "restart" || area == "freeze" || area == "drain"
}

// inProcess is the fault of a program that is the Go SDK instead of a planted executor.
const inProcess fault = "sdk"

// runProgram is the executor as a process of its own. TestMain calls it in a copy of the test's binary.
func runProgram(dir string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f, listen := fault(os.Getenv("PLANTED_FAULT")), os.Getenv("PLANTED_LISTEN")
	terms := make(chan os.Signal, 1)
	signal.Notify(terms, syscall.SIGTERM)
	if f == inProcess {
		e, err := sdk.New(sdk.Config{Data: dir, Name: "correct", Slots: 6, Listen: listen}, worker{})
		if err == nil {
			err = e.Start(ctx)
		}
		if err != nil {
			panic(err)
		}
		<-terms
		e.Stop()
		return
	}
	if f == leavesGroup {
		if _, err := syscall.Setsid(); err != nil {
			panic(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			panic(err)
		}
	}
	x, err := newPlanted(dir, f, plantedToken)
	if err != nil {
		panic(err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		panic(err)
	}
	go func() {
		<-terms
		if x.has("drain-ignored") {
			return
		}
		for idle := false; !idle; {
			time.Sleep(plantedTick) //nolint:forbidigo // a program that drains
			x.mu.Lock()
			x.draining, idle = true, x.running == 0
			x.mu.Unlock()
		}
		cancel()
	}()
	servePlanted(ctx, x, listener)
}

// leavesGroup is the fault of a program that begins a session of its own.
const leavesGroup fault = "leaves-group"

// The commands of --start: the executor itself, or a wrapper around it.
const (
	direct       = "exec %s"
	endsFirst    = "%s & exit 0"
	waits        = "%s; :"
	outlivesWork = "trap : TERM; %s; while :; do sleep 0.1; done"
)

// hosts counts the addresses of programs.
var hosts atomic.Int32 //nolint:gochecknoglobals // of all tests of the process

// ownAddress returns an address that no other program has: a host of loopback for each program of this process. A port
// of 127.0.0.1 that is free now may be taken by another test before the program listens there, or while it restarts.
func ownAddress() string {
	n, pid := hosts.Add(1), os.Getpid()
	return fmt.Sprintf("127.%d.%d.%d:9999", 1+pid>>8%250, pid%256, 1+n%250)
}

// options makes the options of a check that starts a program with a wrapper.
func options(t *testing.T, f fault, wrapper string) conform.Options {
	t.Helper()
	address, dir := ownAddress(), t.TempDir()
	o := conform.Options{
		Target: conform.Target{Address: address, Token: plantedToken}, Work: plantedWork(), Patience: plantedPatience,
		Start: fmt.Sprintf("export PLANTED_DIR=%s PLANTED_FAULT=%s PLANTED_LISTEN=%s; "+wrapper, dir, f, address,
			os.Args[0]),
	}
	if f == leavesGroup {
		t.Cleanup(func() { endProgram(t, filepath.Join(dir, "pid")) })
	}
	if f == inProcess {
		e, err := sdk.New(sdk.Config{Data: dir, Name: "correct"}, worker{}) // makes its secret
		if err == nil {
			err = e.Start(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		o.Token, o.Work = e.Secret(), work()
		e.Stop()
	}
	return o
}

// endProgram kills a program that has left its group.
func endProgram(t *testing.T, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(raw))
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Each fault of restarts is found by its rule.
func TestRestartFaults(t *testing.T) {
	t.Parallel()
	for f, rule := range restartFaults() {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			o := options(t, f, direct)
			o.Only = []string{rule}
			found := check(t, o).Findings[0]
			if found.Result != conform.Fail || found.Why == "" || found.Remedy == "" {
				t.Fatalf("%+v", found)
			}
			t.Log(found.Why)
		})
	}
}

// The Go SDK and the planted executor without a fault keep the rules of restarts too.
func TestRestarts(t *testing.T) {
	t.Parallel()
	for _, f := range []fault{"", "release-lost", inProcess} {
		t.Run("program "+string(f), func(t *testing.T) {
			t.Parallel()
			o := options(t, f, direct)
			for _, name := range conform.Names() {
				if needsStart(name) {
					o.Only = append(o.Only, name)
				}
			}
			for _, found := range check(t, o).Findings {
				if found.Result != conform.Pass {
					t.Errorf("%s: %s %s", found.Rule, found.Result, found.Why)
				}
			}
		})
	}
}

// A wrapper around the executor may end before it or after it: what counts is the executor.
func TestWrappers(t *testing.T) {
	t.Parallel()
	for name, wrapper := range map[string]string{
		"ends first": endsFirst, "waits": waits, "outlives the executor": outlivesWork,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, "", wrapper)
			o.Only = []string{"restart.identity", "restart.running", "freeze.lease", "drain.refuses"}
			for _, found := range check(t, o).Findings {
				if found.Result != conform.Pass {
					t.Errorf("%s: %s %s", found.Rule, found.Result, found.Why)
				}
			}
		})
	}
}

// An executor that crashed is started again for the next rule, although its wrapper lives.
func TestCrashBehindWrapper(t *testing.T) {
	t.Parallel()
	o := options(t, "run-crashes", outlivesWork)
	o.Only = []string{"run.handler", "life.whole"}
	r := check(t, o)
	if r.Findings[0].Result != conform.Fail || r.Findings[1].Result != conform.Pass {
		t.Errorf("%+v", r.Findings)
	}
}

// Signals do not reach an executor that has left the process group of its wrapper, and the finding says so.
func TestProgramLeavesGroup(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"freeze.lease", "restart.identity"} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			o := options(t, leavesGroup, waits)
			o.Only = []string{rule}
			found := check(t, o).Findings[0]
			if found.Result != conform.Fail || !strings.Contains(found.Why, "has left the group") {
				t.Errorf("%+v", found)
			}
		})
	}
}

// A fault that makes later rules senseless is found once, and what follows from it is not checked. Each finding is
// reported as soon as it is there.
func TestSenseless(t *testing.T) {
	t.Parallel()
	var reported []string
	r := check(t, conform.Options{
		Target: startPlanted(t, "poll-tells-nothing"), Work: plantedWork(), Patience: 2 * time.Second,
		Only:  []string{"describe.identity", "life.whole", "kill.ends", "poll.limit"},
		Found: func(_ *conform.Report, f conform.Finding) { reported = append(reported, f.Rule+" "+string(f.Result)) },
	})
	want := "describe.identity pass, life.whole fail, kill.ends unchecked, poll.limit unchecked"
	if got := strings.Join(reported, ", "); got != want || len(r.Findings) != len(reported) {
		t.Errorf("%s, want %s", got, want)
	}
}

// A program that cannot be started is no executor that breaks rules.
func TestProgramThatEnds(t *testing.T) {
	t.Parallel()
	o := options(t, "", direct)
	o.Start = "echo there is no such file; exit 3"
	if _, err := conform.Check(t.Context(), o); err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("%v", err)
	}
}
