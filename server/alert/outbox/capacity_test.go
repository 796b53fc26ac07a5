package outbox_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// An executor without a free slot is reported after the time of each rule, once, until it has one.
func TestExecutorFull(t *testing.T) {
	t.Parallel()
	both(t, func(w *world) {
		w.rule("soon", "on: [executor_full, recovered]\nchannels: [mail]\ngroup: 0s\nwait: 5m\n")
		w.rule("usual", "on: [executor_full]\nchannels: [chat]\ngroup: 0s\n")
		running := func(n int, state hive.ExecutorState) {
			w.set(func() {
				w.executors = []hive.ExecutorView{{
					Executor: hive.Executor{ID: "e1", Name: "etl-1", Slots: 4}, State: state, Running: n,
				}}
			})
		}
		running(4, hive.ExecutorOnline) // at 03:20
		assert.Empty(w, w.pass(0))
		assert.Empty(w, w.pass(4*minute))
		running(3, hive.ExecutorOnline)
		assert.Empty(w, w.pass(minute))
		running(4, hive.ExecutorOnline) // at 03:26
		assert.Empty(w, w.pass(minute))
		assert.Empty(w, w.pass(4*minute))
		assert.Equal(w, []string{"mail: Executor etl-1 has had no free slot since 2026-03-06 03:26 UTC"},
			w.pass(minute))
		assert.Empty(w, w.pass(minute))
		assert.Equal(w, []string{"chat: Executor etl-1 has had no free slot since 2026-03-06 03:26 UTC"},
			w.pass(4*minute))
		running(4, hive.ExecutorSilent)
		assert.Empty(w, w.pass(time.Hour), "it may still be full")
		running(5, hive.ExecutorOnline)
		assert.Empty(w, w.pass(minute))
		running(2, hive.ExecutorOnline)
		assert.Equal(w, []string{"mail: Executor etl-1 has a free slot again"}, w.pass(minute))
		assert.Empty(w, w.pass(minute))
	})
}

// A disk that is short of space is reported once, until it has enough.
func TestDiskShort(t *testing.T) {
	t.Parallel()
	both(t, func(w *world) {
		w.rule("us", "on: [disk_short, recovered]\nchannels: [mail]\ngroup: 0s\n")
		assert.Empty(w, w.pass(minute))
		for range 2 {
			w.set(func() { w.short = errors.New("12 MiB are free") })
			assert.Equal(w, []string{"mail: The disk of a server is short of space"}, w.pass(minute))
			assert.Empty(w, w.pass(minute))
			w.set(func() { w.short = nil })
			assert.Equal(w, []string{"mail: The disk of a server has enough space again"}, w.pass(minute))
		}
	})
}
