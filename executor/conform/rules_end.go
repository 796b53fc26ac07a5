package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// needLong returns an unchecked error if there are no params for long work.
func (p *probe) needLong() error {
	if p.Work.Long == "" {
		return unchecked("name params with which the handler goes on for a minute")
	}
	return nil
}

func (s *session) readLog(ctx context.Context, id ref, offset int64, limit int32) (*hivego.LogReply, error) {
	r, err := s.link.ReadLog(ctx,
		&hivego.LogCall{Caller: s.caller, AttemptId: &id.id, Key: id.text(), Offset: &offset, Limit: &limit})
	if err != nil {
		return nil, fmt.Errorf("readLog: %w", reported(ctx, err))
	}
	return r, nil
}

func releaseForgets(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	a := p.assignment(p.Work.Good)
	id := refOf(a)
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED); err != nil {
		return err
	}
	e, err := s.end(ctx, id)
	if err != nil {
		return err
	}
	if _, err := s.poll(ctx, pollCall{acks: []*hivego.Ack{ack(id, e.seq)}}); err != nil {
		return err
	}
	if err := s.checkStored(ctx, id, true); err != nil {
		return fmt.Errorf("after the ack: %w", err)
	}
	if _, err := s.poll(ctx, pollCall{releases: []ref{id}}); err != nil {
		return err
	}
	if err := s.checkStored(ctx, id, false); err != nil {
		return fmt.Errorf("after the release: %w", err)
	}
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_FORGOTTEN); err != nil {
		return fmt.Errorf("a submit after the release: %w", err)
	}
	return nil
}

// checkStored checks whether the executor still has an ended attempt.
func (s *session) checkStored(ctx context.Context, id ref, stored bool) error {
	r, err := s.readLog(ctx, id, 0, 1)
	if err != nil {
		return err
	}
	if r.GetFound() != stored {
		return fmt.Errorf("readLog says found = %t", r.GetFound())
	}
	state := hivego.AttemptState_FORGOTTEN
	if stored {
		state = hivego.AttemptState_ENDED
	}
	report, err := s.state(ctx, id)
	if err != nil {
		return err
	}
	return isState(report, state)
}

func killEnds(ctx context.Context, p *probe) error {
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
	if err := s.expectKill(ctx, id, hivego.KillCode_KILLING); err != nil {
		return err
	}
	e, err := s.end(ctx, id)
	if err != nil {
		return err
	}
	if err := isKind(e.outcome, hivego.OutcomeKind_KILLED); err != nil {
		return err
	}
	if err := s.expectKill(ctx, id, hivego.KillCode_ENDED); err != nil {
		return fmt.Errorf("after its end: %w", err)
	}
	return nil
}

func killUnknown(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	a := p.assignment(p.Work.Good)
	if err := s.expectKill(ctx, refOf(a), hivego.KillCode_FORGOTTEN); err != nil {
		return err
	}
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_FORGOTTEN); err != nil {
		return fmt.Errorf("a submit of it: %w", err)
	}
	return nil
}

// maxLog is how many bytes of a log one call reads.
const maxLog = hivego.MAX_READ_BYTES

func logRanges(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, e, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	full, err := s.readLog(ctx, id, 0, maxLog)
	if err != nil {
		return err
	}
	size := full.GetSize()
	switch {
	case !full.GetFound():
		return errors.New("found is not set for an attempt that has ended")
	case !full.GetComplete():
		return errors.New("complete is not set after the end")
	case size < maxLog && int64(len(full.GetData())) != size:
		return fmt.Errorf("size is %d, and there are %d bytes", size, len(full.GetData()))
	case e.outcome.IsSetLogBytes() && e.outcome.GetLogBytes() != size:
		return fmt.Errorf("size is %d, and logBytes of the outcome %d", size, e.outcome.GetLogBytes())
	}
	n := int64(len(full.GetData()))
	for _, r := range [][2]int64{{0, n / 2}, {n / 2, n}, {n - n/3, n}, {size + 10, size + 10}} {
		part, err := s.readLog(ctx, id, r[0], int32(max(r[1]-r[0], 1)))
		if err != nil {
			return err
		}
		want := []byte{}
		if r[0] < n {
			want = full.GetData()[r[0]:min(max(r[1], r[0]+1), n)]
		}
		if !bytes.Equal(part.GetData(), want) {
			return fmt.Errorf("bytes %d to %d of the log are not the ones that it has there when it is read whole",
				r[0], r[1])
		}
	}
	call := &hivego.LogCall{
		Caller: s.caller, AttemptId: &id.id, Key: id.text(), Offset: new(int64(-1)),
		Limit: new(int32(1)),
	}
	if _, err := s.link.ReadLog(ctx, call); err == nil {
		return errors.New("a negative offset was answered")
	} else if !isA[*hivego.BadCall](err) {
		return fmt.Errorf("a negative offset: %w", reported(ctx, err))
	}
	none, err := s.readLog(ctx, ref{id: p.ids.Add(1)}, 0, 1)
	if err == nil && none.GetFound() {
		err = errors.New("found is set for an attempt that nobody knows")
	}
	return err
}

func timeoutKept(ctx context.Context, p *probe) error {
	if err := p.needLong(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	a := p.assignment(p.Work.Long)
	a.TimeoutMillis = new(int64(300))
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED); err != nil {
		return err
	}
	e, err := s.end(ctx, refOf(a))
	if err != nil {
		return err
	}
	return isKind(e.outcome, hivego.OutcomeKind_TIMEOUT)
}

// The orphan timeouts that rules about leases try. On a slow machine a short one may pass before the attempt runs.
const (
	shortestOrphan = time.Second
	longestOrphan  = 16 * time.Second
)

// startLeased makes a session with a short orphan timeout, and starts long work in it. If the submit comes too late for
// the lease, it tries again with a timeout that is twice as long.
func (p *probe) startLeased(ctx context.Context, orphan time.Duration) (*session, ref, error) {
	for ; orphan <= longestOrphan; orphan *= 2 {
		s, id, err := p.tryLeased(ctx, orphan)
		if s != nil || err != nil {
			return s, id, err
		}
	}
	return nil, ref{}, errors.New("every submit is answered BUSY, though its lease has just begun")
}

// tryLeased is startLeased with one orphan timeout; no session: the submit was answered BUSY.
func (p *probe) tryLeased(ctx context.Context, orphan time.Duration) (*session, ref, error) {
	s, err := p.session(ctx)
	if err != nil {
		return nil, ref{}, err
	}
	s.orphan = orphan
	a := p.assignment(p.Work.Long)
	list, err := s.leased(ctx, a)
	if err == nil && list[0].GetCode() != hivego.ReceiptCode_BUSY {
		err = isReceipt(list[0], hivego.ReceiptCode_STARTED)
		if err == nil {
			return s, refOf(a), nil
		}
	}
	s.finish()
	return nil, ref{}, err
}

// leased attaches, polls once and submits.
func (s *session) leased(ctx context.Context, a *hivego.Assignment) ([]*hivego.Receipt, error) {
	if _, err := s.attach(ctx); err != nil {
		return nil, err
	}
	if _, err := s.poll(ctx, pollCall{}); err != nil {
		return nil, err
	}
	return s.submit(ctx, a)
}

func leasePassed(ctx context.Context, p *probe) error {
	if err := p.needLong(); err != nil {
		return err
	}
	s, id, err := p.startLeased(ctx, shortestOrphan)
	if err != nil {
		return err
	}
	defer s.finish()
	silence := s.orphan + s.orphan/2
	if err := pause(ctx, silence); err != nil {
		return err
	}
	e, err := s.end(ctx, id)
	if err != nil {
		return fmt.Errorf("after %s of silence it still runs: %w", silence, err)
	}
	return isKind(e.outcome, hivego.OutcomeKind_LOST)
}

// leaseDelayed simulates a submit that was delayed, while later polls have renewed the lease.
func leaseDelayed(ctx context.Context, p *probe) error {
	s, err := p.session(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	s.orphan = shortestOrphan
	if _, err := s.attach(ctx); err != nil {
		return err
	}
	if _, err := s.poll(ctx, pollCall{}); err != nil {
		return err
	}
	old := s.last
	for began := time.Now(); time.Since(began) < s.orphan+s.orphan/2; {
		if _, err := s.poll(ctx, pollCall{wait: s.orphan / 10}); err != nil {
			return err
		}
	}
	s.last = old
	if err := s.expectReceipt(ctx, p.assignment(p.Work.Good), hivego.ReceiptCode_BUSY); err != nil {
		return fmt.Errorf("with the number of an answer that is %s old: %w", s.orphan+s.orphan/2, err)
	}
	return nil
}
