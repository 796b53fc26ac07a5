package conform

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// The executor is frozen for longer than the orphan timeout, and must then end its work.
const (
	freezeOrphan = 3 * time.Second
	frozen       = freezeOrphan * 3 / 2
)

func freezeLease(ctx context.Context, p *probe) error {
	if err := p.needStart(); err != nil {
		return err
	}
	if err := p.needLong(); err != nil {
		return err
	}
	s, err := p.session(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	s.orphan = freezeOrphan
	if _, err := s.attach(ctx); err != nil {
		return err
	}
	if _, err := s.poll(ctx, pollCall{}); err != nil {
		return err
	}
	id, err := s.start(ctx, p.Work.Long)
	if err != nil {
		return err
	}
	if err := p.program.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	err = pause(ctx, frozen)
	if err := errors.Join(err, p.program.signal(syscall.SIGCONT)); err != nil {
		return err
	}
	if err := s.expectReceipt(ctx, p.assignment(p.Work.Good), hivego.ReceiptCode_BUSY); err != nil {
		return fmt.Errorf("a submit with an answer from before the freeze: %w", err)
	}
	for end := time.Now().Add(leaseGrace); ; {
		r, err := s.state(ctx, id)
		if err != nil {
			return err
		}
		if r.GetState() != hivego.AttemptState_RUNNING {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("after a freeze of %s, with an orphan timeout of %s, it still runs", frozen, freezeOrphan)
		}
		if err := pause(ctx, askAgain); err != nil {
			return err
		}
	}
}

func drainRefuses(ctx context.Context, p *probe) error {
	if err := p.needStart(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, err := s.start(ctx, p.lasting())
	if err != nil {
		return err
	}
	if _, err := s.poll(ctx, pollCall{}); err != nil {
		return err
	}
	if err := p.program.signal(syscall.SIGTERM); err != nil {
		return err
	}
	refused := s.refusesSoon(ctx)
	if err := s.restarted(ctx); err != nil {
		return errors.Join(refused, err)
	}
	if refused != nil {
		return refused
	}
	_, err = s.survivor(ctx, id)
	return err
}

// refusesSoon checks that the executor ends, or says that it drains and starts nothing more.
func (s *session) refusesSoon(ctx context.Context) error {
	for end := time.Now().Add(stopTime); time.Now().Before(end); {
		if s.p.program.hasEnded() {
			return nil
		}
		d, err := s.p.describe(ctx, s.caller)
		if err != nil {
			return nil //nolint:nilerr // it answers no calls any more
		}
		if loadOf(d).GetDraining() {
			list, err := s.submit(ctx, s.p.assignment(s.p.Work.Good))
			if err != nil {
				return nil //nolint:nilerr // as above
			}
			if list[0].GetCode() == hivego.ReceiptCode_STARTED {
				return errors.New("load says draining, and a submit is answered STARTED")
			}
			return nil
		}
		if err := pause(ctx, askAgain); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s after SIGTERM it still runs, and load does not say draining", stopTime)
}
