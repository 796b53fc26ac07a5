package alert

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Rule is a rule that is in force.
type Rule struct {
	hive.AlertDefinition
	zone  *time.Location
	quiet []quietSpan
	due   time.Duration // of Deadline, since midnight
}

// quietSpan is one entry of Quiet, as times since midnight.
type quietSpan struct {
	from, to time.Duration
	days     [7]bool // on which it begins
}

// NewRule prepares a rule that CheckRule has accepted.
func NewRule(def *hive.AlertDefinition) *Rule {
	r := &Rule{AlertDefinition: *def, zone: time.UTC}
	if zone, err := time.LoadLocation(def.Timezone); err == nil {
		r.zone = zone
	}
	if def.Deadline != "" {
		r.due, _ = parseTimeOfDay(def.Deadline)
	}
	for i := range def.Quiet {
		q := &def.Quiet[i]
		from, err1 := parseTimeOfDay(q.From)
		to, err2 := parseTimeOfDay(q.To)
		if err1 != nil || err2 != nil {
			continue
		}
		span := quietSpan{from: from, to: to}
		for day, name := range weekdays() {
			span.days[day] = q.Days == nil || slices.Contains(q.Days, name)
		}
		r.quiet = append(r.quiet, span)
	}
	return r
}

// WaitFor returns how long after its moment a batch must have started, and how long an executor may be full.
func (r *Rule) WaitFor() time.Duration {
	if r.Wait == 0 {
		return hive.DefaultAlertWait.Std()
	}
	return r.Wait.Std()
}

// SkipsFor returns how many skipped moments in a row are reported.
func (r *Rule) SkipsFor() int {
	if r.Skips == 0 {
		return hive.DefaultAlertSkips
	}
	return r.Skips
}

// DeadlineAfter returns the first deadline of the rule after a moment; the zero time if the rule has none.
func (r *Rule) DeadlineAfter(moment time.Time) time.Time {
	if r.Deadline == "" {
		return time.Time{}
	}
	local := moment.In(r.zone)
	for day := 0; ; day++ {
		at := clock(local, day, r.due)
		if at.After(moment) {
			return at.UTC()
		}
	}
}

// clock returns a time of day on the day of t, or so many days later.
func clock(t time.Time, days int, of time.Duration) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day()+days, int(of/time.Hour), int(of%time.Hour/time.Minute), 0, 0,
		t.Location())
}

// concerns reports whether the rule is about the schedule of an event: by its name, by one that it had before, or by
// one of its tags. An event without a schedule only concerns rules for all.
func (r *Rule) concerns(about *hive.AlertFacets) bool {
	if len(r.Schedules)+len(r.Tags) == 0 {
		return true
	}
	if about.Schedule == "" {
		return false
	}
	named := func(name string) bool { return slices.Contains(r.Schedules, name) }
	return named(about.Schedule) || slices.ContainsFunc(about.Former, named) ||
		slices.ContainsFunc(about.Tags, func(tag string) bool { return slices.Contains(r.Tags, tag) })
}

// tells reports whether the rule tells an event.
func (r *Rule) tells(e *hive.AlertEvent) bool {
	return slices.Contains(r.On, e.Kind) && r.concerns(&e.AlertFacets) && (e.Rule == "" || e.Rule == r.Name)
}

// Loud returns the first moment from t on that is in no quiet hours. With quiet hours that never end, it is t.
func (r *Rule) Loud(t time.Time) time.Time {
	at := t
	for range 8 * (len(r.quiet) + 1) { // a week of spans that follow each other
		end, ok := r.quietUntil(at)
		if !ok {
			return at
		}
		at = end
	}
	return t
}

// quietUntil returns the end of the quiet hours that t is in.
func (r *Rule) quietUntil(t time.Time) (end time.Time, quiet bool) {
	local := t.In(r.zone)
	for i := range r.quiet {
		q := &r.quiet[i]
		for _, day := range []int{-1, 0} { // the span may have begun the day before
			from := clock(local, day, q.from)
			to := clock(local, day, q.to)
			if q.to <= q.from {
				to = clock(local, day+1, q.to)
			}
			begins := q.days[from.Weekday()]
			if begins && !t.Before(from) && t.Before(to) && to.After(end) {
				end, quiet = to.UTC(), true
			}
		}
	}
	return end, quiet
}

// Reported is what was reported before.
type Reported struct {
	// Pairs are the rules and channels to which the problem that is over was reported.
	Pairs []hive.AlertPair
	// Last returns when a rule last reported a subject on a channel; zero if it never did.
	Last func(pair hive.AlertPair, subject string) time.Time
}

// Plan makes the deliveries of an event: one for each rule and channel that it concerns, and those of the escalation,
// which are sent only if the problem is open then and nobody has taken it.
func Plan(e *hive.AlertEvent, rules []*Rule, reported Reported, now time.Time) []hive.AlertDelivery {
	var out []hive.AlertDelivery
	subject := Subject(e)
	for _, r := range rules {
		if !r.tells(e) {
			continue
		}
		due := r.Loud(now.Add(group(&r.AlertDefinition).Std()))
		reports := false
		for _, channel := range r.channelsFor(e) {
			pair := hive.AlertPair{Rule: r.Name, Channel: channel}
			switch {
			case e.Kind == hive.AlertRecovered && !slices.Contains(reported.Pairs, pair):
				continue // nobody there has heard of the problem
			case e.Kind == hive.AlertDeliveryFailed && e.Channel == channel:
				continue // it would fail too
			}
			d := hive.AlertDelivery{
				AlertPair: pair, Subject: subject, State: hive.DeliveryPending, CreatedAt: now,
				DueAt: due,
			}
			if last := r.lately(pair, subject, reported, now); last {
				d.State, d.DoneAt = hive.DeliverySuppressed, now
			}
			reports = reports || d.State == hive.DeliveryPending
			out = append(out, d)
		}
		if reports && e.Problem != "" {
			out = append(out, r.escalations(e, subject, due, now)...)
		}
	}
	return out
}

// channelsFor lists the channels of an event. A recovery may also go to where the problem was escalated.
func (r *Rule) channelsFor(e *hive.AlertEvent) []string {
	all := slices.Clone(r.Channels)
	if e.Kind == hive.AlertRecovered {
		for _, channel := range r.Escalate.To {
			if !slices.Contains(all, channel) {
				all = append(all, channel)
			}
		}
	}
	return all
}

// escalations makes the deliveries that follow if nobody takes a problem. Their time begins with the first message.
func (r *Rule) escalations(e *hive.AlertEvent, subject string, first, now time.Time) []hive.AlertDelivery {
	var out []hive.AlertDelivery
	if !r.Escalate.Set() {
		return nil
	}
	for _, channel := range r.Escalate.To {
		if e.Kind == hive.AlertDeliveryFailed && e.Channel == channel {
			continue
		}
		out = append(out, hive.AlertDelivery{
			AlertPair: hive.AlertPair{Rule: r.Name, Channel: channel}, Subject: subject, Escalation: true,
			State: hive.DeliveryPending, CreatedAt: now, DueAt: r.Loud(first.Add(r.Escalate.After.Std())),
		})
	}
	return out
}

// lately reports whether a subject was reported so shortly before that it is not reported again.
func (r *Rule) lately(pair hive.AlertPair, subject string, reported Reported, now time.Time) bool {
	if r.Repeat == 0 || reported.Last == nil {
		return false
	}
	last := reported.Last(pair, subject)
	return !last.IsZero() && now.Before(last.Add(r.Repeat.Std()))
}

// Subject is what repeated events have in common: their kind, and what they are about. A recovery has a subject of its
// own for each problem, so that it is always reported.
func Subject(e *hive.AlertEvent) string {
	about := e.Schedule
	switch e.Kind {
	case hive.AlertExecutorLost, hive.AlertExecutorFull:
		about = e.Executor
	case hive.AlertDeliveryFailed:
		about = e.Channel
	case hive.AlertRecovered:
		about = e.Key
	}
	return string(e.Kind) + ":" + about
}
