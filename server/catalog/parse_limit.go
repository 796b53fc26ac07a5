package catalog

import (
	"context"

	"golang.org/x/sync/semaphore"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// How much text is parsed at once. A parsed text takes up to two hundred times its own size in memory until its request
// is answered, so a dozen of the largest documents at the same moment would be several gigabytes.
const (
	smallText  = 128 << 10        // bytes; a longer text is large
	smallTexts = 2 << 20          // of all small ones
	largeTexts = document.MaxSize // of all large ones
)

// parseLimit bounds the size of all texts that are parsed at the same time. Whoever finds no room waits, first come,
// first served. Small texts have room of their own, so that they never wait for large ones.
type parseLimit struct {
	small, large *semaphore.Weighted
}

func newParseLimit() parseLimit {
	return parseLimit{small: semaphore.NewWeighted(smallTexts), large: semaphore.NewWeighted(largeTexts)}
}

// acquire waits until there is room to parse a text of a size, and answers how to give the room back. A text that is
// longer than a document may be needs all the room for large ones; the parser refuses it. CodeUnavailable: ctx ended
// before there was room.
func (l *parseLimit) acquire(ctx context.Context, size int) (release func(), err error) {
	room := l.small
	if size > smallText {
		room, size = l.large, min(size, largeTexts)
	}
	if err := room.Acquire(ctx, int64(size)); err != nil {
		return nil, hive.Errorf(hive.CodeUnavailable,
			"the server is reading other large documents; try again in a minute").
			WithReason(hive.ErrorBusy)
	}
	return func() { room.Release(int64(size)) }, nil
}
