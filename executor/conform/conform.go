// Package conform is for authors of executors. It calls an executor without a server, and checks it against the rules
// of the contract in thrift/hivego.thrift.
package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Options configure a check.
type Options struct {
	Target

	Work     Work
	Only     []string      // names of rules; empty: all
	Patience time.Duration // for one rule; default one minute
	// Start is a shell command that starts the executor at the address of Target. If it is set, the check starts,
	// kills, freezes and stops the executor itself. Otherwise rules about restarts are not checked.
	Start string
	// Found gets each finding as soon as it is there, with the report so far; nil: it is not needed.
	Found func(*Report, Finding)
}

// Work is a handler and params for it. Params are JSON objects. The check calls the handler with them many times, so
// they must do no harm.
type Work struct {
	Handler string
	Good    string // params that succeed soon
	Bad     string // params that fail soon; empty: rules about failures are not checked
	// Long are params that run for a minute unless the work is killed. Their work writes a line every second or more
	// often; otherwise nobody sees whether it goes on after its end. If they are empty, rules about kills, timeouts and
	// leases are not checked.
	Long string
	// Stubborn are params of work that ignores the request to end. If they are empty, the force after the grace is not
	// checked.
	Stubborn string
	Outputs  map[string]string // outputs of the work that succeeds
	Lines    []string          // ends of lines that it writes, in their order
}

// Result is the result of checking one rule.
type Result string

// The results.
const (
	Pass      Result = "pass"
	Fail      Result = "fail"
	Unchecked Result = "unchecked"
)

// NotDurable is the reason for Unchecked if a rule is for durable executors and the executor is not durable.
const NotDurable = "describe does not say that it is durable"

// Finding is the result of one rule.
type Finding struct {
	Rule        string `json:"rule"`
	Requirement string `json:"says"`
	Result      Result `json:"result"`
	Why         string `json:"why,omitempty"`    // with Fail and Unchecked
	Remedy      string `json:"remedy,omitempty"` // with Fail
	Millis      int64  `json:"millis"`           // how long the check took
}

// Report is the result of all rules, in their order.
type Report struct {
	Executor string    `json:"executor"` // executorId
	Name     string    `json:"name"`
	Durable  bool      `json:"durable"`
	Handler  string    `json:"handler"`
	Findings []Finding `json:"findings"`
}

// Count returns the number of findings with a result.
func (r *Report) Count(result Result) int {
	n := 0
	for _, f := range r.Findings {
		if f.Result == result {
			n++
		}
	}
	return n
}

const defaultPatience = time.Minute

// Check checks an executor. It returns an error if no rule could be checked. If ctx ends, it returns the findings so
// far beside the error.
func Check(ctx context.Context, o Options) (*Report, error) {
	o.Target = o.Target.complete()
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	selected, err := selectRules(o.Only)
	if err != nil {
		return nil, err
	}
	p := &probe{Options: o, broken: map[string]bool{}}
	if o.Start != "" {
		p.program = &program{command: o.Start, target: o.Target}
		defer p.program.stop()
		err = p.startProgram(ctx)
	} else {
		p.described, err = Describe(ctx, o.Target)
	}
	if err != nil {
		return nil, err
	}
	if p.Work, err = completeWork(o.Work, p.described); err != nil {
		return nil, err
	}
	p.ids.Store(time.Now().UnixMicro()) // greater than the ids that a server or an earlier check has used
	d := p.described
	out := &Report{
		Executor: d.GetExecutorId(), Name: d.GetName(), Durable: d.GetDurable(), Handler: p.Work.Handler,
	}
	for _, r := range selected {
		f := p.check(ctx, r)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out.Findings = append(out.Findings, f)
		if o.Found != nil {
			o.Found(out, f)
		}
		if f.Result == Fail {
			p.broken[r.name] = true
			p.senseless = p.recover(ctx, r)
		}
	}
	return out, nil
}

// shellWork returns the default work for the handler shell of the stock executor.
func shellWork() Work {
	return Work{
		Handler: "shell",
		Good:    `{"command": "echo conformance; echo answer=42 >> \"$HIVEGO_OUTPUT\""}`,
		Bad:     `{"command": "exit 3"}`,
		Long: `{"command": "echo 0.5 > \"$HIVEGO_PROGRESS\"; ` +
			`(i=0; while [ $i -lt 240 ]; do echo goes on; sleep 0.25; i=$((i+1)); done) & wait"}`,
		Stubborn: `{"command": "trap '' TERM; i=0; while [ $i -lt 60 ]; do sleep 1; i=$((i+1)); done"}`,
		Outputs:  map[string]string{"answer": "42"},
		Lines:    []string{"out conformance"},
	}
}

// completeWork fills in the handler and params that w does not have, if the executor offers shell. Otherwise the caller
// must name a handler.
func completeWork(w Work, d *hivego.DescribeReply) (Work, error) {
	names := make([]string, 0, len(d.GetHandlers()))
	for _, h := range d.GetHandlers() {
		names = append(names, h.GetName())
		if h.GetName() == "shell" && w.Handler == "" {
			return shellWork(), nil
		}
	}
	if w.Handler == "" {
		return w, fmt.Errorf("name a handler that may be called, and params that it succeeds with; "+
			"this executor offers: %s", strings.Join(names, ", "))
	}
	if s := shellWork(); w.Handler == s.Handler && w.Good == "" {
		return s, nil
	}
	if w.Good == "" {
		w.Good = "{}"
	}
	for name, text := range map[string]string{
		"params": w.Good, "params that fail": w.Bad, "params that last": w.Long, "params of stubborn work": w.Stubborn,
	} {
		var object map[string]any
		if text != "" && json.Unmarshal([]byte(text), &object) != nil {
			return w, fmt.Errorf("%s: %s is not a JSON object", name, text)
		}
	}
	return w, nil
}

// rule is one requirement of the contract, and how it is checked.
type rule struct {
	name    string
	text    string // the requirement
	remedy  string
	durable bool     // only for durable executors
	after   []string // rules without which this one says nothing
	check   func(ctx context.Context, p *probe) error
}

// selectRules returns the rules with these names, and all rules if there are none.
func selectRules(names []string) ([]rule, error) {
	all := rules()
	if len(names) == 0 {
		return all, nil
	}
	var out []rule
	for _, name := range names {
		found := false
		for _, r := range all {
			if r.name == name {
				out, found = append(out, r), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no rule %q", name)
		}
	}
	return out, nil
}

// uncheckedError means that a rule could not be checked.
type uncheckedError struct{ reason string }

func (e *uncheckedError) Error() string { return e.reason }

func unchecked(reason string) error { return &uncheckedError{reason} }

// probe is the state of one check, which all rules share.
type probe struct {
	Options

	described *hivego.DescribeReply
	ids       atomic.Int64
	program   *program        // nil: the executor was started by somebody else
	broken    map[string]bool // names of rules
	senseless string          // why no rule can be checked any more; empty: they can
}

// check checks one rule.
func (p *probe) check(ctx context.Context, r rule) Finding {
	f := Finding{Rule: r.name, Requirement: r.text, Result: Pass}
	if r.durable && !p.described.GetDurable() {
		f.Result, f.Why = Unchecked, NotDurable
		return f
	}
	if why := p.blocked(r); why != "" {
		f.Result, f.Why = Unchecked, why
		return f
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, p.Patience)
	defer cancel()
	err := r.check(ctx, p)
	f.Millis = time.Since(began).Milliseconds()
	if err == nil {
		return f
	}
	if _, ok := errors.AsType[*uncheckedError](err); ok {
		f.Result, f.Why = Unchecked, err.Error()
		return f
	}
	f.Result, f.Why, f.Remedy = Fail, err.Error(), r.remedy
	return f
}

// assignment makes the assignment of a new attempt, with only the fields that an executor needs.
func (p *probe) assignment(params string) *hivego.Assignment {
	return &hivego.Assignment{
		AttemptId: new(p.ids.Add(1)), Handler: &p.Work.Handler, ParamsJson: &params,
		Schedule: new("conformance"), Job: new("job"), Task: new("task"),
		Number: new(int32(1)), Round: new(int32(1)), Workspace: new("conformance"),
		KillGraceMillis: new(killGrace.Milliseconds()),
	}
}

const killGrace = 2 * time.Second
