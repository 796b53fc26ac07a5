package chainrepair

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/rprp/hivego/server/hive"
)

// MaxSteps is the number of batches that one chain repair can have.
const MaxSteps = 500

// member is a moment of a schedule that the walk has reached.
type member struct {
	step  hive.ChainStep
	needs []*member // what it refers to, of the members that change
	place int       // 0: not placed yet
}

// walker finds what followed a batch.
type walker struct {
	found map[moment]*member
	all   []*member
}

type moment struct{ schedule, at int64 }

// walk lists a batch and what followed it in other schedules, each after those that it depends on. followers lists what
// refers to one batch. It is pure apart from that function.
func walk(first *hive.Batch, followers func(hive.Batch) ([]hive.Follower, error)) ([]hive.ChainStep, error) {
	w := &walker{found: map[moment]*member{}}
	root := w.add(hive.Follower{
		Schedule: hive.Schedule{ID: first.ScheduleID, Name: first.Schedule, Enabled: true}, Moment: first.Moment,
		Batch: first,
	})
	root.step.Fate = hive.StepRerun // the plan of the person says what it means for a live batch
	batches := map[*member]*hive.Batch{root: first}
	for queue := []*member{root}; len(queue) > 0; queue = queue[1:] {
		m := queue[0]
		next, err := followers(*batches[m])
		if err != nil {
			return nil, err
		}
		for i := range next {
			f := &next[i]
			if f.Schedule.ID == first.ScheduleID {
				continue // two saves in one instant may make a circle
			}
			known := w.found[keyOf(f)]
			if known == nil {
				if len(w.all) == MaxSteps {
					return nil, hive.Errorf(hive.CodeInvalid,
						"more than %d batches followed batch %d; run it again alone, and fill the others",
						MaxSteps-1, first.ID).WithReason(hive.ErrorChainLong, "batch", first.ID, "most", MaxSteps-1)
				}
				known = w.add(*f)
				if known.step.Fate == hive.StepRerun || known.step.Fate == hive.StepLive {
					batches[known] = f.Batch
					queue = append(queue, known)
				}
			}
			known.needs = append(known.needs, m)
		}
	}
	return w.ordered(), nil
}

func keyOf(f *hive.Follower) moment { return moment{f.Schedule.ID, f.Moment.UnixMilli()} }

func (w *walker) add(f hive.Follower) *member {
	m := &member{step: hive.ChainStep{
		ScheduleID: f.Schedule.ID, Schedule: f.Schedule.Name, Moment: f.Moment, Fate: fateOf(&f),
	}}
	if b := f.Batch; b != nil {
		s := &m.step
		s.Batch, s.RevisionID, s.State, s.Live = b.ID, b.RevisionID, b.State, b.Live
		s.Round, s.RoundNow = b.Round, b.Round
	}
	w.found[keyOf(&f)] = m
	w.all = append(w.all, m)
	return m
}

// fateOf says what a chain repair does with what it has found.
func fateOf(f *hive.Follower) hive.StepFate {
	switch {
	case f.Batch == nil:
		return hive.StepFollows
	case !f.Schedule.Active():
		return hive.StepDisabled
	case f.Batch.Live:
		return hive.StepLive
	default:
		return hive.StepRerun
	}
}

// ordered places each member after those that it needs, and otherwise in the order in which they were found. Members of
// a circle, which two saves in one instant may make, come last and need only what is before them.
func (w *walker) ordered() []hive.ChainStep {
	out := make([]hive.ChainStep, 0, len(w.all))
	placed := func(m *member) {
		m.place = len(out) + 1
		m.step.Position = len(out)
		for _, n := range m.needs {
			if n.place > 0 && n != m {
				m.step.Needs = append(m.step.Needs, n.place-1)
			}
		}
		out = append(out, m.step)
	}
	for len(out) < len(w.all) {
		before := len(out)
		var first *member
		for _, m := range w.all {
			if m.place > 0 {
				continue
			}
			if first == nil {
				first = m
			}
			if ready(m) {
				placed(m)
			}
		}
		if len(out) == before {
			placed(first)
		}
	}
	return out
}

func ready(m *member) bool {
	for _, n := range m.needs {
		if n.place == 0 {
			return false
		}
	}
	return true
}

// hashOf returns a hash of what a person sees of a preview, apart from times.
func hashOf(steps []hive.ChainStep) string {
	h := sha256.New()
	for i := range steps {
		s := &steps[i]
		if i == 0 {
			fmt.Fprintf(h, "%d\n", s.Batch) // its own plan has a hash
			continue
		}
		fmt.Fprintf(h, "%d %d %d %d %s %s %v\n", s.ScheduleID, s.Moment.UnixMilli(), s.Batch, s.Round, s.State, s.Fate,
			s.Needs)
	}
	return hex.EncodeToString(h.Sum(nil))
}
