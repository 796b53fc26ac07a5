package chainrepair

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func asError(err error, to **hive.Error) bool { return errors.As(err, to) }

// step makes a step from its words: the act, then what its batch and its repair are now.
func step(words string, needs ...int) hive.ChainStep {
	s := hive.ChainStep{Needs: needs, Fate: hive.StepRerun, Round: 1, RoundNow: 1, State: hive.BatchSucceeded}
	for word := range strings.FieldsSeq(words) {
		switch word {
		case "waiting":
			s.Act = hive.StepWaiting
		case "sent":
			s.Act, s.Command, s.RoundNow = hive.StepSent, hive.CommandApplied, 2
		case "pending":
			s.Command, s.RoundNow = hive.CommandPending, 1
		case "refused":
			s.Command, s.RoundNow = hive.CommandRefused, 1
			s.Refusal = &hive.Problem{Reason: hive.ErrorNothing}
		case "moved":
			s.Refusal = &hive.Problem{Reason: hive.ErrorRoundMoved}
			s.RoundNow = 2
		case "out":
			s.Act, s.Fate = hive.StepLeftOut, hive.StepLive
		case "superseded":
			s.Act, s.RoundNow = hive.StepSuperseded, 2
		case "live":
			s.Live, s.State = true, hive.BatchRunning
		case "failed":
			s.State = hive.BatchFailed
		case "canceled":
			s.State = hive.BatchCanceled
		case "other": // another round
			s.RoundNow++
		}
	}
	return s
}

func TestDecide(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps []hive.ChainStep
		want  string
	}{
		"the first runs":        {[]hive.ChainStep{step("sent live"), step("waiting", 0)}, "running"},
		"the first is pending":  {[]hive.ChainStep{step("sent pending"), step("waiting", 0)}, "running"},
		"the first has ended":   {[]hive.ChainStep{step("sent"), step("waiting", 0)}, "running, 1 sent"},
		"the first was refused": {[]hive.ChainStep{step("sent refused"), step("waiting", 0)}, "canceled"},
		"the first was refused, because somebody ran it": {
			[]hive.ChainStep{step("sent refused other"), step("waiting", 0)}, "canceled",
		},
		"the first has failed": {[]hive.ChainStep{step("sent failed"), step("waiting", 0)}, "stopped by 100"},
		"the first was canceled": {
			[]hive.ChainStep{step("sent canceled"), step("waiting", 0)}, "stopped by 100",
		},
		"all have ended": {[]hive.ChainStep{step("sent"), step("sent", 0)}, "done"},
		"the last has failed and holds up nothing": {
			[]hive.ChainStep{step("sent"), step("sent failed", 0)}, "done",
		},
		"a diamond waits for both sides": {
			[]hive.ChainStep{step("sent"), step("sent", 0), step("sent live", 0), step("waiting", 1, 2)}, "running",
		},
		"a failed side holds up the end, and the other side goes on": {
			[]hive.ChainStep{step("sent"), step("sent failed", 0), step("waiting", 0), step("waiting", 1, 2)},
			"stopped by 101, 2 sent",
		},
		"the failed side is resumed": {
			[]hive.ChainStep{step("sent"), step("sent live", 0), step("sent", 0), step("waiting", 1, 2)}, "running",
		},
		"the failed side was repaired": {
			[]hive.ChainStep{step("sent"), step("sent other", 0), step("sent", 0), step("waiting", 1, 2)},
			"running, 3 sent",
		},
		"somebody ran the batch of a step before": {
			[]hive.ChainStep{step("sent"), step("waiting other", 0), step("waiting", 1)}, "running, 1 superseded",
		},
		"somebody runs it now": {
			[]hive.ChainStep{step("sent"), step("waiting live", 0), step("waiting", 1)}, "running, 1 superseded",
		},
		"what is behind it waits for its end": {
			[]hive.ChainStep{step("sent"), step("superseded live", 0), step("waiting", 1)}, "running",
		},
		"its end": {[]hive.ChainStep{step("sent"), step("superseded", 0), step("waiting", 1)}, "running, 2 sent"},
		"its failure": {
			[]hive.ChainStep{step("sent"), step("superseded failed", 0), step("waiting", 1)}, "stopped by 101",
		},
		"its owner saw that somebody ran it": {
			[]hive.ChainStep{step("sent"), step("sent refused moved", 0), step("waiting", 1)}, "running, 2 sent",
		},
		"one that ran from the beginning": {
			[]hive.ChainStep{step("sent"), step("out live", 0), step("waiting", 1)}, "running",
		},
		"its end lets the next begin": {
			[]hive.ChainStep{step("sent"), step("out", 0), step("waiting", 1)}, "running, 2 sent",
		},
		"nothing waits for one that still runs": {[]hive.ChainStep{step("sent"), step("out live", 0)}, "done"},
		"a refused step stops": {
			[]hive.ChainStep{step("sent"), step("sent refused", 0), step("waiting", 1)}, "stopped by 101",
		},
		"a refused step that a person ran": {
			[]hive.ChainStep{step("sent"), step("sent refused other", 0), step("waiting", 1)}, "running, 2 sent",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := hive.ChainRepair{State: hive.ChainRepairRunning, Steps: c.steps}
			for i := range r.Steps {
				r.Steps[i].Position, r.Steps[i].Batch = i, int64(100+i)
			}
			w := Decide(&r)
			got := string(w.State)
			if w.StoppedBy != 0 {
				got += fmt.Sprint(" by ", w.StoppedBy)
			}
			for _, s := range w.Steps {
				got += fmt.Sprintf(", %d %s", s.Position, s.Act)
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	over := hive.ChainRepair{State: hive.ChainRepairCanceled, Steps: []hive.ChainStep{step("sent"), step("waiting", 0)}}
	if w := Decide(&over); changes(&over, &w) {
		t.Errorf("a canceled one goes on: %+v", w)
	}
}
