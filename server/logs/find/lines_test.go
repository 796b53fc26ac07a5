package find

import (
	"context"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// While the lines of a slow log are counted, and other queries wait for them, other logs are searched.
func TestSlowLogDelaysNoOther(t *testing.T) {
	t.Parallel()
	f, m := NewFinder(still), &memory{text: []byte("a\nb\n"), most: piece}
	arrived, release := make(chan struct{}, 2), make(chan struct{})
	done := make(chan error, 2)
	ask := func(read Read) {
		_, err := f.Find(t.Context(), 1, read, hive.LogQuery{Line: 2})
		done <- err
	}
	go ask(func(ctx context.Context, offset, limit int64) (hive.LogPart, error) {
		if limit > 1 { // not how long it is
			arrived <- struct{}{}
			<-release
		}
		return m.read(ctx, offset, limit)
	})
	<-arrived
	f.lines.entry(1) // the second who asks about it
	if p, err := f.Find(t.Context(), 2, m.read, hive.LogQuery{Line: 2}); err != nil || p.Offset != 2 {
		t.Errorf("found %+v, %v", p, err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
