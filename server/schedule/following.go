package schedule

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Following is what the triggers of a revision that follow other schedules go on with.
type Following struct {
	Since time.Time // they follow moments after this time
	// Earlier has the texts that a trigger had in older revisions, by its present text: a schedule that it names was
	// renamed.
	Earlier map[string][]string
}

// FollowsSince returns the time of the first of the newest revisions that follow the same schedules. present returns
// the present name of a schedule. read returns the definition of a revision, nil if it cannot be read, and the time of
// the revision.
func FollowsSince(
	newest *Period, present func(name string) string,
	read func(number int64) (*hive.Definition, time.Time, error),
) (Following, error) {
	out := Following{Since: newest.From}
	own := followers(newest.Definition)
	want := namedNow(own, present)
	for number := newest.Revision - 1; number >= 1 && newest.Revision-number < maxPeriods; number-- {
		def, from, err := read(number)
		if err != nil || def == nil { // what cannot be read follows nothing
			return out, err
		}
		older := followers(def)
		if !reflect.DeepEqual(namedNow(older, present), want) {
			return out, nil
		}
		out.Since = from
		for i := range older {
			out.note(own[i].String(), older[i].String())
		}
	}
	return out, nil
}

// note adds a text that a trigger once had.
func (f *Following) note(now, then string) {
	if now == then || slices.Contains(f.Earlier[now], then) {
		return
	}
	if f.Earlier == nil {
		f.Earlier = map[string][]string{}
	}
	f.Earlier[now] = append(f.Earlier[now], then)
}

// Last returns the last moment of a trigger, by its present text. last finds that of one text.
func (f *Following) Last(trigger string, last func(trigger string) (time.Time, error)) (time.Time, error) {
	at, err := last(trigger)
	for _, text := range f.Earlier[trigger] {
		if err != nil {
			return at, err
		}
		var then time.Time
		then, err = last(text)
		at = later(at, then)
	}
	return at, err
}

// followers lists the triggers of a definition that follow other schedules.
func followers(def *hive.Definition) []hive.Trigger {
	return slices.DeleteFunc(slices.Clone(def.Triggers), func(t hive.Trigger) bool { return !t.Follows() })
}

// namedNow returns triggers with the present names of the schedules that they follow.
func namedNow(triggers []hive.Trigger, present func(name string) string) []hive.Trigger {
	out := slices.Clone(triggers)
	for i := range out {
		out[i].After = slices.Clone(out[i].After)
		for j := range out[i].After {
			out[i].After[j].Schedule = present(out[i].After[j].Schedule)
		}
	}
	return out
}

func (t *Ticker) followsSince(ctx context.Context, e *entry, newest *Period) (Following, error) {
	return FollowsSince(newest, t.waits.present, func(number int64) (*hive.Definition, time.Time, error) {
		rev, err := t.config.Store.RevisionAt(ctx, e.row.ID, number)
		if err != nil {
			return nil, time.Time{}, fmt.Errorf("read revision %d of schedule %s: %w", number, e.row.Name, err)
		}
		def, err := t.config.Parse(rev.Document)
		if err != nil {
			def = nil
		}
		return def, rev.CreatedAt, nil
	})
}
