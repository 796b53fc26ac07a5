package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// decided returns a decision in one line: "12:00 fired on_time", with r for runs at once, q for waits, -ID for
// replaced.
func decided(writes []hive.TickWrite) []string {
	out := make([]string, 0, len(writes))
	for _, w := range writes {
		var b strings.Builder
		fmt.Fprintf(&b, "%s %s %s", w.Tick.Moment.Format("15:04"), w.Tick.Decision, w.Tick.Rule)
		if w.Tick.Count > 1 {
			fmt.Fprintf(&b, " %d until %s", w.Tick.Count, w.Tick.Until.Format("15:04"))
		}
		if w.Batch != nil && w.Batch.Batch.Reason == hive.ReasonQueued {
			b.WriteString(" q")
		} else if w.Batch != nil {
			b.WriteString(" r")
		}
		for _, id := range w.Replace {
			fmt.Fprintf(&b, " -%d", id)
		}
		out = append(out, b.String())
	}
	return out
}

func hours(n float64) hive.Duration { return hive.Duration(n * float64(time.Hour)) }

func live(id int64, round int) hive.Batch {
	return hive.Batch{ID: id, State: hive.BatchRunning, Round: round, Wish: hive.WishRun, Live: true}
}

func waiting(id int64) hive.Batch {
	return hive.Batch{
		ID: id, State: hive.BatchQueued, Reason: hive.ReasonQueued, Round: 1, Wish: hive.WishRun,
		Live: true,
	}
}

// only returns the time in which a schedule has one revision, that of v.
func only(v hive.TickView, def *hive.Definition) []schedule.Period {
	table, _ := schedule.NewTimetable(def, time.Unix(0, 0), nil)
	return []schedule.Period{{RevisionID: v.RevisionID, Revision: v.Revision, Definition: def, Timetable: table}}
}

// decideCase is a decision about an hourly schedule, made at 12:00:01.
type decideCase struct {
	name   string
	policy hive.Policy
	mark   string // 08:00 when empty
	live   []hive.Batch
	off    bool
	made   int
	want   []string
}

// catchUpCases are about ticks that are late.
func catchUpCases() []decideCase {
	allOf := hive.CatchUp{Mode: hive.CatchUpAll}
	noneOf := hive.CatchUp{Mode: hive.CatchUpNone}
	grace, zero := hours(1.5), hive.Duration(0)
	return []decideCase{
		{name: "on time", mark: "11:00", want: []string{"12:00 fired on_time r"}},
		{
			name: "on time with no grace", policy: hive.Policy{CatchUp: hive.CatchUp{
				Mode:  hive.CatchUpNone,
				Grace: &zero,
			}}, mark: "11:00",
			want: []string{"12:00 fired on_time r"},
		},
		{name: "nothing is due", mark: "12:00"},
		{
			name: "latest by default, which then overlaps with the tick on time",
			want: []string{
				"09:00 missed catch_up", "10:00 missed catch_up", "11:00 fired catch_up r",
				"12:00 skipped overlap",
			},
		},
		{
			name: "latest with overlap allowed", policy: hive.Policy{Overlap: hive.OverlapAllow},
			want: []string{
				"09:00 missed catch_up", "10:00 missed catch_up", "11:00 fired catch_up r",
				"12:00 fired on_time r",
			},
		},
		{
			name: "none", policy: hive.Policy{CatchUp: noneOf},
			want: []string{
				"09:00 missed catch_up", "10:00 missed catch_up", "11:00 missed catch_up",
				"12:00 fired on_time r",
			},
		},
		{
			name: "all run one after another", policy: hive.Policy{CatchUp: allOf},
			want: []string{
				"09:00 fired catch_up r", "10:00 queued catch_up q", "11:00 queued catch_up q",
				"12:00 queued catch_up q",
			},
		},
		{
			name: "all, behind a live one", policy: hive.Policy{CatchUp: allOf}, mark: "10:00",
			live: []hive.Batch{live(7, 1)},
			want: []string{"11:00 queued catch_up q", "12:00 queued catch_up q"},
		},
		{
			name: "all, and overlap is allowed on time", policy: hive.Policy{
				CatchUp: allOf,
				Overlap: hive.OverlapAllow,
			}, mark: "09:00",
			want: []string{"10:00 fired catch_up r", "11:00 queued catch_up q", "12:00 fired on_time r"},
		},
		{
			name: "all are not replaced", policy: hive.Policy{
				CatchUp: allOf,
				Overlap: hive.OverlapReplace,
			}, mark: "09:00",
			want: []string{"10:00 fired catch_up r", "11:00 queued catch_up q", "12:00 queued catch_up q"},
		},
		{
			name: "a grace of 90 minutes", policy: hive.Policy{CatchUp: hive.CatchUp{
				Mode:  hive.CatchUpNone,
				Grace: &grace,
			}, Overlap: hive.OverlapAllow},
			want: []string{
				"09:00 missed catch_up", "10:00 missed catch_up", "11:00 fired on_time r",
				"12:00 fired on_time r",
			},
		},
		{
			name: "expire comes before catch-up", policy: hive.Policy{
				CatchUp: allOf, Expire: hours(2.5),
				Overlap: hive.OverlapAllow,
			},
			want: []string{
				"09:00 missed expire", "10:00 fired catch_up r", "11:00 queued catch_up q",
				"12:00 fired on_time r",
			},
		},
		{
			name: "the latest has expired as well", policy: hive.Policy{Expire: hours(0.5)}, mark: "10:00",
			want: []string{"11:00 missed expire", "12:00 fired on_time r"},
		},
		{
			name: "expired within the grace", policy: hive.Policy{Expire: hive.Duration(500 * time.Millisecond)},
			mark: "11:00",
			want: []string{"12:00 missed expire"},
		},
	}
}

// overlapCases are about ticks that meet live batches.
func overlapCases() []decideCase {
	return []decideCase{
		{name: "overlap skip", mark: "11:00", live: []hive.Batch{live(7, 1)}, want: []string{"12:00 skipped overlap"}},
		{
			name: "overlap allow", policy: hive.Policy{Overlap: hive.OverlapAllow}, mark: "11:00",
			live: []hive.Batch{live(7, 1)},
			want: []string{"12:00 fired on_time r"},
		},
		{
			name: "overlap queue", policy: hive.Policy{Overlap: hive.OverlapQueue}, mark: "11:00",
			live: []hive.Batch{live(7, 1)},
			want: []string{"12:00 queued overlap q"},
		},
		{
			name: "overlap queue holds one", policy: hive.Policy{Overlap: hive.OverlapQueue}, mark: "11:00",
			live: []hive.Batch{live(7, 1), waiting(8)},
			want: []string{"12:00 merged overlap"},
		},
		{
			name:   "a batch that is about to start is not one that waits",
			policy: hive.Policy{Overlap: hive.OverlapQueue}, mark: "11:00",
			live: []hive.Batch{{ID: 7, State: hive.BatchQueued, Round: 1}}, want: []string{"12:00 queued overlap q"},
		},
		{
			name: "overlap queue, free", policy: hive.Policy{Overlap: hive.OverlapQueue}, mark: "11:00",
			want: []string{"12:00 fired on_time r"},
		},
		{
			name: "overlap queue, three at once", policy: hive.Policy{
				Overlap: hive.OverlapQueue,
				CatchUp: hive.CatchUp{Grace: new(hours(3.5))},
			},
			want: []string{
				"09:00 fired on_time r", "10:00 queued overlap q", "11:00 merged overlap",
				"12:00 merged overlap",
			},
		},
		{
			name: "overlap replace", policy: hive.Policy{Overlap: hive.OverlapReplace}, mark: "11:00",
			live: []hive.Batch{live(7, 1), waiting(8)},
			want: []string{"12:00 queued overlap q -7 -8"},
		},
		{
			name: "overlap replace, free", policy: hive.Policy{Overlap: hive.OverlapReplace}, mark: "11:00",
			want: []string{"12:00 fired on_time r"},
		},
		{
			name:   "replace never ends a resumed batch",
			policy: hive.Policy{Overlap: hive.OverlapReplace}, mark: "11:00",
			live: []hive.Batch{live(7, 2), waiting(8)}, want: []string{"12:00 queued overlap q -8"},
		},
		{
			name: "replace does not cancel twice", policy: hive.Policy{Overlap: hive.OverlapReplace}, mark: "11:00",
			live: []hive.Batch{{
				ID: 7, State: hive.BatchRunning, Round: 1,
				Wish: hive.WishCancel,
			}}, want: []string{"12:00 queued overlap q"},
		},
		{
			name: "replace, three at once", policy: hive.Policy{
				Overlap: hive.OverlapReplace,
				CatchUp: hive.CatchUp{Grace: new(hours(2.5))},
			}, mark: "09:00",
			live: []hive.Batch{live(7, 1)},
			want: []string{"10:00 merged overlap", "11:00 merged overlap", "12:00 queued overlap q -7"},
		},
		{
			name: "replace, two at once and free", policy: hive.Policy{
				Overlap: hive.OverlapReplace,
				CatchUp: hive.CatchUp{Grace: new(hours(1.5))},
			}, mark: "10:00",
			want: []string{"11:00 merged overlap", "12:00 fired overlap r"},
		},
	}
}

// limitCases are about schedules that are disabled or have a number of batches.
func limitCases() []decideCase {
	return []decideCase{
		{
			name: "paused", off: true, mark: "10:00", policy: hive.Policy{Expire: hours(0.5)},
			want: []string{"11:00 skipped paused", "12:00 skipped paused"},
		},
		{
			name: "max batches", policy: hive.Policy{MaxBatches: 3}, made: 3, mark: "11:00",
			want: []string{"12:00 skipped max_batches"},
		},
		{
			name: "max batches, one left", policy: hive.Policy{
				MaxBatches: 3, Overlap: hive.OverlapAllow,
				CatchUp: hive.CatchUp{Grace: new(hours(1.5))},
			},
			made: 2, mark: "10:00", want: []string{"11:00 fired on_time r", "12:00 skipped max_batches"},
		},
		{
			name: "max batches, one left and replaced",
			policy: hive.Policy{
				MaxBatches: 3, Overlap: hive.OverlapReplace,
				CatchUp: hive.CatchUp{Grace: new(hours(1.5))},
			}, made: 2, mark: "10:00",
			want: []string{"11:00 merged overlap", "12:00 fired overlap r"},
		},
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(catchUpCases(), overlapCases(), limitCases()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.mark == "" {
				c.mark = "08:00"
			}
			v := hive.TickView{
				Schedule: hive.Schedule{
					ID: 3, Name: "hourly", Enabled: !c.off,
					Mark: moment(t, "2026-05-04T"+c.mark+":00Z"),
				},
				RevisionID: 11, Revision: 2, Live: c.live, Counted: c.made,
			}
			def := &hive.Definition{Triggers: []hive.Trigger{{Cron: "0 * * * *"}}, Policy: c.policy}
			got := decided(schedule.Decide(v, only(v, def), moment(t, "2026-05-04T12:00:01Z")))
			if !slices.Equal(got, c.want) {
				t.Errorf("decided:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
