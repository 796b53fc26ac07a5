package state

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

func TestRetryDelay(t *testing.T) {
	t.Parallel()
	second := hive.Duration(time.Second)
	for _, c := range []struct {
		retry hive.Retry
		want  []time.Duration // after the first failure, the second, …
	}{
		{hive.Retry{}, []time.Duration{0, 0}},
		{hive.Retry{Delay: 30 * second}, []time.Duration{30 * time.Second, 30 * time.Second}},
		{hive.Retry{Delay: 30 * second, Backoff: 2}, []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute}},
		{
			hive.Retry{Delay: 30 * second, Backoff: 2, MaxDelay: 45 * second},
			[]time.Duration{30 * time.Second, 45 * time.Second, 45 * time.Second},
		},
		{hive.Retry{Delay: 60 * second, MaxDelay: 45 * second}, []time.Duration{45 * time.Second}},
		{hive.Retry{Delay: 40 * second, Backoff: 0.5}, []time.Duration{40 * time.Second, 20 * time.Second}},
	} {
		for i, want := range c.want {
			require.Equal(t, want, retryDelay(c.retry, i+1).Std(), "%+v after %d", c.retry, i+1)
		}
	}
	require.Positive(t, retryDelay(hive.Retry{Delay: second, Backoff: 10}, 500), "a huge delay does not overflow")
}

// Every wait is within its share, at most maxDelay, and the same for the same attempt.
func TestSpread(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := hive.Retry{
			Jitter:   rapid.Float64Range(0, 1).Draw(t, "jitter"),
			MaxDelay: hive.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "most")),
		}
		d := hive.Duration(rapid.Int64Range(0, int64(2*time.Hour)).Draw(t, "delay"))
		if r.MaxDelay > 0 {
			d = min(d, r.MaxDelay) // as retryDelay returns it
		}
		a := &attempt{run: rapid.IntRange(0, 20_000).Draw(t, "run")}
		a.Round, a.Number = rapid.IntRange(1, 5).Draw(t, "round"), rapid.IntRange(1, 100).Draw(t, "number")
		batch := rapid.Int64Min(1).Draw(t, "batch")
		got := spread(d, r, batch, a)
		low, high := float64(d)*(1-r.Jitter), float64(d)*(1+r.Jitter)
		if r.MaxDelay > 0 {
			high = min(high, float64(r.MaxDelay))
		}
		if float64(got) < low-1 || float64(got) > high+1 || got < 0 {
			t.Fatalf("%s with %+v waits %s", d, r, got)
		}
		if again := spread(d, r, batch, a); again != got {
			t.Fatalf("%s, and then %s", got, again)
		}
	})
	require.Positive(t, spread(1<<62, hive.Retry{Jitter: 1}, 1, &attempt{}), "a huge delay does not overflow")
}

// The tasks of a batch that fail together, the same task of many batches, and the attempts of one task are spread over
// the whole range: each tenth of it has about a tenth of the waits.
func TestSpreadFillsItsRange(t *testing.T) {
	t.Parallel()
	const n = 10_000
	vary := map[string]func(i int) (int64, *attempt){
		"runs": func(i int) (int64, *attempt) {
			return 7, &attempt{run: i, Attempt: hive.Attempt{Round: 1, Number: 1}}
		},
		"batches": func(i int) (int64, *attempt) {
			return int64(i), &attempt{Attempt: hive.Attempt{Round: 1, Number: 1}}
		},
		"attempts": func(i int) (int64, *attempt) {
			return 7, &attempt{run: 3, Attempt: hive.Attempt{Round: 1, Number: i}}
		},
		"rounds": func(i int) (int64, *attempt) {
			return 7, &attempt{run: 3, Attempt: hive.Attempt{Round: i, Number: 2}}
		},
	}
	for name, of := range vary {
		for _, c := range []struct {
			retry     hive.Retry
			low, high float64
		}{
			{hive.Retry{Jitter: 0.5}, 50, 150},
			{hive.Retry{Jitter: 0.5, MaxDelay: hive.Duration(100 * time.Second)}, 50, 100},
		} {
			var tenths [10]int
			for i := range n {
				batch, a := of(i)
				wait := spread(hive.Duration(100*time.Second), c.retry, batch, a).Std().Seconds()
				tenths[min(9, int((wait-c.low)/(c.high-c.low)*10))]++
			}
			for i, count := range tenths {
				require.InDelta(t, n/10, count, 150, "%s, tenth %d of %+v", name, i, c.retry)
			}
		}
	}
}

// A wait is stored with the run. A machine that is built anew keeps it, and one that sees the same events computes it
// again.
func TestJitterOfARun(t *testing.T) {
	t.Parallel()
	def := func() *hive.Definition {
		k := task("a")
		k.Retry = hive.Retry{Max: 1, Delay: hive.Duration(100 * time.Second), Jitter: 0.2}
		other := k
		other.Key = "b"
		return schedule(job("one", k, other))
	}
	b, again := start(t, def()), start(t, def())
	b.fail("a", "b")
	again.fail("a", "b")
	wait := b.run("a").NotBefore
	require.WithinRange(t, wait, b.now.Add(80*time.Second), b.now.Add(120*time.Second))
	require.NotEqual(t, wait, b.run("b").NotBefore, "tasks that fail together do not come back together")
	require.Equal(t, wait, again.run("a").NotBefore)
	require.Equal(t, wait, New(stored(b.m), whens{}).Run(0).NotBefore)
}

// Which failures are repeated, and what the attempt says if attempts were left and it was not.
func TestWhichFailuresAreRepeated(t *testing.T) {
	t.Parallel()
	code := 3
	failed := Ended{Outcome: hive.OutcomeFailure, ExitCode: &code, Error: hive.Plain("boom")}
	timeout, killed := Ended{Outcome: hive.OutcomeTimeout}, Ended{Outcome: hive.OutcomeKilled}
	for _, c := range []struct {
		name  string
		retry hive.Retry
		end   Ended
		state hive.RunState
		code  hive.SentenceReason
		note  string
	}{
		{"every failure", hive.Retry{}, failed, hive.RunReady, "", ""},
		{"its exit code", hive.Retry{On: "1-5, timeout"}, failed, hive.RunReady, "", ""},
		{
			"another exit code",
			hive.Retry{On: "75, timeout"},
			failed, hive.RunFailed, hive.SentenceRetryCode,
			"not retried: exit code 3 is not in retry.on (75, timeout)",
		},
		{
			"no exit code",
			hive.Retry{On: "75"},
			Ended{Outcome: hive.OutcomeFailure},
			hive.RunFailed,
			hive.SentenceRetryNoCode, "not retried: a failure without an exit code is not in retry.on (75)",
		},
		{"any failure of its own", hive.Retry{On: "failure"}, failed, hive.RunReady, "", ""},
		{"a timeout", hive.Retry{On: "75, timeout"}, timeout, hive.RunReady, "", ""},
		{
			"no timeout",
			hive.Retry{On: "failure"},
			timeout, hive.RunFailed, hive.SentenceRetryTimeout,
			"not retried: timeout is not in retry.on (failure)",
		},
		{"a kill", hive.Retry{On: "killed"}, killed, hive.RunReady, "", ""},
		{
			"no kill",
			hive.Retry{On: "failure"},
			killed, hive.RunFailed, hive.SentenceRetryKilled,
			"not retried: killed is not in retry.on (failure)",
		},
		{"a condition that is true", hive.Retry{When: "true"}, failed, hive.RunReady, "", ""},
		{"a condition on the failure", hive.Retry{When: "once"}, failed, hive.RunReady, "", ""},
		{
			"a condition that is false",
			hive.Retry{When: "false"},
			failed, hive.RunFailed, hive.SentenceRetryWhen,
			"not retried: retry.when is false (false)",
		},
		{
			"a condition that cannot be evaluated",
			hive.Retry{When: "error"},
			failed, hive.RunFailed,
			hive.SentenceRetryError, "not retried, because retry.when cannot be evaluated: no such name",
		},
		{
			"the list comes first",
			hive.Retry{On: "75", When: "error"},
			failed, hive.RunFailed, hive.SentenceRetryCode,
			"not retried: exit code 3 is not in retry.on (75)",
		},
		{
			"both must hold",
			hive.Retry{On: "3", When: "false"},
			failed, hive.RunFailed, hive.SentenceRetryWhen,
			"not retried: retry.when is false (false)",
		},
	} {
		k := task("a")
		k.Retry = c.retry
		k.Retry.Max = 2
		b := start(t, schedule(job("one", k)))
		c.end.Attempt = b.begin("a")
		b.do(c.end)
		a, _ := b.m.Attempt(c.end.Attempt)
		require.Equal(t, c.state, b.run("a").State, c.name)
		require.Equal(t, c.note, a.NotRetried(), c.name)
		require.Equal(t, c.end.Error.Text, b.run("a").Detail, "%s: the failure is not lost", c.name)
		if c.note != "" {
			require.Equal(t, c.code, a.Reasons.OfNote(len(a.Notes)-1).Code, c.name)
		}
	}
}

// An attempt has no note about retry.on or retry.when if no attempts are left, or if the executor asked not to retry.
func TestRetriesThatAreUsedUp(t *testing.T) {
	t.Parallel()
	k := task("a")
	k.Retry = hive.Retry{Max: 1, On: "timeout", When: "error"}
	for _, asks := range []bool{true, false} {
		b := start(t, schedule(job("one", k)))
		id := b.begin("a")
		b.do(Ended{Attempt: id, Outcome: hive.OutcomeFailure, NoRetry: asks})
		a, _ := b.m.Attempt(id)
		require.Equal(t, hive.RunFailed, b.run("a").State)
		require.Len(t, a.Notes, 1)
		require.Equal(t, asks, a.NoRetry())
	}
	k.Retry = hive.Retry{On: "timeout", When: "error"}
	b := start(t, schedule(job("one", k)))
	id := b.begin("a")
	b.do(Ended{Attempt: id, Outcome: hive.OutcomeFailure})
	a, _ := b.m.Attempt(id)
	require.Equal(t, hive.RunFailed, b.run("a").State)
	require.Empty(t, a.Notes)
}

// Losses follow onLost only.
func TestLossesDoNotFollowRetry(t *testing.T) {
	t.Parallel()
	k := task("a")
	k.Retry = hive.Retry{Max: 1, On: "75", When: "false"}
	b := start(t, schedule(job("one", k)))
	b.do(Lost{Attempt: b.begin("a"), Words: hive.Plain("gone")})
	r := b.run("a")
	require.Equal(t, []any{hive.RunReady, hive.ReasonLostRetry}, []any{r.State, r.Reason})
}

// A condition without anything that evaluates it repeats nothing.
func TestRetryWithoutConditions(t *testing.T) {
	t.Parallel()
	k := task("a")
	k.Retry = hive.Retry{Max: 1, When: "true"}
	b := start(t, schedule(job("one", k)))
	b.m.conditions = nil
	id := b.begin("a")
	b.do(Ended{Attempt: id, Outcome: hive.OutcomeFailure})
	a, _ := b.m.Attempt(id)
	require.Equal(t, hive.RunFailed, b.run("a").State)
	require.Contains(t, a.NotRetried(), "no conditions can be evaluated here")
}

// A shard is a run of its own: its condition sees which part it is.
func TestShardsFollowRetry(t *testing.T) {
	t.Parallel()
	def := copies(3)
	def.Jobs[0].Tasks[0].Retry = hive.Retry{Max: 2, Delay: hive.Duration(time.Minute), Jitter: 1, When: "shard"}
	b := start(t, def)
	b.split("copy")
	b.endShards("copy", hive.OutcomeFailure, hive.OutcomeFailure, hive.OutcomeFailure)
	require.Equal(t, hive.RunFailed, b.shard("copy", 0).State)
	require.Equal(t, hive.RunReady, b.shard("copy", 1).State)
	require.Equal(t, hive.RunFailed, b.shard("copy", 2).State)
	require.Equal(t, hive.RunRunning, b.run("copy").State)
}
