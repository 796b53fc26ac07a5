package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// A new process of an executor is attached at once, even if a call to the former process fails later.
func TestNewProcessIsAttachedAtOnce(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{"at another address": "x:2", "at the same address": "x:1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, now := durable(t)
			poll := due[*PollCall](t, f, now)
			f.Answered(now, &Unanswered{Call: poll, Failure: Failure{Words: "connection refused"}})
			now = f.executors["x"].retryAt
			former := due[*AttachCall](t, f, now)
			f.Register(now, hive.Executor{
				ID: "x", Name: "x", Address: address, Slots: 4, BootID: "b2", Durable: true,
				Handlers: []hive.Handler{{Name: "shell"}},
			})
			f.Answered(now, &Unanswered{Call: former, Failure: Failure{Words: "connection refused"}})
			attach := due[*AttachCall](t, f, now)
			assert.Equal(t, "b2", attach.Executor.BootID)
			f.Answered(now, &AttachAnswer{Call: attach, BootID: "b2"})
			assert.Equal(t, hive.ExecutorOnline, f.Statuses(now)[0].State)
		})
	}
}

// The first poll after an attach does not wait: submits need the number of an answer, also of an executor that would
// wait for an event.
func TestFirstPollDoesNotWait(t *testing.T) {
	t.Parallel()
	f, now := &calling{Fleet: New(Settings{PollWait: time.Second})}, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	f.Register(now, hive.Executor{ID: "x", Name: "x", Address: "x:1", Slots: 4, BootID: "b", Durable: true})
	f.Answered(now, &AttachAnswer{Call: due[*AttachCall](t, f, now), BootID: "b"})
	first := due[*PollCall](t, f, now)
	assert.Zero(t, first.Wait)
	f.Answered(now, &PollAnswer{Call: first, BootID: "b", Number: 1})
	assert.Equal(t, time.Second, due[*PollCall](t, f, now).Wait)
}
