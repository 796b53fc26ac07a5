package dispatch

import (
	"cmp"
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// caller is who calls an executor.
type caller struct {
	token, cluster, server, session string
	epoch                           int64
}

func (c caller) wire() *hivego.Caller {
	return &hivego.Caller{
		Token: &c.token, ClusterId: &c.cluster, ServerId: &c.server, Epoch: &c.epoch,
		Session: &c.session,
	}
}

// attach asks who is there, measures its clock, and takes attempts over.
func (x *conn) attach(ctx context.Context, cl caller, c Call) (Answer, error) {
	d, err := x.describe(ctx, cl)
	if err != nil {
		return Answer{}, err
	}
	if !d.fits(&c.Executor) {
		return Answer{}, errOther
	}
	a := Answer{Description: d, Offset: d.Offset, Measured: d.Measured}
	if c.Executor.Origin == hive.OriginAddress && !d.Durable {
		return a, errTurned
	}
	orphan := c.Orphan.Milliseconds()
	ids, keys := split(c.Attach)
	r, err := x.client.Attach(ctx, &hivego.AttachCall{
		Caller: cl.wire(), AttemptIds: ids, Keys: keys, OrphanTimeoutMillis: &orphan,
	})
	if err != nil {
		return a, spoken("attach", err)
	}
	a.Boot = r.GetBootId()
	a.load(r.GetLoad())
	a.Reports, a.Others = reports(r.GetAttempts()), reports(r.GetOthers())
	return a, nil
}

// split are the ids and the keys of attempts, as the contract lists them.
func split(refs []hive.AttemptRef) (ids []int64, keys []string) {
	for _, r := range refs {
		ids, keys = append(ids, r.ID), append(keys, r.Key)
	}
	return ids, keys
}

func (a *Answer) load(l *hivego.Load) {
	if l != nil {
		a.HasLoad, a.Draining, a.Running = true, l.GetDraining(), int(l.GetRunning())
		a.Excuse = hive.Clean(l.GetWords(), maxSpoken)
	}
}

func reports(in []*hivego.AttemptReport) []Report {
	out := make([]Report, 0, len(in))
	for _, r := range in {
		ref, ok := refOf(r)
		if !ok {
			continue
		}
		rep := Report{
			Attempt: ref, BatchID: r.GetBatchId(),
			Schedule: hive.Clean(r.GetSchedule(), maxLabel), Task: hive.Clean(r.GetTask(), maxLabel),
		}
		switch r.GetState() {
		case hivego.AttemptState_RUNNING:
			rep.State = ReportRunning
		case hivego.AttemptState_ENDED:
			rep.State = ReportEnded
		case hivego.AttemptState_LOST:
			rep.State = ReportLost
			rep.Words = wordsUnsaid
			if o := r.GetOutcome(); o != nil {
				rep.Words = cmp.Or(o.GetError(), wordsUnsaid)
			}
		case hivego.AttemptState_FORGOTTEN:
			rep.State = ReportForgotten
		default:
			continue
		}
		out = append(out, rep)
	}
	return out
}

func (x *conn) submit(ctx context.Context, cl caller, c Call) (Answer, error) {
	call := &hivego.SubmitCall{Caller: cl.wire(), Assignments: make([]*hivego.Assignment, len(c.Submit))}
	if c.LastAnswer > 0 {
		call.LastAnswer = &c.LastAnswer
	}
	for i := range c.Submit {
		call.Assignments[i] = wireAssignment(&c.Submit[i])
		if c.LogLimit > 0 {
			call.Assignments[i].LogLimitBytes = &c.LogLimit
		}
	}
	r, err := x.client.Submit(ctx, call)
	if err != nil {
		return Answer{}, spoken("submit", err)
	}
	a := Answer{}
	a.load(r.GetLoad())
	for _, l := range r.GetReceipts() {
		ref, ok := refOf(l)
		if !ok {
			continue
		}
		a.Receipts = append(a.Receipts, ReceiptLine{Attempt: ref, Receipt: receiptOf(l.GetCode()), Words: l.GetWords()})
	}
	return a, nil
}

// refOf is the attempt that a line of an answer is of; false: no server made its key, so the line is passed over.
func refOf(line interface {
	GetAttemptId() int64
	GetKey() string
},
) (hive.AttemptRef, bool) {
	ref := hive.AttemptRef{ID: line.GetAttemptId(), Key: line.GetKey()}
	return ref, ref.Valid()
}

func receiptOf(c hivego.ReceiptCode) Receipt {
	switch c {
	case hivego.ReceiptCode_STARTED:
		return ReceiptStarted
	case hivego.ReceiptCode_BUSY:
		return ReceiptBusy
	case hivego.ReceiptCode_DRAINING:
		return ReceiptDraining
	case hivego.ReceiptCode_REFUSED:
		return ReceiptRefused
	case hivego.ReceiptCode_STALE:
		return ReceiptStale
	case hivego.ReceiptCode_FORGOTTEN:
		return ReceiptForgotten
	default:
		return ""
	}
}

func wireAssignment(a *hive.Assignment) *hivego.Assignment {
	params, values := string(a.Params), string(a.Values)
	number, round := int32(a.Number), int32(a.Round)
	timeout, grace, moment := a.Timeout.Milliseconds(), a.KillGrace.Milliseconds(), a.Moment.UnixMilli()
	return &hivego.Assignment{
		AttemptId: &a.Attempt, Key: &a.Key, Handler: &a.Handler, ParamsJson: &params, Env: a.Env, ValuesJson: &values,
		RunId: &a.RunID, BatchId: &a.BatchID, Schedule: &a.Schedule, Job: &a.Job, Task: &a.Task, Number: &number,
		Round: &round, TimeoutMillis: &timeout, KillGraceMillis: &grace, MomentMillis: &moment, Workspace: &a.Workspace,
	}
}

func (x *conn) kill(ctx context.Context, cl caller, c Call) (Answer, error) {
	call := &hivego.KillCall{Caller: cl.wire(), Orders: make([]*hivego.KillOrder, len(c.Kill))}
	for i := range c.Kill {
		o := &c.Kill[i]
		grace, reason := o.Grace.Milliseconds(), string(o.Reason)
		call.Orders[i] = &hivego.KillOrder{AttemptId: &o.Attempt, Key: &o.Key, GraceMillis: &grace, Reason: &reason}
	}
	r, err := x.client.Kill(ctx, call)
	if err != nil {
		return Answer{}, spoken("kill", err)
	}
	a := Answer{}
	for _, s := range r.GetStatuses() {
		ref, ok := refOf(s)
		if !ok {
			continue
		}
		rep := Report{Attempt: ref, State: ReportRunning}
		switch s.GetCode() {
		case hivego.KillCode_FORGOTTEN:
			rep.State = ReportForgotten
		case hivego.KillCode_STALE:
			rep.State = ReportStale
		case hivego.KillCode_ENDED:
			rep.State = ReportEnded
		}
		a.Reports = append(a.Reports, rep)
	}
	return a, nil
}

func (x *conn) poll(ctx context.Context, cl caller, c Call) (Answer, error) {
	wait, orphan, most := c.Wait.Milliseconds(), c.Orphan.Milliseconds(), int32(maxEvents)
	call := &hivego.PollCall{
		Caller: cl.wire(), WaitMillis: &wait, LastAnswer: &c.LastAnswer, OrphanTimeoutMillis: &orphan, MaxEvents: &most,
	}
	call.Releases, call.ReleaseKeys = split(c.Releases)
	for attempt, seq := range c.Acks {
		call.Acks = append(call.Acks, &hivego.Ack{AttemptId: &attempt.ID, Key: &attempt.Key, Seq: &seq})
	}
	r, err := x.client.Poll(ctx, call)
	if err != nil {
		return Answer{}, spoken("poll", err)
	}
	a := Answer{Boot: r.GetBootId(), Number: r.GetAnswer()}
	a.load(r.GetLoad())
	for _, ev := range r.GetEvents() {
		if e, ok := eventOf(ev); ok {
			a.Events = append(a.Events, e)
		}
	}
	return a, nil
}

func eventOf(ev *hivego.Event) (hive.AttemptEvent, bool) {
	ref, ok := refOf(ev)
	if !ok {
		return hive.AttemptEvent{}, false
	}
	e := hive.AttemptEvent{Attempt: ref.ID, Key: ref.Key, Seq: ev.GetSeq(), At: millis(ev.GetAtMillis())}
	switch ev.GetKind() {
	case hivego.EventKind_STARTED:
		e.Kind = hive.EventStarted
	case hivego.EventKind_PROGRESS:
		e.Kind, e.Progress = hive.EventProgress, min(max(ev.GetProgress(), 0), 1)
	case hivego.EventKind_ENDED:
		e.Kind = hive.EventEnded
		outcome(&e, ev.GetOutcome())
	default:
		return e, false
	}
	return e, true
}

func outcome(e *hive.AttemptEvent, o *hivego.Outcome) {
	if o == nil {
		o = &hivego.Outcome{}
	}
	e.Words, e.Outputs, e.LogBytes = o.GetError(), o.GetOutputs(), o.GetLogBytes()
	e.StartedAt, e.FinishedAt = millis(o.GetStartedAtMillis()), millis(o.GetFinishedAtMillis())
	e.NoLog = o.IsSetLogBytes() && e.LogBytes == 0
	if o.IsSetExitCode() {
		code := int(o.GetExitCode())
		e.ExitCode = &code
	}
	switch o.GetKind() {
	case hivego.OutcomeKind_SUCCESS:
		e.Outcome = hive.OutcomeSuccess
	case hivego.OutcomeKind_TIMEOUT:
		e.Outcome = hive.OutcomeTimeout
	case hivego.OutcomeKind_KILLED:
		e.Outcome = hive.OutcomeKilled
	case hivego.OutcomeKind_LOST:
		e.Kind = hive.EventLost
		e.Words = cmp.Or(e.Words, wordsUnsaid)
	case hivego.OutcomeKind_FAILURE:
		e.Outcome = hive.OutcomeFailure
	default: // newer than this server: not a success that we know of
		e.Outcome = hive.OutcomeFailure
		if e.Words == "" {
			e.Words = "the executor ended it in a way that this server does not know"
		}
	}
}

func millis(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
