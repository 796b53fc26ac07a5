// Package groupwait waits for a group of goroutines with a time limit.
package groupwait

import (
	"sync"
	"time"
)

// For waits for a group, but not longer than limit. It reports whether the group is done. If it is not, a goroutine
// continues to wait until the group is done.
func For(g *sync.WaitGroup, limit time.Duration) bool {
	done := make(chan struct{})
	go func() {
		g.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
