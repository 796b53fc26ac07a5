package conform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// progressWithin is how long the check waits for the progress of work.
const progressWithin = 5 * time.Second

func pollProgress(ctx context.Context, p *probe) error {
	if err := p.needLong(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, err := s.start(ctx, p.Work.Long)
	if err != nil {
		return err
	}
	w := &progressWatch{s: s, id: id}
	for end := time.Now().Add(progressWithin); w.latest == nil; {
		if err := w.poll(ctx, pollCall{wait: pollWait / 4}); err != nil {
			return err
		}
		if w.latest == nil && time.Now().After(end) {
			return unchecked("the work reports no progress")
		}
	}
	if err := w.checkAcks(ctx); err != nil {
		return err
	}
	return w.checkEnd(ctx)
}

// progressWatch checks the PROGRESS events of one attempt in the order in which polls report them.
type progressWatch struct {
	s      *session
	id     ref
	latest *hivego.Event // the latest progress; nil: there was none
	acked  int64         // seq
	seen   bool          // whether the last answer had a progress
}

// poll polls and checks the progress in the answer.
func (w *progressWatch) poll(ctx context.Context, c pollCall) error {
	r, err := w.s.poll(ctx, c)
	if err != nil {
		return err
	}
	w.seen = false
	for _, e := range r.GetEvents() {
		if e.GetKind() != hivego.EventKind_PROGRESS || refOf(e) != w.id {
			continue
		}
		if w.seen {
			return errors.New("an answer has two PROGRESS of one attempt; only the latest is kept")
		}
		w.seen = true
		if err := w.check(e); err != nil {
			return err
		}
		w.latest = e
	}
	return nil
}

func (w *progressWatch) check(e *hivego.Event) error {
	x, seq := e.GetProgress(), e.GetSeq()
	end, ended := w.s.ended[w.id]
	switch {
	case !(x >= 0 && x <= 1):
		return fmt.Errorf("a progress is %g", x)
	case seq < 1:
		return fmt.Errorf("a PROGRESS has seq %d; they count from 1", seq)
	case seq <= w.acked:
		return fmt.Errorf("a PROGRESS with seq %d comes after seq %d was acknowledged", seq, w.acked)
	case w.latest != nil && seq < w.latest.GetSeq():
		return fmt.Errorf("a PROGRESS with seq %d comes after one with %d", seq, w.latest.GetSeq())
	case w.latest != nil && seq == w.latest.GetSeq() && x != w.latest.GetProgress():
		return fmt.Errorf("a progress of %g and one of %g have the same seq %d", w.latest.GetProgress(), x, seq)
	case ended && seq >= end.seq:
		return fmt.Errorf("a PROGRESS has seq %d, and ENDED %d", seq, end.seq)
	}
	return nil
}

// checkAcks checks that a progress is repeated until it is acknowledged, and not any more then.
func (w *progressWatch) checkAcks(ctx context.Context) error {
	if err := w.poll(ctx, pollCall{}); err != nil {
		return err
	}
	if !w.seen {
		return errors.New("without an ack, the next answer does not repeat PROGRESS")
	}
	w.acked = w.latest.GetSeq()
	if err := w.poll(ctx, pollCall{acks: []*hivego.Ack{ack(w.id, w.acked)}}); err != nil {
		return err
	}
	return w.poll(ctx, pollCall{wait: pollWait}) // a later progress would be reported now
}

// checkEnd kills the work, and checks what polls report with its end and after it.
func (w *progressWatch) checkEnd(ctx context.Context) error {
	if _, err := w.s.kill(ctx, w.id); err != nil {
		return err
	}
	for {
		if _, ended := w.s.ended[w.id]; ended {
			break
		}
		if err := w.poll(ctx, pollCall{wait: pollWait}); err != nil {
			return err
		}
	}
	if end := w.s.ended[w.id]; end.seq <= w.latest.GetSeq() {
		return fmt.Errorf("ENDED has seq %d, and a PROGRESS before it %d", end.seq, w.latest.GetSeq())
	}
	for range 2 {
		if err := w.poll(ctx, pollCall{}); err != nil {
			return err
		}
	}
	return nil
}
