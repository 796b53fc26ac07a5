package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// run runs one attempt on a new connection.
func (p *probe) run(ctx context.Context, c *hivego.Caller, a *hivego.Assignment) (*hivego.Outcome, error) {
	l, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	r, err := l.Run(ctx, &hivego.RunCall{Caller: c, Assignment: a})
	if err != nil {
		return nil, err
	}
	return outcomeOf(r), nil
}

// expectOutcome runs an attempt, and returns an error if its outcome has another kind.
func (p *probe) expectOutcome(
	ctx context.Context, a *hivego.Assignment, kind hivego.OutcomeKind,
) (*hivego.Outcome, error) {
	o, err := p.run(ctx, p.caller(), a)
	if err != nil {
		return nil, reported(ctx, err)
	}
	return o, isKind(o, kind)
}

func isKind(o *hivego.Outcome, kind hivego.OutcomeKind) error {
	if !o.IsSetKind() {
		return errors.New("the answer has no outcome")
	}
	if o.GetKind() != kind {
		return fmt.Errorf("the outcome is %v (%s), not %v", o.GetKind(), o.GetError(), kind)
	}
	return nil
}

// expectFailure runs an attempt, and returns an error if it does not fail with an error or an exit code.
func (p *probe) expectFailure(ctx context.Context, a *hivego.Assignment) error {
	o, err := p.run(ctx, p.caller(), a)
	if err != nil {
		return reported(ctx, err)
	}
	return isFailure(o)
}

// isFailure returns an error if an outcome is no failure, or does not say why.
func isFailure(o *hivego.Outcome) error {
	if err := isKind(o, hivego.OutcomeKind_FAILURE); err != nil {
		return err
	}
	if o.GetError() == "" && !o.IsSetExitCode() {
		return errors.New("the outcome says neither why (error) nor an exit code")
	}
	return nil
}

func runSuccess(ctx context.Context, p *probe) error {
	o, err := p.expectOutcome(ctx, p.assignment(p.Work.Good), hivego.OutcomeKind_SUCCESS)
	if err != nil {
		return err
	}
	if err := checkTimes(o); err != nil {
		return err
	}
	return p.checkOutputs(o)
}

// checkTimes checks the start and end time of an attempt.
func checkTimes(o *hivego.Outcome) error {
	from, to := o.GetStartedAtMillis(), o.GetFinishedAtMillis()
	switch {
	case !inMillis(from):
		return fmt.Errorf("startedAtMillis is %d", from)
	case !inMillis(to):
		return fmt.Errorf("finishedAtMillis is %d", to)
	case to < from:
		return fmt.Errorf("it finished at %d, before it started at %d", to, from)
	}
	return nil
}

func runFailure(ctx context.Context, p *probe) error {
	if p.Work.Bad == "" {
		return unchecked("name params with which the handler fails")
	}
	return p.expectFailure(ctx, p.assignment(p.Work.Bad))
}

// expectRefusal runs an attempt that can never run here. It returns an error if that is neither a failure nor a BadCall
// with a message.
func (p *probe) expectRefusal(ctx context.Context, a *hivego.Assignment) error {
	o, err := p.run(ctx, p.caller(), a)
	if bad, ok := errors.AsType[*hivego.BadCall](err); ok {
		if bad.GetMessage() == "" {
			return errors.New("the BadCall has no message")
		}
		return nil
	}
	if err != nil {
		return reported(ctx, err)
	}
	return isFailure(o)
}

func runHandler(ctx context.Context, p *probe) error {
	a := p.assignment(p.Work.Good)
	a.Handler = new("no-such-handler")
	return p.expectRefusal(ctx, a)
}

func runParams(ctx context.Context, p *probe) error {
	for _, params := range []string{`["not", "an", "object"]`, `{"broken`} {
		if err := p.expectRefusal(ctx, p.assignment(params)); err != nil {
			return fmt.Errorf("with params %s: %w", params, err)
		}
	}
	if !p.hasRequired() {
		return nil
	}
	if err := p.expectRefusal(ctx, p.assignment(`{}`)); err != nil {
		return fmt.Errorf("with params {}, which lack what the schema requires: %w", err)
	}
	return nil
}

func runReason(ctx context.Context, p *probe) error {
	a := p.assignment(p.Work.Good)
	a.Handler = new("no-such-handler")
	for _, assignment := range []*hivego.Assignment{p.assignment(p.Work.Good), a} {
		o, err := p.run(ctx, p.caller(), assignment)
		if isA[*hivego.BadCall](err) {
			continue // it has no outcome
		}
		if err != nil {
			return reported(ctx, err)
		}
		size := 0
		for name, value := range o.GetParams() {
			size += len(name) + len(value)
		}
		switch {
		case o.GetReason() != "" && o.GetError() == "":
			return errors.New("the outcome has a reason, and no error")
		case o.GetReason() == "" && len(o.GetParams()) > 0:
			return errors.New("the outcome has params, and no reason")
		case len(o.GetReason()) > hivego.MAX_NAME_BYTES:
			return fmt.Errorf("the reason has %d bytes", len(o.GetReason()))
		case size > hivego.MAX_ERROR_BYTES:
			return fmt.Errorf("the params have %d bytes", size)
		}
	}
	return nil
}

// hasRequired reports whether the handler's schema has required fields.
func (p *probe) hasRequired() bool {
	for _, h := range p.described.GetHandlers() {
		if h.GetName() != p.Work.Handler {
			continue
		}
		var schema struct {
			Required []string `json:"required"`
		}
		return json.Unmarshal([]byte(h.GetParamsSchema()), &schema) == nil && len(schema.Required) > 0
	}
	return false
}

func runSparse(ctx context.Context, p *probe) error {
	_, err := p.expectOutcome(ctx, &hivego.Assignment{
		AttemptId: new(p.ids.Add(1)), Handler: &p.Work.Handler, ParamsJson: &p.Work.Good,
	}, hivego.OutcomeKind_SUCCESS)
	return err
}

func runEmpty(ctx context.Context, p *probe) error {
	l, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	r, err := l.Run(ctx, &hivego.RunCall{Caller: p.caller()})
	switch {
	case err == nil && outcomeOf(r).GetKind() == hivego.OutcomeKind_FAILURE: // also an orderly refusal
	case err == nil:
		return errors.New("run without an assignment was answered as if there were one")
	case !isA[*hivego.BadCall](err):
		return reported(ctx, err)
	}
	if _, err := l.Describe(ctx, &hivego.DescribeCall{Caller: p.caller()}); err != nil {
		return fmt.Errorf("the next call on this connection: %w", reported(ctx, err))
	}
	return nil
}
