package conform

import (
	"context"
	"errors"
	"fmt"
	"time"
)

func endQuiet(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, _, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	if err := s.checkQuiet(ctx, id, leastQuiet); err != nil {
		return fmt.Errorf("after a success, %w", err)
	}
	if p.Work.Long == "" {
		return nil
	}
	if id, err = s.start(ctx, p.Work.Long); err != nil {
		return err
	}
	gap, err := s.talks(ctx, id)
	if err != nil {
		return err
	}
	if _, err := s.kill(ctx, id); err != nil {
		return err
	}
	if _, err := s.end(ctx, id); err != nil {
		return err
	}
	if err := s.checkQuiet(ctx, id, max(leastQuiet, gap*quietGaps)); err != nil {
		return fmt.Errorf("after a kill, %w", err)
	}
	return nil
}

// A log must not grow any more for leastQuiet, and for some of the gaps that were between its lines before.
const (
	leastQuiet = 700 * time.Millisecond
	quietGaps  = 3
)

// Work writes now and then if its log grows so many times, each time after silentAfter at most. The first lines may
// be the executor's own.
const (
	growths     = 5
	silentAfter = 5 * time.Second
)

// talks watches the log of a running attempt, and returns the longest time for which it did not grow. Of silent work
// nobody can say whether it goes on after its end: then talks returns an unchecked error.
func (s *session) talks(ctx context.Context, id ref) (longest time.Duration, err error) {
	size, grown := int64(0), time.Now()
	for n := 0; n < growths; {
		r, err := s.readLog(ctx, id, 0, 1)
		if err != nil {
			return 0, err
		}
		switch gap := time.Since(grown); {
		case r.GetSize() > size:
			size, grown, longest = r.GetSize(), time.Now(), max(longest, gap)
			n++
		case gap > silentAfter:
			return 0, unchecked("the long work writes nothing while it runs, so nobody sees whether it goes on after " +
				"a kill; name params with which it writes a line every second (--long-params-json)")
		}
		if err := pause(ctx, askAgain); err != nil {
			return 0, err
		}
	}
	return longest, nil
}

// checkQuiet checks that the log of an ended attempt is complete, and does not grow any more.
func (s *session) checkQuiet(ctx context.Context, id ref, quiet time.Duration) error {
	first, err := s.readLog(ctx, id, 0, 1)
	if err != nil {
		return err
	}
	if !first.GetComplete() {
		return errors.New("complete is not set")
	}
	from := first.GetSize()
	if o := s.ended[id].outcome; o.IsSetLogBytes() {
		from = o.GetLogBytes()
	}
	for end := time.Now().Add(quiet); ; {
		r, err := s.readLog(ctx, id, 0, 1)
		if err != nil {
			return err
		}
		if to := r.GetSize(); to > from {
			return fmt.Errorf("the log grew from %d to %d bytes: the work goes on", from, to)
		}
		if time.Now().After(end) {
			return nil
		}
		if err := pause(ctx, askAgain); err != nil {
			return err
		}
	}
}
