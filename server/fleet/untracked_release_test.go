package fleet

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// An executor crashes before its journal has the release of an attempt that the database does not have. After the
// restart it reports the attempt again. The attempt is released again, without a second notice.
func TestLostReleaseOfUnknownAttempt(t *testing.T) {
	t.Parallel()
	f, now := durable(t)
	other := hive.AttemptRef{ID: 5, Key: "other"}
	f.BeginSession(8)
	f.under = nil
	f.Answered(now, &AttachAnswer{
		Call: due[*AttachCall](t, f, now), BootID: "b", Others: []OtherAttempt{{Attempt: other}},
	})
	untracked := f.TakeUntracked()
	require.Len(t, untracked, 1)
	f.Resolve(untracked[0], StandingUnknown)
	x := f.executors["x"]
	again := UntrackedAttempt{OtherAttempt: OtherAttempt{Attempt: other}}
	f.foundUntracked(x, again)
	assert.Empty(t, x.releases, "its log is still to be copied")

	f.Release("x", other)
	assert.Equal(t, []hive.AttemptRef{other}, x.releases)
	x.releases = nil // the executor has it, and loses it
	f.foundUntracked(x, again)
	assert.Equal(t, []hive.AttemptRef{other}, x.releases)
	assert.Empty(t, f.TakeUntracked())
}
