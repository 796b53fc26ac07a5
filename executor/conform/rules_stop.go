package conform

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

func freezeLease(ctx context.Context, p *probe) error {
	if err := p.needStart(); err != nil {
		return err
	}
	if err := p.needLong(); err != nil {
		return err
	}
	s, id, err := p.startLeased(ctx, freezeOrphan)
	if err != nil {
		return err
	}
	defer s.finish()
	if err := p.program.freeze(ctx, s.orphan+s.orphan/2); err != nil {
		return err
	}
	if err := s.expectReceipt(ctx, p.assignment(p.Work.Good), hivego.ReceiptCode_BUSY); err != nil {
		return fmt.Errorf("a submit with an answer from before the freeze: %w", err)
	}
	if err := s.notRunning(ctx, id, time.Now().Add(leaseGrace)); err != nil {
		return fmt.Errorf("after a freeze of %s, with an orphan timeout of %s, %w", s.orphan+s.orphan/2, s.orphan, err)
	}
	return nil
}

// freezeOrphan is the first orphan timeout of freezeLease. The executor is frozen for longer, and must then end its
// work.
const freezeOrphan = 3 * time.Second

// freeze stops all processes of the program for some time. If the executor answers meanwhile, it has left its group,
// and freeze returns an error.
func (x *program) freeze(ctx context.Context, d time.Duration) error {
	if err := x.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	err := pause(ctx, d/2) // until the signal has reached all of it
	answers := false
	if err == nil {
		asked, cancel := context.WithTimeout(ctx, d/2)
		_, described := Describe(asked, x.target)
		answers = described == nil
		err = pause(ctx, remaining(asked))
		cancel()
	}
	if err := errors.Join(err, x.signal(syscall.SIGCONT)); err != nil {
		return err
	}
	if answers {
		return errors.New("the process group of --start is frozen, and the executor answers: it has left the group")
	}
	return nil
}

// remaining returns the time until the deadline of a context.
func remaining(ctx context.Context) time.Duration {
	until, _ := ctx.Deadline()
	return time.Until(until)
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
