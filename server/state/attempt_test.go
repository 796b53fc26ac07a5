package state

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

func TestAttemptRowsCarryEverything(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a"))))
	id := b.offer("a")
	a, ok := b.m.Attempt(id)
	require.True(t, ok)
	require.Equal(t, hive.Attempt{
		ID: id, BatchID: 7, RunID: 100, Number: 1, Round: 1, Executor: "x", ExecutorName: "X",
		State: hive.AttemptOffered, OfferedAt: b.now,
	}, a)
	b.do(Noted{Attempt: id, Note: hive.Plain("out of reach")})
	b.now = b.now.Add(2 * time.Second)
	b.do(Started{Attempt: id, At: b.now.Add(-time.Second)})
	code := 0
	finished := b.now.Add(3 * time.Second)
	b.now = finished.Add(time.Second)
	step := b.do(Ended{
		Attempt: id, Outcome: hive.OutcomeSuccess, ExitCode: &code, Outputs: map[string]string{"rows": "3"},
		FinishedAt: finished, LogBytes: 512,
	})
	require.Equal(t, []int64{id}, step.Attempts)
	require.True(t, step.BatchChanged)
	a, _ = b.m.Attempt(id)
	require.Equal(t, []string{"out of reach"}, a.Notes)
	require.Equal(t, hive.OutcomeSuccess, a.Outcome)
	require.EqualValues(t, 512, a.LogBytes)
	r := b.run("a")
	require.Equal(t, epoch().Add(time.Second), r.StartedAt)
	require.Equal(t, finished, r.FinishedAt)
	require.Equal(t, b.now, r.ChangedAt)
	require.Equal(t, map[string]string{"rows": "3"}, r.Outputs)
	require.Equal(t, 0, *r.ExitCode)
	b.m.Forget(id)
	_, err := b.m.Apply(b.now, Started{Attempt: id})
	require.ErrorIs(t, err, ErrUnknownAttempt)
}

func TestNotesAreLimited(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a"))))
	id := b.offer("a")
	for i := range 50 {
		b.do(Noted{Attempt: id, Note: hive.Plain(fmt.Sprintf("line %d", i))})
		b.do(Noted{Attempt: id, Note: hive.Plain(fmt.Sprintf("line %d", i))})
	}
	b.do(Noted{Attempt: id, Note: hive.Plain(strings.Repeat("x", 10_000))})
	a, _ := b.m.Attempt(id)
	require.Len(t, a.Notes, maxNotes)
	require.Equal(t, "line 0", a.Notes[0])
	require.LessOrEqual(t, len(a.Notes[maxNotes-1]), maxNote)
	require.Equal(t, "line 49", a.Notes[maxNotes-2])
}

func TestOffersThatDoNotFit(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a"), task("b")), job("two", task("c", "a"))))
	id := b.offer("a")
	for name, ev := range map[string]Event{
		"a run in hand":                Offered{Run: 0, Attempt: 99},
		"a waiting run":                Offered{Run: 2, Attempt: 99},
		"no such run":                  Offered{Run: 3, Attempt: 99},
		"no id":                        Offered{Run: 1},
		"an id of another run":         Offered{Run: 1, Attempt: id},
		"an attempt that never was":    Ended{Attempt: 77, Outcome: hive.OutcomeSuccess},
		"an outcome that is not known": Ended{Attempt: id, Outcome: "better"},
		"no wish":                      Wish{Wish: "hurry"},
	} {
		before := snap(b.m)
		_, err := b.m.Apply(b.now, ev)
		require.Error(t, err, name)
		require.Equal(t, before, snap(b.m), name)
	}
	require.Equal(t, Step{}, b.do(Offered{Run: 0, Attempt: id}), "the same offer again")
	b.do(Wish{Wish: hive.WishPause})
	_, err := b.m.Apply(b.now, Offered{Run: 1, Attempt: 99})
	require.ErrorContains(t, err, "wish pause")
	b.do(Started{Attempt: id})
	_, err = b.m.Apply(b.now, Returned{Attempt: id})
	require.ErrorContains(t, err, "receipt")
}

func TestReturnedIsNotCounted(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a"))))
	for range 5 {
		id := b.offer("a")
		b.do(Returned{Attempt: id, Note: hive.Plain("busy")})
		a, _ := b.m.Attempt(id)
		require.Equal(t, hive.OutcomeReturned, a.Outcome)
		require.Equal(t, 1, a.Number)
	}
	r := b.run("a")
	require.Equal(t, hive.RunReady, r.State)
	require.Zero(t, r.Attempts+r.Failures+r.Losses)
}

// A task may limit how often executors reject it in a round, and set a pause after that.
func TestReject(t *testing.T) {
	t.Parallel()
	limit := 2
	k := task("a")
	k.Reject = hive.Reject{Max: &limit, Interval: hive.Duration(10 * time.Second)}
	k.Retry.Max = 3
	b := start(t, schedule(job("one", k)))
	for n := 1; n <= limit; n++ {
		b.do(Returned{Attempt: b.offer("a"), Note: hive.Plain("busy"), Rejected: true})
		require.Equal(t, hive.RunReady, b.run("a").State)
		require.Equal(t, n, b.run("a").Rejects)
		require.Equal(t, b.now.Add(10*time.Second), nextOffer(b.m, b.now))
		b.now = b.now.Add(10 * time.Second)
	}
	b.do(Returned{Attempt: b.offer("a"), Note: hive.Plain("never arrived")})
	require.Equal(t, limit, b.run("a").Rejects, "only an executor rejects")
	require.True(t, nextOffer(b.m, b.now).IsZero())
	b.do(Returned{Attempt: b.offer("a"), Note: hive.Plain("busy"), Rejected: true})
	r := b.run("a")
	require.Equal(t, []any{hive.RunFailed, hive.ReasonRejected}, []any{r.State, r.Reason})
	require.Equal(t, "executors were busy or draining 3 times, and reject.max is 2", r.Detail)
	require.Zero(t, r.Attempts+r.Failures, "a failure that is not retried")
}

func TestRetryWaits(t *testing.T) {
	t.Parallel()
	k := task("a")
	k.Retry = hive.Retry{Max: 2, Delay: hive.Duration(30 * time.Second), Backoff: 2}
	b := start(t, schedule(job("one", k)))
	b.fail("a")
	require.Empty(t, offerable(b.m, b.now))
	require.Equal(t, b.now.Add(30*time.Second), nextOffer(b.m, b.now))
	require.True(t, b.m.NextTimer().IsZero(), "a delay is no timer: it only makes the run offerable")
	_, err := b.m.Apply(b.now, Offered{Run: 0, Attempt: 50})
	require.ErrorContains(t, err, "not offered before")
	b.now = b.now.Add(30 * time.Second)
	require.Equal(t, []int{0}, offerable(b.m, b.now))
	require.True(t, nextOffer(b.m, b.now).IsZero())
	b.fail("a")
	require.Equal(t, b.now.Add(time.Minute), nextOffer(b.m, b.now))
	b.now = b.now.Add(time.Minute)
	b.fail("a")
	require.Equal(t, hive.BatchFailed, b.m.Batch().State)
	require.Equal(t, 3, b.run("a").Attempts)
}

// An executor may ask not to retry a failure or a timeout. One that does not know the field asks for nothing.
func TestNoRetry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outcome hive.Outcome
		asks    bool
		want    hive.RunState
		note    bool
	}{
		{hive.OutcomeFailure, false, hive.RunReady, false},
		{hive.OutcomeFailure, true, hive.RunFailed, true},
		{hive.OutcomeTimeout, true, hive.RunFailed, true},
		{hive.OutcomeSuccess, true, hive.RunSucceeded, false},
		{hive.OutcomeKilled, true, hive.RunReady, false},
	} {
		k := task("a")
		k.Retry.Max = 3
		b := start(t, schedule(job("one", k)))
		id := b.offer("a")
		b.do(Started{Attempt: id})
		b.do(Ended{Attempt: id, Outcome: c.outcome, Error: hive.Plain("bad data"), NoRetry: c.asks})
		a, ok := b.m.Attempt(id)
		require.True(t, ok)
		require.Equal(t, c.want, b.run("a").State, "%+v", c)
		require.Equal(t, c.note, a.NoRetry(), "%+v", c)
		if c.note {
			require.Equal(t, []string{"the executor asked not to retry"}, a.Notes)
			require.Equal(t, "bad data", b.run("a").Detail)
		}
	}
}

func TestLossRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		do   hive.OnLostDo
		lost Lost
		want hive.OnLostDo
	}{
		{"", Lost{}, hive.OnLostRetry},
		{"", Lost{RunOnly: true}, hive.OnLostHold},
		{hive.OnLostRetry, Lost{RunOnly: true}, hive.OnLostRetry},
		{hive.OnLostRetry, Lost{Hold: true}, hive.OnLostHold},
		{"", Lost{Hold: true}, hive.OnLostHold},
		{hive.OnLostFail, Lost{Hold: true}, hive.OnLostFail},
		{hive.OnLostHold, Lost{}, hive.OnLostHold},
	} {
		require.Equal(t, c.want, lossRule(hive.OnLost{Do: c.do}, c.lost), "%+v", c)
	}
}

// The reason of each note and of the error stays beside its text, in the attempt and in its run.
func TestReasonsStayBesideTheirTexts(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a"))))
	id := b.offer("a")
	busy := func(i int) hive.Sentence { return hive.NewSentence("busy", "busy ‹n›", "n", i) }
	b.do(Noted{Attempt: id, Note: hive.Plain("from elsewhere")})
	a, _ := b.m.Attempt(id)
	require.Nil(t, a.Reasons, "a text without a reason costs nothing")
	for i := range 2 * maxNotes {
		b.do(Noted{Attempt: id, Note: busy(i)})
	}
	b.do(Started{Attempt: id})
	bad := hive.NewSentence("bad", "it was ‹what›", "what", "\x00")
	b.do(Ended{Attempt: id, Outcome: hive.OutcomeFailure, Error: bad})
	a, _ = b.m.Attempt(id)
	require.Len(t, a.Notes, maxNotes)
	require.Nil(t, a.Reasons.OfNote(0))
	for i := 1; i < maxNotes; i++ {
		require.Equal(t, "busy "+a.Reasons.OfNote(i).Params["n"], a.Notes[i])
	}
	want := &hive.TextReason{Code: "bad", Params: map[string]string{"what": "\uFFFD"}}
	require.Equal(t, want, a.Reasons.OfError())
	require.Equal(t, want, b.run("a").DetailReason)
}

func TestTextIsCut(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a"))))
	id := b.begin("a")
	b.do(Ended{Attempt: id, Outcome: hive.OutcomeFailure, Error: hive.Plain("\xff\x00" + strings.Repeat("语", 5000))})
	a, _ := b.m.Attempt(id)
	require.LessOrEqual(t, len(a.Error), maxError)
	r := b.run("a")
	require.LessOrEqual(t, len(r.Detail), maxDetail)
	require.NotContains(t, r.Detail, "\x00")
}
