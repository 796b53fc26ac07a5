package conform_test

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// TestMain also checks for leaked goroutines.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PLANTED_DIR"); dir != "" {
		runProgram(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// worker is a handler whose params choose its outcome.
type worker struct{}

const workSchema = `{"type": "object", "required": ["do"],
	"properties": {"do": {"type": "string", "x-render": "plain"}}}`

func (worker) Info() sdk.Info { return sdk.Info{Name: "work", Title: "Work", ParamsSchema: workSchema} }

func (worker) Run(ctx context.Context, t *sdk.Task) error {
	var p struct {
		Do string `json:"do"`
	}
	if err := t.Decode(&p); err != nil {
		return err
	}
	t.Printf("it is to do %s", p.Do)
	switch p.Do {
	case "good":
		return t.Output("answer", "42")
	case "long":
		t.Progress(0.5)
		for ticker := time.NewTicker(50 * time.Millisecond); ; {
			select {
			case <-ticker.C:
				t.Printf("it goes on")
			case <-ctx.Done():
				ticker.Stop()
				return context.Cause(ctx)
			}
		}
	default:
		return errors.New("failed as requested")
	}
}

// correct starts an executor that complies with the contract.
func correct(t *testing.T) conform.Target {
	t.Helper()
	e, err := sdk.New(sdk.Config{Data: t.TempDir(), Name: "correct", Slots: 6}, worker{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return conform.Target{Address: e.Addr(), Token: e.Secret()}
}

func work() conform.Work {
	return conform.Work{
		Handler: "work", Good: `{"do": "good"}`, Bad: `{"do": "bad"}`, Long: `{"do": "long"}`,
		Outputs: map[string]string{"answer": "42"}, Lines: []string{"it is to do good"},
	}
}

// check runs a suite to its end.
func check(t *testing.T, o conform.Options) *conform.Report {
	t.Helper()
	r, err := conform.Check(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The Go SDK complies with every rule. The rules are checked one after another on one executor.
func TestCorrectExecutor(t *testing.T) {
	t.Parallel()
	r := check(t, conform.Options{Target: correct(t), Work: work()})
	for _, f := range r.Findings {
		// Nothing can end a function of Go from outside.
		if f.Result != conform.Pass && f.Rule != "kill.grace" && !needsStart(f.Rule) {
			t.Errorf("%s: %s %s", f.Rule, f.Result, f.Why)
		}
	}
	if len(r.Findings) != len(conform.Names()) || !r.Durable || r.Name != "correct" {
		t.Errorf("the report is incomplete: %+v", r)
	}
}

// A rule that cannot be checked is reported as unchecked.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	target := correct(t)
	r := check(t, conform.Options{
		Target: target, Work: conform.Work{Handler: "work", Good: `{"do": "good"}`},
		Only: []string{"run.success", "run.failure", "kill.ends", "timeout.kept", "lease.passed", "submit.once"},
	})
	var got []conform.Result
	for _, f := range r.Findings {
		got = append(got, f.Result)
	}
	want := []conform.Result{
		conform.Pass, conform.Unchecked, conform.Unchecked, conform.Unchecked, conform.Unchecked, conform.Pass,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// If no rule can be checked, the error names a remedy.
func TestNothingToCheck(t *testing.T) {
	t.Parallel()
	target := correct(t)
	other := target
	other.Token = "another"
	for name, c := range map[string]struct {
		o    conform.Options
		want string
	}{
		"no handler": {
			conform.Options{Target: target},
			"name a handler that may be called, and params that it succeeds with; this executor offers: work",
		},
		"no object": {
			conform.Options{Target: target, Work: conform.Work{Handler: "work", Good: "[]"}},
			"params: [] is not a JSON object",
		},
		"no such rule": {
			conform.Options{Target: target, Work: work(), Only: []string{"tidy"}},
			`there is no rule "tidy"`,
		},
		"wrong token": {conform.Options{Target: other, Work: work()}, other.Address +
			": describe: AccessDenied: wrong token; " +
			"give its token (--token-file) and its cluster (--cluster), if it has them"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := conform.Check(t.Context(), c.o)
			if err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// short is the patience for broken executors, because some never answer. A slow machine does not change that.
const short = 3 * time.Second

// An executor that leaves out all optional fields breaks rules, but does not crash the check.
func TestEmptyExecutor(t *testing.T) {
	t.Parallel()
	l := changeDescribe(func(r *hivego.DescribeReply) { *r = hivego.DescribeReply{} })
	l.run = func(context.Context, inner, *hivego.RunCall) (*hivego.RunReply, error) {
		return &hivego.RunReply{}, nil
	}
	l.correct = correct(t)
	target := startProxy(t, l, wireFault{})
	r, err := conform.Check(t.Context(),
		conform.Options{Target: target, Work: conform.Work{Handler: "work", Good: `{"do": "good"}`}})
	if err != nil || r.Count(conform.Fail) == 0 {
		t.Fatalf("%v %v", r, err)
	}
	if _, err := conform.Call(t.Context(), target, conform.Task{Handler: "work", Params: "{}"},
		io.Discard); err == nil ||
		!strings.Contains(err.Error(), "no outcome") {
		t.Errorf("call: %v", err)
	}
}
