package catalog

import (
	"context"

	"golang.org/x/sync/semaphore"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// How much text is parsed at once. A parsed text takes up to two hundred times its own size in memory until its request
// is answered, so a dozen of the largest documents at the same moment would take several gigabytes.
const (
	smallText  = 128 << 10        // bytes; a longer text is large
	smallTexts = 2 << 20          // sum of all small texts
	largeTexts = document.MaxSize // sum of all large texts
)

// parseLimit bounds the size of all texts that are parsed at the same time. Further callers wait in the order of their
// arrival. Small texts have a limit of their own, so that they never wait for large ones.
type parseLimit struct {
	small, large *semaphore.Weighted
}

func newParseLimit() parseLimit {
	return parseLimit{small: semaphore.NewWeighted(smallTexts), large: semaphore.NewWeighted(largeTexts)}
}

// acquire waits until a text of this size may be parsed. The caller must call release afterwards. A text above the size
// limit of documents waits for the complete limit of large texts; the parser then refuses it. CodeUnavailable: ctx
// ended first.
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
