package conform

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// loadRules returns the rules of slots, load and of what polls wait for.
func loadRules() []rule {
	return []rule{
		{
			name: "poll.first", check: pollFirst,
			text:   "a poll with lastAnswer 0 is answered at once, whatever waitMillis says",
			remedy: "do not wait before the server has the number of an answer: it submits nothing until then",
		},
		{
			name: "poll.newest", check: pollNewest,
			text:   "if a server polls twice at once, the older poll is answered and the newer one waits",
			remedy: "count the polls of each server; one that is not the newest any more answers",
		},
		{
			name: "poll.clock", check: pollClock,
			text:   "nowMillis of a poll is the clock of describe",
			remedy: "take it from the same clock, in milliseconds",
		},
		{
			name: "poll.progress", check: pollProgress,
			text:   "PROGRESS is from 0 to 1",
			remedy: "divide percent by 100",
		},
		{
			name: "load.running", check: loadRunning,
			text:   "load.running counts the attempts that run, in describe and in poll",
			remedy: "count them when they start and end; the server plans with it",
		},
		{
			name: "submit.slots", check: submitSlots,
			text:   "no more attempts run at once than load.slots; the others are BUSY",
			remedy: "compare and count under the lock that accepts an attempt, also within one call",
		},
	}
}

func pollFirst(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	began := time.Now()
	if _, err := s.poll(ctx, pollCall{wait: firstWait}); err != nil {
		return err
	}
	if took := time.Since(began); took > firstWait/2 {
		return fmt.Errorf("the first poll was answered after %d ms", took.Milliseconds())
	}
	return nil
}

// firstWait is the waitMillis of the first poll. An executor must answer that poll at once all the same.
const firstWait = 4 * time.Second

func pollNewest(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	for range 2 {
		if _, err := s.poll(ctx, pollCall{}); err != nil {
			return err
		}
	}
	older, err := p.sessionOf(ctx, s.caller)
	if err != nil {
		return err
	}
	defer older.link.close()
	older.last = s.last
	done := make(chan error, 1)
	go func() {
		_, err := older.poll(ctx, pollCall{wait: maxWait})
		done <- err
	}()
	if err := pause(ctx, longWait/2); err != nil { // until the older one has arrived
		return err
	}
	if _, err := s.poll(ctx, pollCall{wait: longWait}); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-time.After(leastWait):
		older.link.close()
		if err := <-done; err == nil {
			return errors.New("the older of two polls is answered late")
		}
		return errors.New("the older of two polls goes on waiting")
	}
}

// maxWait is the longest wait of a poll.
const maxWait = hivego.MAX_POLL_WAIT_MILLIS * time.Millisecond

func pollClock(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	before, err := p.describe(ctx, s.caller)
	if err != nil {
		return reported(ctx, err)
	}
	r, err := s.poll(ctx, pollCall{})
	if err != nil {
		return err
	}
	after, err := p.describe(ctx, s.caller)
	if err != nil {
		return reported(ctx, err)
	}
	slack := clockSlack.Milliseconds()
	if now := r.GetNowMillis(); r.IsSetNowMillis() &&
		(now < before.GetNowMillis()-slack || now > after.GetNowMillis()+slack) {
		return fmt.Errorf("nowMillis of a poll is %d, between %d and %d of describe", now, before.GetNowMillis(),
			after.GetNowMillis())
	}
	return nil
}

// progressWithin is how long the check waits for the progress of work.
const progressWithin = 2 * time.Second

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
	for began := time.Now(); time.Since(began) < progressWithin; {
		r, err := s.poll(ctx, pollCall{wait: progressWithin / 8})
		if err != nil {
			return err
		}
		for _, e := range r.GetEvents() {
			if e.GetKind() != hivego.EventKind_PROGRESS || refOf(e) != id {
				continue
			}
			if x := e.GetProgress(); x < 0 || x > 1 {
				return fmt.Errorf("a progress is %g", x)
			}
			return nil
		}
	}
	return unchecked("the work reports no progress")
}

func loadRunning(ctx context.Context, p *probe) error {
	if err := p.needLong(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	if _, err := s.start(ctx, p.Work.Long); err != nil {
		return err
	}
	d, err := p.describe(ctx, s.caller)
	if err != nil {
		return reported(ctx, err)
	}
	if n := loadOf(d).GetRunning(); n < 1 {
		return fmt.Errorf("one attempt runs, and describe says %d", n)
	}
	r, err := s.poll(ctx, pollCall{})
	if err != nil {
		return err
	}
	if n := r.GetLoad().GetRunning(); r.IsSetLoad() && n < 1 {
		return fmt.Errorf("one attempt runs, and a poll says %d", n)
	}
	return nil
}

// mostSlots is how many slots the check fills.
const mostSlots = 64

func submitSlots(ctx context.Context, p *probe) error {
	if err := p.needLong(); err != nil {
		return err
	}
	slots := int(max(loadOf(p.described).GetSlots(), 1))
	if slots > mostSlots {
		return unchecked(fmt.Sprintf("it has %d slots, and the check fills %d at most", slots, mostSlots))
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	list := make([]*hivego.Assignment, 0, slots+1)
	for range slots + 1 {
		list = append(list, p.assignment(p.Work.Long))
	}
	receipts, err := s.submit(ctx, list...)
	if err != nil {
		return err
	}
	last, err := s.submit(ctx, p.assignment(p.Work.Long))
	if err != nil {
		return err
	}
	started := 0
	for _, r := range append(receipts, last...) {
		if r.GetCode() == hivego.ReceiptCode_STARTED {
			started++
		} else if err := isReceipt(r, hivego.ReceiptCode_BUSY); err != nil {
			return err
		}
	}
	if started > slots || started == 0 {
		return fmt.Errorf("it has %d slots, and accepts %d of %d attempts", slots, started, slots+2)
	}
	return nil
}
