package conform

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

func attachLease(ctx context.Context, p *probe) error {
	s, err := p.session(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	return s.expectReceipt(ctx, p.assignment(p.Work.Good), hivego.ReceiptCode_BUSY)
}

func submitBusy(ctx context.Context, p *probe) error {
	s, err := p.session(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	a := p.assignment(p.Work.Good)
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_BUSY); err != nil {
		return err
	}
	if _, err := s.attach(ctx); err != nil {
		return err
	}
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_FORGOTTEN); err != nil {
		return fmt.Errorf("the same id, now that there is a lease: %w", err)
	}
	return nil
}

func attachUnknown(ctx context.Context, p *probe) error {
	s, err := p.session(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	a := p.assignment(p.Work.Good)
	r, err := s.state(ctx, refOf(a))
	if err != nil {
		return err
	}
	if err := isState(r, hivego.AttemptState_FORGOTTEN); err != nil {
		return err
	}
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_FORGOTTEN); err != nil {
		return fmt.Errorf("a submit of it: %w", err)
	}
	if r, err = s.state(ctx, refOf(a)); err != nil {
		return err
	}
	if err := isState(r, hivego.AttemptState_FORGOTTEN); err != nil {
		return fmt.Errorf("it runs although its submit was answered FORGOTTEN: %w", err)
	}
	return nil
}

func isState(r *hivego.AttemptReport, want hivego.AttemptState) error {
	if r.GetState() != want {
		return fmt.Errorf("attach says %v, not %v", r.GetState(), want)
	}
	return nil
}

func attachReports(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, _, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	r, err := s.state(ctx, id)
	if err != nil {
		return err
	}
	if err := isState(r, hivego.AttemptState_ENDED); err != nil {
		return fmt.Errorf("of an attempt that has ended, %w", err)
	}
	if err := isKind(outcomeOf(r), hivego.OutcomeKind_SUCCESS); err != nil {
		return fmt.Errorf("of an attempt that has ended, %w", err)
	}
	if p.Work.Long == "" {
		return nil
	}
	if id, err = s.start(ctx, p.Work.Long); err != nil {
		return err
	}
	if r, err = s.state(ctx, id); err != nil {
		return err
	}
	if err := isState(r, hivego.AttemptState_RUNNING); err != nil {
		return fmt.Errorf("of an attempt that runs, %w", err)
	}
	return nil
}

func attachOthers(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, _, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	later, err := s.next(ctx, s.caller.GetServerId())
	if err != nil {
		return err
	}
	defer later.link.close()
	r, err := later.attach(ctx)
	if err != nil {
		return err
	}
	s.caller = later.caller // finish must use the later epoch
	for _, o := range r.GetOthers() {
		if refOf(o) == id {
			return nil
		}
	}
	return fmt.Errorf("a later session of the same server attached nothing, and others does not have attempt %s", id)
}

// copies is how many calls submit the same id at once.
const copies = 8

func submitOnce(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	before, err := p.describe(ctx, s.caller)
	if err != nil {
		return reported(ctx, err)
	}
	params := p.Work.Long
	if params == "" {
		params = p.Work.Good
	}
	a := p.assignment(params)
	s.ours[refOf(a)] = true
	errs := make([]error, copies)
	var wg sync.WaitGroup
	for i := range copies {
		wg.Go(func() {
			same, err := p.sessionOf(ctx, s.caller)
			if err != nil {
				errs[i] = err
				return
			}
			defer same.link.close()
			errs[i] = same.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if p.Work.Long != "" {
		after, err := p.describe(ctx, s.caller)
		if err != nil {
			return reported(ctx, err)
		}
		if n := loadOf(after).GetRunning() - loadOf(before).GetRunning(); n > 1 {
			return fmt.Errorf("one id was submitted %d times, and %d attempts run", copies, n)
		}
		return nil
	}
	if _, err := s.end(ctx, refOf(a)); err != nil {
		return err
	}
	_, err = s.poll(ctx, pollCall{wait: pollWait}) // a second end would be reported now
	return err
}

func submitEnded(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	a := p.assignment(p.Work.Good)
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED); err != nil {
		return err
	}
	first, err := s.end(ctx, refOf(a))
	if err != nil {
		return err
	}
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED); err != nil {
		return fmt.Errorf("submitted again after its end: %w", err)
	}
	r, err := s.state(ctx, refOf(a))
	if err != nil {
		return err
	}
	if err := isState(r, hivego.AttemptState_ENDED); err != nil {
		return fmt.Errorf("submitted again after its end: %w", err)
	}
	if from, to := first.outcome.GetStartedAtMillis(), outcomeOf(r).GetStartedAtMillis(); from != to {
		return fmt.Errorf("submitted again after its end it was started again, at %d and at %d", from, to)
	}
	return nil
}

func submitRefused(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	a := p.assignment(p.Work.Good)
	a.Handler = new("no-such-handler")
	list, err := s.submit(ctx, a)
	if err != nil {
		return err
	}
	if err := isReceipt(list[0], hivego.ReceiptCode_REFUSED); err != nil {
		return err
	}
	if list[0].GetWords() == "" {
		return errors.New("the receipt has no words")
	}
	return nil
}

// maxAssignments is how many assignments one call may have.
const maxAssignments = hivego.MAX_ASSIGNMENTS

func submitMany(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	list := make([]*hivego.Assignment, 0, maxAssignments+1)
	for range maxAssignments {
		list = append(list, p.assignment(p.Work.Good))
	}
	receipts, err := s.submit(ctx, list...)
	if err != nil {
		return err
	}
	started := 0
	for _, r := range receipts {
		switch r.GetCode() {
		case hivego.ReceiptCode_STARTED:
			started++
			if _, err := s.end(ctx, refOf(r)); err != nil {
				return err
			}
		case hivego.ReceiptCode_BUSY:
		default:
			return fmt.Errorf("of %d assignments in one call, one is answered %v (%s)",
				maxAssignments, r.GetCode(), r.GetWords())
		}
	}
	if started == 0 {
		return fmt.Errorf("of %d assignments in one call none was started", maxAssignments)
	}
	_, err = s.link.Submit(ctx, &hivego.SubmitCall{
		Caller: s.caller, Assignments: append(list, p.assignment(p.Work.Good)), LastAnswer: &s.last,
	})
	if err == nil {
		return fmt.Errorf("%d assignments in one call were answered", maxAssignments+1)
	}
	if !isA[*hivego.BadCall](err) {
		return fmt.Errorf("%d assignments in one call: %w", maxAssignments+1, reported(ctx, err))
	}
	return nil
}

func tokenEvery(ctx context.Context, p *probe) error {
	if p.Token == "" {
		return unchecked(noToken)
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, _, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	wrong := *s.caller
	wrong.Token = new(p.Token + "x")
	for _, call := range []struct {
		name string
		make func() error
	}{
		{"submit", func() error {
			_, err := s.link.Submit(ctx, &hivego.SubmitCall{
				Caller: &wrong, Assignments: []*hivego.Assignment{p.assignment(p.Work.Good)},
			})
			return err
		}},
		{"poll", func() error { _, err := s.link.Poll(ctx, &hivego.PollCall{Caller: &wrong}); return err }},
		{"attach", func() error { _, err := s.link.Attach(ctx, &hivego.AttachCall{Caller: &wrong}); return err }},
		{"kill", func() error { _, err := s.link.Kill(ctx, &hivego.KillCall{Caller: &wrong}); return err }},
		{"readLog", func() error {
			_, err := s.link.ReadLog(ctx, &hivego.LogCall{Caller: &wrong, AttemptId: &id.id, Limit: new(int32(1))})
			return err
		}},
	} {
		err := call.make()
		if err == nil {
			return fmt.Errorf("%s with a wrong token was answered", call.name)
		}
		if !isA[*hivego.AccessDenied](err) {
			return fmt.Errorf("%s with a wrong token: %w", call.name, reported(ctx, err))
		}
	}
	return nil
}
