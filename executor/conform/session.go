package conform

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// session acts as one server for a durable executor, on one connection.
type session struct {
	p      *probe
	link   *link
	caller *hivego.Caller
	orphan time.Duration // the orphan timeout
	last   int64         // number of the latest answer of a poll
	ours   map[ref]bool  // attempts that were started and not released
	ended  map[ref]event // the latest ENDED of each attempt
	boot   string
}

// ref identifies an attempt. The same id with another key is another attempt.
type ref struct {
	id  int64
	key string
}

func (r ref) String() string { return strings.TrimSuffix(fmt.Sprintf("%d-%s", r.id, r.key), "-") }

// attemptStruct is a struct of the contract that names an attempt.
type attemptStruct interface {
	GetAttemptId() int64
	GetKey() string
}

func refOf(x attemptStruct) ref {
	return ref{x.GetAttemptId(), x.GetKey()}
}

// split splits references into the two lists that a call has of them. keys is nil if all keys are empty.
func split(list []ref) (ids []int64, keys []string) {
	anyKey := false
	for _, r := range list {
		ids, keys = append(ids, r.id), append(keys, r.key)
		anyKey = anyKey || r.key != ""
	}
	if !anyKey {
		keys = nil
	}
	return ids, keys
}

// ack makes the acknowledgement of an event.
func ack(r ref, seq int64) *hivego.Ack {
	return &hivego.Ack{AttemptId: &r.id, Key: r.text(), Seq: &seq}
}

// text returns the key as a field of a call; nil if it is empty.
func (r ref) text() *string {
	if r.key == "" {
		return nil
	}
	return &r.key
}

// event is an ENDED event.
type event struct {
	seq      int64
	outcome  *hivego.Outcome
	reported int // how many answers had the event
}

const (
	sessionOrphan = 2 * time.Minute
	pollWait      = time.Second
)

// session connects as a new server.
func (p *probe) session(ctx context.Context) (*session, error) { return p.sessionOf(ctx, p.caller()) }

func (p *probe) sessionOf(ctx context.Context, c *hivego.Caller) (*session, error) {
	l, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	return &session{p: p, link: l, caller: c, orphan: sessionOrphan, ours: map[ref]bool{}, ended: map[ref]event{}}, nil
}

// attached connects as a new server and attaches, so that the server has a lease.
func (p *probe) attached(ctx context.Context) (*session, error) {
	s, err := p.session(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.attach(ctx); err != nil {
		s.link.close()
		return nil, err
	}
	return s, nil
}

// next connects with a later epoch, as the given server, or as a new one if server is empty.
func (s *session) next(ctx context.Context, server string) (*session, error) {
	c := s.p.caller()
	c.Epoch = new(s.caller.GetEpoch() + 1)
	if server != "" {
		c.ServerId = &server
	}
	return s.p.sessionOf(ctx, c)
}

func (s *session) attach(ctx context.Context, attempts ...ref) (*hivego.AttachReply, error) {
	ids, keys := split(attempts)
	r, err := s.link.Attach(ctx, &hivego.AttachCall{
		Caller: s.caller, AttemptIds: ids, Keys: keys, OrphanTimeoutMillis: new(s.orphan.Milliseconds()),
	})
	if err != nil {
		return nil, fmt.Errorf("attach: %w", reported(ctx, err))
	}
	s.boot = r.GetBootId()
	return r, nil
}

// state returns the report of attach about one attempt.
func (s *session) state(ctx context.Context, id ref) (*hivego.AttemptReport, error) {
	r, err := s.attach(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, a := range r.GetAttempts() {
		if refOf(a) == id {
			return a, nil
		}
	}
	return nil, errors.New("attach has no report for an attempt that was named")
}

// submit submits assignments and returns a receipt for each, in their order.
func (s *session) submit(ctx context.Context, list ...*hivego.Assignment) ([]*hivego.Receipt, error) {
	call := &hivego.SubmitCall{Caller: s.caller, Assignments: list}
	if s.last > 0 {
		call.LastAnswer = &s.last
	}
	r, err := s.link.Submit(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("submit: %w", reported(ctx, err))
	}
	receipts := map[ref]*hivego.Receipt{}
	for _, x := range r.GetReceipts() {
		receipts[refOf(x)] = x
		if x.GetCode() == hivego.ReceiptCode_STARTED {
			s.ours[refOf(x)] = true
		}
	}
	out := make([]*hivego.Receipt, 0, len(list))
	for _, a := range list {
		x := receipts[refOf(a)]
		if x == nil {
			return nil, fmt.Errorf("%d assignments were answered with %d receipts, and none of them is for attempt %s",
				len(list), len(r.GetReceipts()), refOf(a))
		}
		out = append(out, x)
	}
	return out, nil
}

// expectReceipt submits one assignment, and returns an error if the receipt has another code.
func (s *session) expectReceipt(ctx context.Context, a *hivego.Assignment, want hivego.ReceiptCode) error {
	list, err := s.submit(ctx, a)
	if err != nil {
		return err
	}
	return isReceipt(list[0], want)
}

func isReceipt(r *hivego.Receipt, want hivego.ReceiptCode) error {
	if r.GetCode() != want {
		return fmt.Errorf("the receipt is %v (%s), not %v", r.GetCode(), r.GetWords(), want)
	}
	return nil
}

// start submits new work.
func (s *session) start(ctx context.Context, params string) (ref, error) {
	a := s.p.assignment(params)
	return refOf(a), s.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED)
}

// pollCall has the arguments of a poll.
type pollCall struct {
	wait      time.Duration
	acks      []*hivego.Ack
	releases  []ref
	maxEvents int32
}

// poll polls and records the events. It does not acknowledge them.
func (s *session) poll(ctx context.Context, c pollCall) (*hivego.PollReply, error) {
	ids, keys := split(c.releases)
	call := &hivego.PollCall{
		Caller: s.caller, WaitMillis: new(c.wait.Milliseconds()), Acks: c.acks,
		Releases: ids, ReleaseKeys: keys, LastAnswer: &s.last,
		OrphanTimeoutMillis: new(s.orphan.Milliseconds()),
	}
	if c.maxEvents > 0 {
		call.MaxEvents = &c.maxEvents
	}
	r, err := s.link.Poll(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("poll: %w", reported(ctx, err))
	}
	s.last = r.GetAnswer()
	for _, id := range c.releases {
		delete(s.ours, id)
	}
	for _, e := range r.GetEvents() {
		if e.GetKind() != hivego.EventKind_ENDED {
			continue
		}
		id := refOf(e)
		if before := s.ended[id]; before.reported > 0 && before.seq != e.GetSeq() {
			return nil, fmt.Errorf("attempt %s has ended twice, with seq %d and %d", id, before.seq, e.GetSeq())
		}
		s.ended[id] = event{e.GetSeq(), outcomeOf(e), s.ended[id].reported + 1}
	}
	return r, nil
}

// end polls until an attempt has ended.
func (s *session) end(ctx context.Context, id ref) (event, error) {
	for {
		if e, ok := s.ended[id]; ok {
			return e, nil
		}
		if _, err := s.poll(ctx, pollCall{wait: pollWait}); err != nil {
			if ctx.Err() != nil {
				err = errors.New("poll does not report its ENDED")
			}
			return event{}, fmt.Errorf("attempt %s: %w", id, err)
		}
	}
}

// runGood runs the work that succeeds, to its end.
func (s *session) runGood(ctx context.Context) (ref, event, error) {
	id, err := s.start(ctx, s.p.Work.Good)
	if err != nil {
		return id, event{}, err
	}
	e, err := s.end(ctx, id)
	if err == nil {
		err = isKind(e.outcome, hivego.OutcomeKind_SUCCESS)
	}
	return id, e, err
}

func (s *session) kill(ctx context.Context, id ref) (hivego.KillCode, error) {
	return s.killAfter(ctx, id, killGrace)
}

// killAfter kills an attempt with a grace.
func (s *session) killAfter(ctx context.Context, id ref, grace time.Duration) (hivego.KillCode, error) {
	r, err := s.link.Kill(ctx, &hivego.KillCall{Caller: s.caller, Orders: []*hivego.KillOrder{{
		AttemptId: &id.id, Key: id.text(), GraceMillis: new(grace.Milliseconds()), Reason: new("conformance"),
	}}})
	if err != nil {
		return 0, fmt.Errorf("kill: %w", reported(ctx, err))
	}
	for _, x := range r.GetStatuses() {
		if refOf(x) == id {
			return x.GetCode(), nil
		}
	}
	return 0, errors.New("kill has no status for an attempt that was named")
}

// expectKill kills an attempt, and returns an error if the answer has another code.
func (s *session) expectKill(ctx context.Context, id ref, want hivego.KillCode) error {
	got, err := s.kill(ctx, id)
	if err == nil && got != want {
		err = fmt.Errorf("kill answers %v, not %v", got, want)
	}
	return err
}

// finish cleans up after a rule: it kills the attempts that still run, and acknowledges and releases those that have
// ended. It ignores errors, because they are not faults of the rule.
func (s *session) finish() {
	defer s.link.close()
	ctx, cancel := context.WithTimeout(context.Background(), s.p.Patience/4)
	defer cancel()
	cleanup, err := s.p.sessionOf(ctx, s.caller) // the rule's connection was closed when its time was over
	if err != nil {
		return
	}
	defer cleanup.link.close()
	cleanup.last = s.last
	for id := range s.ours {
		if _, ended := s.ended[id]; ended {
			continue
		}
		if _, err := cleanup.kill(ctx, id); err != nil {
			return
		}
	}
	call := pollCall{}
	for id := range s.ours {
		e, ok := s.ended[id]
		if !ok {
			if e, err = cleanup.end(ctx, id); err != nil {
				return
			}
		}
		call.acks = append(call.acks, ack(id, e.seq))
		call.releases = append(call.releases, id)
	}
	_, _ = cleanup.poll(ctx, call)
}
