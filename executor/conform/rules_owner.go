package conform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// ownerRules returns the rules of who an attempt belongs to, and how long it may run for him.
func ownerRules() []rule {
	return []rule{
		{
			name: "attach.boot", check: attachBoot,
			text:   "attach names executorId and bootId of describe",
			remedy: "copy both into every AttachReply: a server that sees another bootId attaches again",
		},
		{
			name: "attach.again", check: attachAgain, after: []string{"poll.repeats"},
			text:   "an ENDED that was acknowledged is reported again to a new owner",
			remedy: "forget the acks of an attempt when attach gives it to another session",
		},
		{
			name: "attach.stale", check: attachStale,
			text:   "an attach that names an attempt of a later session is refused with StaleEpoch",
			remedy: "compare the epoch of each named attempt before you change any",
		},
		{
			name: "release.owner", check: releaseOwner,
			text:   "the release of a running attempt, and one by an earlier session, changes nothing",
			remedy: "release what has ended and belongs to the caller, and ignore the rest",
		},
		{
			name: "epoch.submit", check: epochSubmit,
			text:   "a submit with a higher epoch is the end of the lower one, even if it starts nothing",
			remedy: "remember the highest epoch of a server in submit as well",
		},
		{
			name: "lease.numbers", check: leaseNumbers,
			text: "a submit may name an older answer than the newest poll has confirmed",
			remedy: "keep when you sent each answer for orphanTimeoutMillis: submit and poll come on " +
				"two connections",
		},
		{
			name: "lease.takeover", check: leaseTakeover,
			text:   "an attach alone gives the attempts that it takes over no more time",
			remedy: "until an answer is confirmed, keep the deadline that the attempt had before",
		},
		{
			name: "lease.forever", check: leaseForever,
			text:   "with orphanTimeoutMillis 0 an attempt is never killed for silence",
			remedy: "take 0 for no deadline, not for one that has passed",
		},
	}
}

func attachBoot(ctx context.Context, p *probe) error {
	s, err := p.session(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	r, err := s.attach(ctx)
	if err != nil {
		return err
	}
	d, err := p.describe(ctx, s.caller)
	if err != nil {
		return reported(ctx, err)
	}
	if r.GetExecutorId() != d.GetExecutorId() || r.GetBootId() != d.GetBootId() {
		return fmt.Errorf("attach names executorId %q and bootId %q, describe %q and %q", r.GetExecutorId(),
			r.GetBootId(), d.GetExecutorId(), d.GetBootId())
	}
	return nil
}

// takenOver makes another server with a later epoch, which takes attempts over.
func (s *session) takenOver(ctx context.Context, ids ...ref) (*session, error) {
	later, err := s.next(ctx, "")
	if err != nil {
		return nil, err
	}
	later.orphan = s.orphan
	if _, err := later.attach(ctx, ids...); err != nil {
		later.link.close()
		return nil, err
	}
	for _, id := range ids {
		later.ours[id] = true
		delete(s.ours, id)
	}
	return later, nil
}

func attachAgain(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, e, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	if _, err := s.poll(ctx, pollCall{acks: []*hivego.Ack{ack(id, e.seq)}}); err != nil {
		return err
	}
	later, err := s.takenOver(ctx, id)
	if err != nil {
		return err
	}
	defer later.finish()
	for range 2 {
		if _, err := later.poll(ctx, pollCall{wait: pollWait}); err != nil {
			return err
		}
	}
	if _, ok := later.ended[id]; !ok {
		return errors.New("the new owner does not get the ENDED that the former one has acknowledged")
	}
	return nil
}

// lasting returns params of work that lasts, or those that succeed if there are none.
func (p *probe) lasting() string {
	if p.Work.Long != "" {
		return p.Work.Long
	}
	return p.Work.Good
}

func attachStale(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.link.close()
	id, err := s.start(ctx, p.lasting())
	if err != nil {
		return err
	}
	later, err := s.takenOver(ctx, id)
	if err != nil {
		return err
	}
	defer later.finish()
	ids, keys := split([]ref{id})
	_, err = s.link.Attach(ctx, &hivego.AttachCall{Caller: s.caller, AttemptIds: ids, Keys: keys})
	if err == nil {
		return errors.New("the server that lost an attempt attached it again with its lower epoch")
	}
	if !isA[*hivego.StaleEpoch](err) {
		return fmt.Errorf("attach of an attempt that a later session has: %w", reported(ctx, err))
	}
	return nil
}

func releaseOwner(ctx context.Context, p *probe) error {
	if err := p.needLong(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.link.close()
	id, err := s.start(ctx, p.Work.Long)
	if err != nil {
		return err
	}
	if _, err := s.poll(ctx, pollCall{releases: []ref{id}}); err != nil {
		return err
	}
	r, err := s.state(ctx, id)
	if err != nil {
		return err
	}
	if err := isState(r, hivego.AttemptState_RUNNING); err != nil {
		return fmt.Errorf("after a release while it runs, %w", err)
	}
	later, err := s.takenOver(ctx, id)
	if err != nil {
		return err
	}
	defer later.finish()
	if _, err := later.kill(ctx, id); err != nil {
		return err
	}
	if _, err := later.end(ctx, id); err != nil {
		return err
	}
	if _, err := s.poll(ctx, pollCall{releases: []ref{id}}); err != nil {
		return err
	}
	if r, err = later.state(ctx, id); err != nil {
		return err
	}
	if r.GetState() == hivego.AttemptState_FORGOTTEN {
		return errors.New("a release by the server that lost the attempt has freed it")
	}
	return nil
}

func epochSubmit(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.link.close()
	later, err := s.next(ctx, s.caller.GetServerId())
	if err != nil {
		return err
	}
	defer later.finish()
	if _, err := later.submit(ctx, p.assignment(p.Work.Good)); err != nil {
		return err
	}
	return s.checkStale(ctx, s.caller)
}

func leaseNumbers(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	if _, err := s.poll(ctx, pollCall{}); err != nil {
		return err
	}
	older := s.last
	for range 3 {
		if _, err := s.poll(ctx, pollCall{}); err != nil {
			return err
		}
	}
	newest := s.last
	s.last = older
	a := p.assignment(p.Work.Good)
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED); err != nil {
		return fmt.Errorf("a submit with answer %d, after a poll with %d: %w", older, newest, err)
	}
	s.last = newest
	_, err = s.end(ctx, refOf(a))
	return err
}

// leaseGrace is how long work may take to end after its lease has passed: the contract leaves executors a grace of
// their own between SIGTERM and SIGKILL, and the machine may be slow.
const leaseGrace = 15 * time.Second

// takeoverOrphan is the first orphan timeout of leaseTakeover. A new owner attaches four times as often: a lease that
// an attach renews never ends.
const takeoverOrphan = 4 * time.Second

func leaseTakeover(ctx context.Context, p *probe) error {
	if err := p.needLong(); err != nil {
		return err
	}
	owner, id, err := p.startLeased(ctx, takeoverOrphan)
	if err != nil {
		return err
	}
	defer func() { owner.finish() }()
	for end := time.Now().Add(owner.orphan + leaseGrace); ; {
		later, err := owner.takenOver(ctx, id)
		if err != nil {
			return err
		}
		owner.link.close()
		owner = later
		r, err := owner.state(ctx, id)
		if err != nil {
			return err
		}
		if r.GetState() != hivego.AttemptState_RUNNING {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s after the last answer that a server has confirmed it still runs, because "+
				"others attached", owner.orphan+leaseGrace)
		}
		if err := pause(ctx, owner.orphan/4); err != nil {
			return err
		}
	}
}

// notRunning waits until attach does not report an attempt as running any more.
func (s *session) notRunning(ctx context.Context, id ref, until time.Time) error {
	for {
		r, err := s.state(ctx, id)
		if err != nil {
			return err
		}
		if r.GetState() != hivego.AttemptState_RUNNING {
			return nil
		}
		if time.Now().After(until) {
			return errors.New("it still runs")
		}
		if err := pause(ctx, askAgain); err != nil {
			return err
		}
	}
}

func leaseForever(ctx context.Context, p *probe) error {
	if err := p.needLong(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	s.orphan = 0
	for range 2 {
		if _, err := s.poll(ctx, pollCall{}); err != nil {
			return err
		}
	}
	id, err := s.start(ctx, p.Work.Long)
	if err != nil {
		return err
	}
	if err := pause(ctx, longWait); err != nil {
		return err
	}
	r, err := s.state(ctx, id)
	if err != nil {
		return err
	}
	return isState(r, hivego.AttemptState_RUNNING)
}
