package conform

import (
	"context"
	"errors"
	"fmt"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

func restartTombstones(ctx context.Context, p *probe) error {
	if err := p.needStart(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	released, unknown := p.assignment(p.Work.Good), p.assignment(p.Work.Good)
	if err := s.expectReceipt(ctx, released, hivego.ReceiptCode_STARTED); err != nil {
		return err
	}
	e, err := s.end(ctx, refOf(released))
	if err != nil {
		return err
	}
	call := pollCall{acks: []*hivego.Ack{ack(refOf(released), e.seq)}, releases: []ref{refOf(released)}}
	if _, err := s.poll(ctx, call); err != nil {
		return err
	}
	if _, err := s.state(ctx, refOf(unknown)); err != nil {
		return err
	}
	if err := s.restarted(ctx); err != nil {
		return err
	}
	if _, err := s.attach(ctx); err != nil {
		return err
	}
	if err := s.expectReceipt(ctx, unknown, hivego.ReceiptCode_FORGOTTEN); err != nil {
		return fmt.Errorf("an id with a tombstone, submitted after kill -9: %w", err)
	}
	return s.notStartedAgain(ctx, released, e.outcome)
}

// notStartedAgain submits an attempt after a restart that was released before it. The executor may have lost the
// release: then it has the attempt as before, and the server releases it again.
func (s *session) notStartedAgain(ctx context.Context, a *hivego.Assignment, was *hivego.Outcome) error {
	list, err := s.submit(ctx, a)
	if err != nil {
		return err
	}
	if list[0].GetCode() == hivego.ReceiptCode_FORGOTTEN {
		return nil
	}
	if err := isReceipt(list[0], hivego.ReceiptCode_STARTED); err != nil {
		return fmt.Errorf("a released id, submitted after kill -9: %w", err)
	}
	r, err := s.state(ctx, refOf(a))
	if err != nil {
		return err
	}
	if r.GetState() != hivego.AttemptState_ENDED ||
		outcomeOf(r).GetStartedAtMillis() != was.GetStartedAtMillis() {
		return errors.New("a released id, submitted after kill -9, was started again")
	}
	return nil
}
