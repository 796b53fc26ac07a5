// Package conform is for those who write an executor: it calls one without a server, and checks it against the contract
// of thrift/hivego.thrift, rule by rule.
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

// Options say what may be called, and how patient the check is.
type Options struct {
	Target

	Work     Work
	Only     []string      // names of rules; empty: all
	Patience time.Duration // for one rule; default one minute
}

// Work names a handler, and params of it: JSON objects that it may safely be called with, again and again.
type Work struct {
	Handler string
	Good    string // succeeds soon
	Bad     string // fails soon; empty: rules about failures are not checked
	// goes on for a minute unless it is killed; empty: rules about kills, timeouts and leases are not checked
	Long string
}

// Result is what a check found.
type Result string

// The results.
const (
	Pass      Result = "pass"
	Fail      Result = "fail"
	Unchecked Result = "unchecked"
)

// NotDurable is why the rules of durable executors are not checked.
const NotDurable = "describe does not say that it is durable"

// Finding is the result of one rule.
type Finding struct {
	Rule   string `json:"rule"`
	Says   string `json:"says"`
	Result Result `json:"result"`
	Why    string `json:"why,omitempty"`    // with fail and unchecked
	Remedy string `json:"remedy,omitempty"` // with fail
}

// Report is the result of all rules, in their order.
type Report struct {
	Executor string    `json:"executor"` // executorId
	Name     string    `json:"name"`
	Durable  bool      `json:"durable"`
	Handler  string    `json:"handler"`
	Findings []Finding `json:"findings"`
}

// Count is the number of findings with a result.
func (r *Report) Count(what Result) int {
	n := 0
	for _, f := range r.Findings {
		if f.Result == what {
			n++
		}
	}
	return n
}

const defaultPatience = time.Minute

// Check calls the executor and answers what it found. An error means that nothing could be checked.
func Check(ctx context.Context, o Options) (*Report, error) {
	o.Target = o.Target.complete()
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	d, err := Describe(ctx, o.Target)
	if err != nil {
		return nil, err
	}
	if o.Work, err = choose(o.Work, d); err != nil {
		return nil, err
	}
	chosen, err := choice(o.Only)
	if err != nil {
		return nil, err
	}
	p := &probe{Options: o, described: d}
	p.ids.Store(time.Now().UnixMicro()) // above all ids that a server, or an earlier check, has used here
	out := &Report{Executor: d.GetExecutorId(), Name: d.GetName(), Durable: d.GetDurable(), Handler: o.Work.Handler}
	for _, r := range chosen {
		out.Findings = append(out.Findings, p.judge(ctx, r))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return out, nil
}

// shellWork is what the stock executor's handler is called with.
func shellWork() Work {
	return Work{
		Handler: "shell",
		Good:    `{"command": "echo conformance; echo answer=42 >> \"$HIVEGO_OUTPUT\""}`,
		Bad:     `{"command": "exit 3"}`,
		Long:    `{"command": "exec sleep 60"}`,
	}
}

// choose completes what is to be called from what the executor offers.
func choose(w Work, d *hivego.DescribeReply) (Work, error) {
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
	for what, text := range map[string]string{"params": w.Good, "params that fail": w.Bad, "params that last": w.Long} {
		var object map[string]any
		if text != "" && json.Unmarshal([]byte(text), &object) != nil {
			return w, fmt.Errorf("%s: %s is not a JSON object", what, text)
		}
	}
	return w, nil
}

// rule is one sentence of the contract, and how it is checked.
type rule struct {
	name    string
	says    string
	remedy  string
	durable bool // only for executors that say so
	check   func(ctx context.Context, p *probe) error
}

// choice answers the rules of these names, in the order of the contract.
func choice(names []string) ([]rule, error) {
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

// uncheckedError says why a rule could not be checked.
type uncheckedError struct{ words string }

func (e *uncheckedError) Error() string { return e.words }

func unchecked(words string) error { return &uncheckedError{words} }

// probe is what the rules check with.
type probe struct {
	Options

	described *hivego.DescribeReply
	ids       atomic.Int64
}

// judge checks one rule.
func (p *probe) judge(ctx context.Context, r rule) Finding {
	f := Finding{Rule: r.name, Says: r.says, Result: Pass}
	if r.durable && !p.described.GetDurable() {
		f.Result, f.Why = Unchecked, NotDurable
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, p.Patience)
	defer cancel()
	err := r.check(ctx, p)
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

// assignment is a new attempt with the least that an executor needs to know.
func (p *probe) assignment(params string) *hivego.Assignment {
	return &hivego.Assignment{
		AttemptId: new(p.ids.Add(1)), Handler: &p.Work.Handler, ParamsJson: &params,
		Schedule: new("conformance"), Job: new("job"), Task: new("task"),
		Number: new(int32(1)), Round: new(int32(1)), Workspace: new("conformance"),
		KillGraceMillis: new(killGrace.Milliseconds()),
	}
}

const killGrace = 2 * time.Second
