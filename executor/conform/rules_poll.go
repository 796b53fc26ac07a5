package conform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

func epochCall(ctx context.Context, p *probe) error {
	old, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer old.link.close()
	later, err := old.next(ctx, old.caller.GetServerId())
	if err != nil {
		return err
	}
	defer later.finish()
	if _, err := later.attach(ctx); err != nil {
		return err
	}
	return old.checkStale(ctx, old.caller)
}

// checkStale checks that each call of a caller is refused with StaleEpoch.
func (s *session) checkStale(ctx context.Context, c *hivego.Caller) error {
	for _, call := range []struct {
		name string
		make func() error
	}{
		{"submit", func() error {
			_, err := s.link.Submit(ctx, &hivego.SubmitCall{
				Caller: c, Assignments: []*hivego.Assignment{s.p.assignment(s.p.Work.Good)},
			})
			return err
		}},
		{"poll", func() error { _, err := s.link.Poll(ctx, &hivego.PollCall{Caller: c}); return err }},
		{"attach", func() error { _, err := s.link.Attach(ctx, &hivego.AttachCall{Caller: c}); return err }},
		{"kill", func() error { _, err := s.link.Kill(ctx, &hivego.KillCall{Caller: c}); return err }},
	} {
		err := call.make()
		if err == nil {
			return fmt.Errorf("%s with epoch %d was answered, though another session had taken its place", call.name,
				c.GetEpoch())
		}
		stale, ok := errors.AsType[*hivego.StaleEpoch](err)
		if !ok {
			return fmt.Errorf("%s of a session that was replaced: %w", call.name, reported(ctx, err))
		}
		if stale.GetEpoch() < c.GetEpoch() {
			return fmt.Errorf("StaleEpoch names epoch %d to a caller of epoch %d: it could not get above",
				stale.GetEpoch(), c.GetEpoch())
		}
	}
	return nil
}

func epochSession(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	for _, other := range []*string{new(random()), nil} {
		duplicate := *s.caller
		duplicate.Session = other
		if err := s.checkStale(ctx, &duplicate); err != nil {
			return err
		}
	}
	if _, err := s.poll(ctx, pollCall{}); err != nil {
		return fmt.Errorf("the session that was there first: %w", err)
	}
	return nil
}

func epochAttempt(ctx context.Context, p *probe) error {
	old, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer old.link.close()
	a := p.assignment(p.Work.Good)
	if p.Work.Long != "" {
		a = p.assignment(p.Work.Long)
	}
	if err := old.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED); err != nil {
		return err
	}
	later, err := old.next(ctx, "") // another server, which takes over
	if err != nil {
		return err
	}
	later.ours[refOf(a)] = true
	defer later.finish()
	if _, err := later.attach(ctx, refOf(a)); err != nil {
		return err
	}
	if err := old.expectKill(ctx, refOf(a), hivego.KillCode_STALE); err != nil {
		return fmt.Errorf("by the server that lost it: %w", err)
	}
	if err := old.expectReceipt(ctx, a, hivego.ReceiptCode_STALE); err != nil {
		return fmt.Errorf("a submit by the server that lost it: %w", err)
	}
	return nil
}

func clusterOther(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.link.close()
	other := p.caller()
	other.ClusterId = new(p.Cluster + "-other")
	for _, call := range []struct {
		name string
		make func() error
	}{
		{"describe", func() error {
			_, err := s.link.Describe(ctx, &hivego.DescribeCall{Caller: other})
			return err
		}},
		{"attach", func() error { _, err := s.link.Attach(ctx, &hivego.AttachCall{Caller: other}); return err }},
	} {
		err := call.make()
		if err == nil {
			return fmt.Errorf("%s of another cluster was answered", call.name)
		}
		if !isA[*hivego.AccessDenied](err) {
			return fmt.Errorf("%s of another cluster: %w", call.name, reported(ctx, err))
		}
	}
	return nil
}

func pollAnswers(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	before := int64(0)
	for range 3 {
		r, err := s.poll(ctx, pollCall{})
		if err != nil {
			return err
		}
		if r.GetAnswer() <= before {
			return fmt.Errorf("an answer has number %d, after %d", r.GetAnswer(), before)
		}
		before = r.GetAnswer()
		if got := r.GetExecutorId(); got != p.described.GetExecutorId() {
			return fmt.Errorf("an answer names executorId %q, and describe %q", got, p.described.GetExecutorId())
		}
		if got := r.GetBootId(); got != p.described.GetBootId() || s.boot != got {
			return fmt.Errorf("an answer names bootId %q, attach %q, and describe %q", got, s.boot,
				p.described.GetBootId())
		}
	}
	return nil
}

// A poll with longWait must wait at least leastWait.
const (
	longWait  = 1500 * time.Millisecond
	leastWait = time.Second
)

func pollWaits(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	for range 2 { // the first answers may come at once, because they begin a lease
		if _, err := s.poll(ctx, pollCall{}); err != nil {
			return err
		}
	}
	began := time.Now()
	if _, err := s.poll(ctx, pollCall{wait: longWait}); err != nil {
		return err
	}
	if took := time.Since(began); took < leastWait {
		return fmt.Errorf("a poll without events and with waitMillis %d was answered after %d ms",
			longWait.Milliseconds(), took.Milliseconds())
	}
	return nil
}

func pollRepeats(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, e, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	if e.seq < 1 {
		return fmt.Errorf("its ENDED has seq %d; they count from 1", e.seq)
	}
	for range 2 {
		if _, err := s.poll(ctx, pollCall{}); err != nil {
			return err
		}
	}
	if n := s.ended[id].reported; n != e.reported+2 {
		return fmt.Errorf("without an ack, ENDED was in %d of %d answers", n, e.reported+2)
	}
	if _, err := s.poll(ctx, pollCall{acks: []*hivego.Ack{ack(id, e.seq)}}); err != nil {
		return err
	}
	n := s.ended[id].reported
	if _, err := s.poll(ctx, pollCall{}); err != nil {
		return err
	}
	if s.ended[id].reported != n {
		return errors.New("ENDED is reported again after it was acknowledged")
	}
	return nil
}

func pollLimit(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	var ids []ref
	for range 3 {
		id, _, err := s.runGood(ctx) // one after another, because there may be only one slot
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	clear(s.ended)
	for len(s.ended) < len(ids) {
		call := pollCall{maxEvents: 1}
		for id, e := range s.ended {
			call.acks = append(call.acks, ack(id, e.seq))
		}
		r, err := s.poll(ctx, call)
		if err != nil {
			return err
		}
		if n := len(r.GetEvents()); n > 1 {
			return fmt.Errorf("an answer to maxEvents 1 has %d events", n)
		}
	}
	return nil
}

func pollOwn(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, _, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	other, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer other.link.close()
	for range 2 {
		if _, err := other.poll(ctx, pollCall{}); err != nil {
			return err
		}
	}
	if _, reported := other.ended[id]; reported {
		return errors.New("the end of an attempt is reported to a server that it does not belong to")
	}
	return nil
}
