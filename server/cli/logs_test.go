package cli_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

func TestLogsFollow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// Attempt 1 writes more and fails, attempt 2 follows, and the server is away once.
	var step atomic.Int32
	logs := []string{"one\n", "one\ntwo\n"}
	w.AttemptsF = func(int64, string) ([]hive.AttemptView, error) {
		s := step.Load()
		if s == 0 {
			return nil, nil
		}
		list := []hive.AttemptView{
			{Task: "b", Attempt: hive.Attempt{ID: 1, Number: 1, Outcome: hive.OutcomeReturned}},
			{Task: "b", Attempt: hive.Attempt{ID: 2, Number: 1}},
		}
		if s >= 3 {
			list = append(list, hive.AttemptView{Task: "b", Attempt: hive.Attempt{ID: 3, Number: 2}})
		}
		for i := range list {
			list[i].State = hive.AttemptRunning
		}
		return list, nil
	}
	w.LogF = func(a hive.Attempt, offset, limit int64) (hive.LogPart, error) {
		s := step.Load()
		if a.ID == 3 {
			return apitest.Log([]byte("again\n"), true)(a, offset, limit)
		}
		if s == 1 {
			return apitest.Log([]byte(logs[0]), false)(a, offset, limit)
		}
		return apitest.Log([]byte(logs[1]), s >= 2)(a, offset, limit)
	}
	w.ViewF = func(int64, bool) (hive.BatchView, error) {
		v := apitest.SampleBatch()
		v.Batch.Live = true
		v.Runs[1].State = hive.RunRunning
		if s := step.Add(1) - 1; s == 2 {
			return v, errors.New("away")
		} else if s >= 4 {
			v.Runs[1].State = hive.RunSucceeded
		}
		return v, nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	w.want(w.with(ctx, "", "logs", "7", "b", "-f"), 0, "one\ntwo\nagain\n", "")
}

// An incomplete log must not look complete or empty.
func TestMissingLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for text, final := range map[string]bool{"": true, "one\n": true, "two\n": false} {
		w.LogF = apitest.Log([]byte(text), false)
		w.ViewF = func(int64, bool) (hive.BatchView, error) {
			v := apitest.SampleBatch()
			v.Batch.Live = true
			if v.Runs[1].State = hive.RunRunning; final {
				v.Runs[1].State = hive.RunSucceeded
			}
			return v, nil
		}
		o := w.hivego("logs", "7", "b")
		if o.code != 0 || o.stdout != text || strings.Contains(o.stderr, "has not got the end of its log") != final {
			t.Errorf("%q, final %t: exit %d, %q, %q", text, final, o.code, o.stdout, o.stderr)
		}
	}
	w.LogF = apitest.Log([]byte("all\n"), true)
	w.want(w.hivego("logs", "7", "b"), 0, "all\n", "")
	if o := w.hivego("logs", "7", "b"); o.stderr != "" {
		t.Errorf("a whole log: %q", o.stderr)
	}
}

// The rest of a log is lost with its executor, however long the command waits. The log of the next attempt is printed.
func TestFollowALogThatIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.LogF = apitest.Log([]byte("begins\n"), false)
	attempts := []hive.AttemptView{{Attempt: hive.Attempt{ID: 1, Number: 1}}}
	w.AttemptsF = func(int64, string) ([]hive.AttemptView, error) { return attempts, nil }
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	w.want(w.with(ctx, "", "logs", "7", "b", "-f"), 0, "begins\n",
		"attempt 1 has ended, but the server has not got the end of its log")
	attempts = append(attempts, hive.AttemptView{Attempt: hive.Attempt{ID: 2, Number: 2}})
	w.want(w.with(ctx, "", "logs", "7", "b", "--attempt", "1"), 0, "begins\n", "attempt 1 has ended")
	w.want(w.with(ctx, "", "logs", "7", "b", "--attempt", "1", "-f"), 0, "begins\n", "attempt 1 has ended")
}

// A running attempt without a line says why there may be none.
func TestLogsOfAnAttemptWithoutOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.LogF = apitest.Log(nil, false)
	w.ViewF = func(int64, bool) (hive.BatchView, error) {
		v := apitest.SampleBatch()
		v.Batch.Live, v.Runs[1].State = true, hive.RunRunning
		return v, nil
	}
	w.AttemptsF = func(int64, string) ([]hive.AttemptView, error) {
		return []hive.AttemptView{{Attempt: hive.Attempt{ID: 1, Number: 1}}}, nil
	}
	w.want(w.hivego("logs", "7", "b"), 0, "", "an executor that only offers run sends it when the attempt ends")
}

func TestLogsOfATaskThatHasNotStarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.AttemptsF = func(int64, string) ([]hive.AttemptView, error) { return nil, nil }
	w.want(w.hivego("logs", "7", "c"), 2, "", "not started")
	w.want(w.hivego("logs", "7", "c", "-f"), 0, "", "") // the run was skipped, so nothing follows
}
