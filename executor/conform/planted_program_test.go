package conform_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
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

// options makes the options of a check that starts a program.
func options(t *testing.T, f fault) conform.Options {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, dir := listener.Addr().String(), t.TempDir()
	_ = listener.Close()
	o := conform.Options{
		Target: conform.Target{Address: address, Token: plantedToken}, Work: plantedWork(), Patience: plantedPatience,
		Start: fmt.Sprintf("PLANTED_DIR=%s PLANTED_FAULT=%s PLANTED_LISTEN=%s exec %s", dir, f, address, os.Args[0]),
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

// Each fault of restarts is found by its rule.
func TestRestartFaults(t *testing.T) {
	t.Parallel()
	for f, rule := range restartFaults() {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			o := options(t, f)
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
	for _, f := range []fault{"", inProcess} {
		t.Run("program "+string(f), func(t *testing.T) {
			t.Parallel()
			o := options(t, f)
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
	o := options(t, "")
	o.Start = "echo there is no such file; exit 3"
	if _, err := conform.Check(t.Context(), o); err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("%v", err)
	}
}
