package fleet

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// ref names an attempt without a key.
func ref(id int64) hive.AttemptRef { return hive.AttemptRef{ID: id} }

// durable makes a fleet with one durable executor that is attached, in session 7.
func durable(t *testing.T) (*calling, time.Time) {
	t.Helper()
	f, now := &calling{Fleet: New(Settings{})}, time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	f.BeginSession(7)
	f.Register(now, hive.Executor{
		ID: "x", Name: "x", Address: "x:1", Slots: 4, BootID: "b", Durable: true,
		Handlers: []hive.Handler{{Name: "shell"}},
	})
	f.Answered(now, &AttachAnswer{Call: due[*AttachCall](t, f, now), BootID: "b"})
	f.Answered(now, &PollAnswer{Call: due[*PollCall](t, f, now), BootID: "b", Number: 1})
	return f, now
}

// calling is a fleet and the calls that are under way.
type calling struct {
	*Fleet
	under []Call
}

// due returns the call of a kind that is under way, or due now.
func due[C Call](t *testing.T, f *calling, now time.Time) C {
	t.Helper()
	f.under = append(f.under, f.Calls(now)...)
	for i, c := range f.under {
		if c, ok := c.(C); ok {
			f.under = slices.Delete(f.under, i, i+1)
			return c
		}
	}
	var none C
	require.Failf(t, "no such call is due", "%T", none)
	return none
}

// startAttempt offers an attempt and answers with a receipt, so that it runs.
func startAttempt(t *testing.T, f *calling, now time.Time, a hive.AttemptRef) {
	t.Helper()
	f.Reserve("x", a)
	f.Offer(hive.Assignment{Attempt: a.ID, Key: a.Key, Executor: "x"})
	f.Answered(now, &SubmitAnswer{
		Call: due[*SubmitCall](t, f, now), Receipts: []Receipt{{Attempt: a, Code: ReceiptStarted}},
	})
	require.Equal(t, hive.EventStarted, f.Events()[0].Kind)
}
