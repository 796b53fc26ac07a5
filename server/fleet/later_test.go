package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// stale refuses a call for a later session.
func stale(c SessionCall, epoch int64) *Unanswered {
	return &Unanswered{Call: c, Failure: Failure{
		Words: "refused", Trouble: hive.Plain("it knows a later session"), Stale: true, LaterEpoch: epoch,
	}}
}

// An executor that knows a later session reports it. An impossible one is ignored.
func TestLaterSessions(t *testing.T) {
	t.Parallel()
	for heard, want := range map[int64]bool{6: false, 7: true, 8: true, 7 + maxLead: true, 8 + maxLead: false} {
		f, now := durable(t)
		now = now.Add(time.Second)
		f.Answered(now, stale(due[*PollCall](t, f, now), heard))
		later, ok := f.Later()
		assert.Equal(t, want, ok, heard)
		if want {
			assert.Equal(t, hive.Later{Executor: "x", Epoch: heard}, later)
		}
		_, again := f.Later()
		assert.False(t, again, "each is returned once")
		assert.Equal(t, "it knows a later session", f.Statuses(now)[0].Trouble.Text)
	}
}

// Answers to calls of a former session are ignored.
func TestLaterSessionOfAFormerSession(t *testing.T) {
	t.Parallel()
	f, now := durable(t)
	now = now.Add(time.Second)
	poll := due[*PollCall](t, f, now)
	f.BeginSession(9)
	f.Answered(now, stale(poll, 8))
	_, ok := f.Later()
	assert.False(t, ok)
}
