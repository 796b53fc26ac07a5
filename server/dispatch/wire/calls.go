package wire

import (
	"context"
	"errors"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Limits returns the limits of the contract for the calls of a fleet.
func Limits() fleet.Limits {
	return fleet.Limits{
		Assignments: hivego.MAX_ASSIGNMENTS, SubmitBytes: hivego.MAX_SUBMIT_BYTES, Attached: hivego.MAX_ATTACHED,
		KillOrders: hivego.MAX_KILL_ORDERS,
	}
}

// Caller identifies a server and its session to an executor.
type Caller struct {
	Token, Cluster, Server, Session string
	Epoch                           int64
}

func (c Caller) wire() *hivego.Caller {
	return &hivego.Caller{
		Token: &c.Token, ClusterId: &c.Cluster, ServerId: &c.Server, Epoch: &c.Epoch, Session: &c.Session,
	}
}

// Make makes one call of a session. It ends with ctx, or when the time for the call is over.
func (x *Client) Make(ctx context.Context, from Caller, call fleet.SessionCall) fleet.Answer {
	return x.makeWith(ctx, from, call, nil)
}

// Submit makes a submit call with the secrets of its assignments.
func (x *Client) Submit(ctx context.Context, from Caller, call *fleet.SubmitCall, parts Confidentials) fleet.Answer {
	return x.makeWith(ctx, from, call, parts)
}

func (x *Client) makeWith(ctx context.Context, from Caller, call fleet.SessionCall, parts Confidentials) fleet.Answer {
	limit := callTimeout
	switch c := call.(type) {
	case *fleet.PollCall:
		limit += c.Wait
	case *fleet.DescribeCall:
		limit = describeTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if c, ok := call.(*fleet.DescribeCall); ok {
		d, err := x.describe(ctx, c.Executor, from)
		if err != nil {
			return &fleet.Unanswered{Call: c, Failure: failureOf(err)}
		}
		return &fleet.DescribeAnswer{Call: c, Description: *d}
	}
	var answer fleet.Answer
	err := x.use(ctx, *call.Recipient(), lineOf(call), func(c *conn) (err error) {
		answer, err = c.call(ctx, from, call, parts)
		return err
	})
	switch failed, attach := answer.(*fleet.AttachFailure); {
	case err == nil:
		return answer
	case attach && failed != nil:
		failed.Failure = failureOf(err)
		return failed
	default:
		return &fleet.Unanswered{Call: call, Failure: failureOf(err)}
	}
}

// call makes one call. With an error, the answer is nil or, if the executor has described itself, an AttachFailure.
func (c *conn) call(ctx context.Context, from Caller, call fleet.SessionCall, parts Confidentials) (
	fleet.Answer, error,
) {
	switch call := call.(type) {
	case *fleet.AttachCall:
		return c.attach(ctx, from, call)
	case *fleet.SubmitCall:
		return c.submit(ctx, from, call, parts)
	case *fleet.KillCall:
		return c.kill(ctx, from, call)
	case *fleet.PollCall:
		return c.poll(ctx, from, call)
	default:
		return nil, errors.ErrUnsupported
	}
}

// attach asks an executor for its description, measures its clock, and takes attempts over.
func (c *conn) attach(ctx context.Context, from Caller, call *fleet.AttachCall) (fleet.Answer, error) {
	d, err := c.describe(ctx, from)
	if err != nil {
		return nil, err
	}
	if !d.Fits(&call.Executor) {
		return nil, errOtherExecutor
	}
	if call.Executor.Origin == hive.OriginAddress && !d.Durable {
		return &fleet.AttachFailure{Call: call, Description: *d}, errNoLongerDurable
	}
	orphan := call.OrphanTimeout.Milliseconds()
	ids, keys := idsAndKeys(call.Attempts)
	r, err := c.client.Attach(ctx, &hivego.AttachCall{
		Caller: from.wire(), AttemptIds: ids, Keys: keys, OrphanTimeoutMillis: &orphan,
	})
	if err != nil {
		return &fleet.AttachFailure{Call: call, Description: *d}, callError("attach", err)
	}
	return &fleet.AttachAnswer{
		Call: call, Description: *d, BootID: r.GetBootId(), Load: loadOf(r.GetLoad()),
		Reports: reports(r.GetAttempts()), Others: others(r.GetOthers()),
	}, nil
}

func (c *conn) submit(
	ctx context.Context, from Caller, call *fleet.SubmitCall, parts Confidentials,
) (*fleet.SubmitAnswer, error) {
	in := &hivego.SubmitCall{Caller: from.wire(), Assignments: make([]*hivego.Assignment, len(call.Assignments))}
	if call.LastAnswer > 0 {
		in.LastAnswer = &call.LastAnswer
	}
	for i := range call.Assignments {
		a := &call.Assignments[i]
		in.Assignments[i] = wireAssignment(a, parts[a.Ref()])
		if call.LogLimit > 0 {
			in.Assignments[i].LogLimitBytes = &call.LogLimit
		}
	}
	r, err := c.client.Submit(ctx, in)
	if err != nil {
		return nil, callError("submit", err)
	}
	a := &fleet.SubmitAnswer{Call: call, Load: loadOf(r.GetLoad())}
	for _, l := range r.GetReceipts() {
		if ref, ok := refOf(l); ok {
			words := sentenceOf(l.GetWords(), l)
			a.Receipts = append(a.Receipts, fleet.Receipt{Attempt: ref, Code: codeOf(l.GetCode()), Words: words})
		}
	}
	return a, nil
}

func (c *conn) kill(ctx context.Context, from Caller, call *fleet.KillCall) (*fleet.KillAnswer, error) {
	in := &hivego.KillCall{Caller: from.wire(), Orders: make([]*hivego.KillOrder, len(call.Orders))}
	for i := range call.Orders {
		o := &call.Orders[i]
		grace, reason := o.Grace.Milliseconds(), string(o.Reason)
		in.Orders[i] = &hivego.KillOrder{AttemptId: &o.Attempt, Key: &o.Key, GraceMillis: &grace, Reason: &reason}
	}
	r, err := c.client.Kill(ctx, in)
	if err != nil {
		return nil, callError("kill", err)
	}
	a := &fleet.KillAnswer{Call: call}
	for _, s := range r.GetStatuses() {
		ref, ok := refOf(s)
		if !ok {
			continue
		}
		report := fleet.Report{Attempt: ref, State: fleet.AttemptRunning}
		switch s.GetCode() {
		case hivego.KillCode_FORGOTTEN:
			report.State = fleet.AttemptForgotten
		case hivego.KillCode_STALE:
			report.State = fleet.AttemptStale
		case hivego.KillCode_ENDED:
			report.State = fleet.AttemptEnded
		}
		a.Reports = append(a.Reports, report)
	}
	return a, nil
}

func (c *conn) poll(ctx context.Context, from Caller, call *fleet.PollCall) (*fleet.PollAnswer, error) {
	wait, orphan, most := call.Wait.Milliseconds(), call.OrphanTimeout.Milliseconds(), int32(hivego.MAX_EVENTS)
	in := &hivego.PollCall{
		Caller: from.wire(), WaitMillis: &wait, LastAnswer: &call.LastAnswer, OrphanTimeoutMillis: &orphan,
		MaxEvents: &most,
	}
	in.Releases, in.ReleaseKeys = idsAndKeys(call.Releases)
	for attempt, seq := range call.Acks {
		in.Acks = append(in.Acks, &hivego.Ack{AttemptId: &attempt.ID, Key: &attempt.Key, Seq: &seq})
	}
	r, err := c.client.Poll(ctx, in)
	if err != nil {
		return nil, callError("poll", err)
	}
	a := &fleet.PollAnswer{Call: call, BootID: r.GetBootId(), Number: r.GetAnswer(), Load: loadOf(r.GetLoad())}
	for _, ev := range r.GetEvents() {
		if e, ok := eventOf(ev); ok {
			a.Events = append(a.Events, e)
		}
	}
	return a, nil
}
