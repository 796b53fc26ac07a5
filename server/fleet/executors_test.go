package fleet

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// An executor that starts again at another address is attached at once, even if a call to the old address fails later.
func TestMovedExecutorIsAttachedAtOnce(t *testing.T) {
	t.Parallel()
	f, now := durable(t)
	poll := due[*PollCall](t, f, now)
	f.Answered(now, &Unanswered{Call: poll, Failure: Failure{Words: "connection refused"}})
	now = now.Add(f.executors["x"].retryAt.Sub(now))
	toOld := due[*AttachCall](t, f, now)
	f.Register(now, hive.Executor{
		ID: "x", Name: "x", Address: "x:2", Slots: 4, BootID: "b2", Durable: true,
		Handlers: []hive.Handler{{Name: "shell"}},
	})
	f.Answered(now, &Unanswered{Call: toOld, Failure: Failure{Words: "connection refused"}})
	toNew := due[*AttachCall](t, f, now)
	assert.Equal(t, "x:2", toNew.Executor.Address)
	f.Answered(now, &AttachAnswer{Call: toNew, BootID: "b2"})
	assert.Equal(t, hive.ExecutorOnline, f.Statuses(now)[0].State)
}
