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
			text:   "nowMillis of a poll, if it is set, is the clock of describe",
			remedy: "take it from the same clock, in milliseconds, or leave it out",
		},
		{
			name: "poll.progress", check: pollProgress,
			text: "PROGRESS is from 0 to 1, the latest with a seq of its own, repeated until it is acknowledged, and " +
				"nothing comes after ENDED",
			remedy: "divide percent by 100; count seq up for each progress and for the end, and report none after " +
				"the end",
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

// newestTries returns how long the older of two polls gets to arrive, and its waitMillis. The second try is for slow
// machines, on which the older one may arrive after the newer one.
func newestTries() []struct{ pause, wait time.Duration } {
	return []struct{ pause, wait time.Duration }{{500 * time.Millisecond, 5 * time.Second}, {3 * time.Second, maxWait}}
}

func pollNewest(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	for _, try := range newestTries() {
		for range 2 {
			if _, err := s.poll(ctx, pollCall{}); err != nil {
				return err
			}
		}
		if err = s.pollTwice(ctx, try.pause, try.wait); err == nil {
			return nil
		}
	}
	return err
}

// pollTwice polls on two connections at once. The newer poll must end the wait of the older one, and wait itself.
func (s *session) pollTwice(ctx context.Context, arrive, wait time.Duration) error {
	older, err := s.pollBeside(ctx, wait)
	if err != nil {
		return err
	}
	defer older.stop()
	if err := pause(ctx, arrive); err != nil {
		return err
	}
	newer, err := s.pollBeside(ctx, wait)
	if err != nil {
		return err
	}
	defer newer.stop()
	select {
	case <-newer.done:
		if newer.err != nil {
			return newer.err
		}
		return errors.New("the older of two polls goes on waiting")
	case <-older.done:
	}
	switch {
	case older.err != nil:
		return older.err
	case older.took > wait*9/10:
		return errors.New("the older of two polls goes on waiting")
	}
	still, cancel := context.WithTimeout(ctx, leastWait)
	defer cancel()
	select {
	case <-newer.done:
		if newer.err != nil {
			return newer.err
		}
		return errors.New("the newer of two polls is answered as soon as the older one")
	case <-still.Done():
		return nil
	}
}

// besidePoll is a poll of the same server on another connection.
type besidePoll struct {
	link *link
	done chan struct{} // closed when it is answered: took and err are set
	took time.Duration
	err  error
}

func (s *session) pollBeside(ctx context.Context, wait time.Duration) (*besidePoll, error) {
	o, err := s.p.sessionOf(ctx, s.caller)
	if err != nil {
		return nil, err
	}
	o.last = s.last
	b := &besidePoll{link: o.link, done: make(chan struct{})}
	go func() {
		defer close(b.done)
		began := time.Now()
		_, b.err = o.poll(ctx, pollCall{wait: wait})
		b.took = time.Since(began)
	}()
	return b, nil
}

// stop breaks the connection and waits for the end of the call.
func (b *besidePoll) stop() {
	_ = b.link.net.Close()
	<-b.done
	b.link.close()
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
	if !r.IsSetNowMillis() {
		return unchecked("a poll has no nowMillis, and may leave it out")
	}
	slack := clockSlack.Milliseconds()
	if now := r.GetNowMillis(); now < before.GetNowMillis()-slack || now > after.GetNowMillis()+slack {
		return fmt.Errorf("nowMillis of a poll is %d, between %d and %d of describe", now, before.GetNowMillis(),
			after.GetNowMillis())
	}
	return nil
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
