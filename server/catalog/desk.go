package catalog

import (
	"context"
	"sync"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// How much text is read at once. What is read takes up to two hundred times its own size in memory until it is
// answered, so a dozen of the largest documents at the same moment would be several gigabytes.
const (
	smallText  = 128 << 10        // bytes; what has more is large
	smallTexts = 2 << 20          // of all small ones
	largeTexts = document.MaxSize // of all large ones
)

// desk is a place to read on: who finds no room waits for those before it.
type desk struct {
	mu      sync.Mutex
	room    int
	waiting []*reader
}

// reader waits for room.
type reader struct {
	size int
	sat  chan struct{} // closed when it has room
}

func newDesk(room int) *desk { return &desk{room: room} }

// sit waits until there is room for a text of a size, at most all of the room, and answers how to leave.
// CodeUnavailable: ctx ended before.
func (d *desk) sit(ctx context.Context, size int) (leave func(), err error) {
	r := &reader{size: size, sat: make(chan struct{})}
	d.mu.Lock()
	d.waiting = append(d.waiting, r)
	d.next()
	d.mu.Unlock()
	select {
	case <-r.sat:
		return func() { d.leave(r) }, nil
	case <-ctx.Done():
		d.leave(r)
		return nil, hive.Errorf(hive.CodeUnavailable,
			"the server is reading other large documents; try again in a minute").
			WithReason(hive.ErrorBusy)
	}
}

// leave gives the room of a reader back, or its place in the row.
func (d *desk) leave(r *reader) {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-r.sat:
		d.room += r.size
	default:
		for i, one := range d.waiting {
			if one == r {
				d.waiting = append(d.waiting[:i], d.waiting[i+1:]...)
				break
			}
		}
	}
	d.next()
}

// next seats those who waited longest, while there is room.
func (d *desk) next() {
	for len(d.waiting) > 0 && d.waiting[0].size <= d.room {
		d.room -= d.waiting[0].size
		close(d.waiting[0].sat)
		d.waiting = d.waiting[1:]
	}
}

// sit waits until a text may be read: a small one never waits for large ones. What is longer than a document may be is
// refused by who reads it.
func (s *Service) sit(ctx context.Context, size int) (leave func(), err error) {
	if size <= smallText {
		return s.small.sit(ctx, size)
	}
	return s.large.sit(ctx, min(size, largeTexts))
}
