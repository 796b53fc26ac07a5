package schedule

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// gate is what the moments of one trigger wait for.
type gate struct {
	trigger string // as Trigger.String of package hive
	zone    *time.Location
	after   []upstream
	serial  bool
	follows bool // the upstreams give the moments
}

// upstream is one parsed item of after.
type upstream struct {
	schedule string
	policy   policy
	window   *window // nil: none
}

// newGate parses what a trigger waits for; nil if it waits for nothing.
func newGate(t *hive.Trigger, zone *time.Location) (*gate, *parseError) {
	if !t.Waits() {
		return nil, nil
	}
	g := &gate{trigger: t.String(), zone: zone, serial: t.Serial, follows: t.Follows()}
	for i := range t.After {
		a := &t.After[i]
		p, w := parsePolicy(a.Policy)
		if w != nil {
			return nil, w
		}
		u := upstream{schedule: a.Schedule, policy: p}
		if a.Window != "" {
			parsed, w := parseWindow(a.Window)
			if w != nil {
				return nil, w
			}
			u.window = &parsed
		}
		g.after = append(g.after, u)
	}
	return g, nil
}

// unit returns the hour or day that a following trigger takes as a whole; empty if it takes single moments.
func (g *gate) unit() string {
	if g.after[0].window == nil {
		return ""
	}
	return g.after[0].window.unit
}

// joins reports whether a following trigger takes the latest moment of several upstreams.
func (g *gate) joins() bool { return g.follows && g.unit() == "" && len(g.after) > 1 }

// each reports whether a following trigger takes each moment of its one upstream.
func (g *gate) each() bool { return g.follows && g.unit() == "" && len(g.after) == 1 }

// succeeds reports whether a following trigger takes successes, so that its moments have their upstreams met from the
// beginning.
func (g *gate) succeeds() bool {
	return g.joins() || g.each() && g.after[0].policy.name == hive.PolicyAny
}

// gives reports whether a following trigger may have a moment.
func (g *gate) gives(at time.Time) bool {
	return g.unit() == "" || startOf(g.unit(), at, g.zone).Equal(at)
}

// span returns the time in which a moment refers to an upstream. before is the moment of the trigger before this one;
// zero if there is none.
func (g *gate) span(u *upstream, at, before time.Time) span {
	switch {
	case g.follows && u.window != nil:
		return whole(u.window.unit, at, g.zone)
	case g.follows:
		return span{justBefore(at), at}
	case u.window != nil:
		return u.window.around(at, g.zone)
	case before.IsZero():
		return span{at.Add(-longestWindow), at}
	default:
		return span{before, at}
	}
}

// momentBefore returns the last moment of a series before another one; zero if there is none within longestWindow.
func momentBefore(s series, at time.Time) time.Time {
	for _, back := range []time.Duration{time.Hour, 24 * time.Hour, 32 * 24 * time.Hour, longestWindow} {
		if found, _ := newest(s, at.Add(-back), at.Add(-time.Second), 1); len(found) > 0 {
			return found[0]
		}
	}
	return time.Time{}
}

// facts is what is known about an upstream in one span.
type facts struct {
	exists, enabled bool
	moments         []hive.MomentResult // oldest first
	due             []time.Time         // moments without a tick, oldest first
}

// verdict is the judgement of one moment.
type verdict struct {
	missing []hive.Missing
	causes  []int64 // batches that have succeeded
	gone    bool    // the moment that it follows makes no batch
}

// add judges the needs of one upstream.
func (v *verdict) add(u *upstream, f *facts) {
	switch {
	case !f.exists:
		v.missing = append(v.missing, hive.Missing{Schedule: u.schedule, State: hive.MissingSchedule})
	case !f.enabled:
	case u.policy.name == hive.PolicyAny:
		v.any(u, f)
	default:
		v.all(u, f)
	}
}

// any needs one success, also of a moment that has no tick.
func (v *verdict) any(u *upstream, f *facts) {
	for i := len(f.moments) - 1; i >= 0; i-- {
		if m := &f.moments[i]; m.Batch != 0 && m.State == hive.BatchSucceeded {
			v.causes = append(v.causes, m.Batch)
			return
		}
	}
	v.missing = append(v.missing, hive.Missing{Schedule: u.schedule, State: hive.MissingSuccess})
}

// all needs the success of each expected moment, or of the first or last of them.
func (v *verdict) all(u *upstream, f *facts) {
	expected := pick(u.policy, f.expected())
	for i := range expected {
		m := &expected[i]
		if m.Batch != 0 && m.State == hive.BatchSucceeded {
			v.causes = append(v.causes, m.Batch)
			continue
		}
		v.missing = append(v.missing, hive.Missing{
			Schedule: u.schedule, Moment: m.Moment, State: missingState(m), Batch: m.Batch,
		})
	}
}

// pick returns the moments that a policy other than any needs, of the expected ones.
func pick[T any](p policy, expected []T) []T {
	switch {
	case p.n == 0 || p.n >= len(expected):
		return expected
	case p.name == policyFirst:
		return expected[:p.n]
	default:
		return expected[len(expected)-p.n:]
	}
}

// expected merges the moments with a tick that was to make a batch, and those that are still due.
func (f *facts) expected() []hive.MomentResult {
	out := make([]hive.MomentResult, 0, len(f.moments)+len(f.due))
	due := f.due
	for i := range f.moments {
		if !f.moments[i].Expected() {
			continue
		}
		for len(due) > 0 && due[0].Before(f.moments[i].Moment) {
			out, due = append(out, hive.MomentResult{Moment: due[0]}), due[1:]
		}
		out = append(out, f.moments[i])
	}
	for _, at := range due {
		out = append(out, hive.MomentResult{Moment: at})
	}
	return out
}

func missingState(m *hive.MomentResult) hive.MissingState {
	switch {
	case m.Batch != 0 && m.State != "":
		return hive.MissingState(m.State)
	case m.Decision == hive.DecisionWaiting:
		return hive.MissingWaiting
	case m.Decision == "":
		return hive.MissingDue
	default:
		return hive.MissingGone
	}
}

// follow judges the one moment that a moment follows.
func (v *verdict) follow(u *upstream, f *facts) {
	v.add(u, f)
	v.gone = f.exists && f.enabled && u.policy.name != hive.PolicyAny && len(f.expected()) == 0
}

// afterOwn judges the moment of the schedule before; nil if it has none.
func (v *verdict) afterOwn(schedule string, m *hive.MomentResult) {
	if m != nil && (m.Batch == 0 || m.State != hive.BatchSucceeded) {
		v.missing = append(v.missing, hive.Missing{
			Schedule: schedule, Moment: m.Moment, State: missingState(m), Batch: m.Batch,
		})
	}
}
