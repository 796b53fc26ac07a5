package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// describe saves a schedule with texts.
func (x *fixture) describe(name string, t *hive.ScheduleTexts) hive.Schedule {
	x.Helper()
	x.ok(fourth(x.SaveSchedule(x.Context(), hive.SaveSchedule{
		Name: name, Document: name, Hash: name + t.Words, Now: t0, Texts: t,
	})))
	return must(x.Schedule(x.Context(), name))(x)
}

// Schedules are selected by words, labels and the switch, and counted.
func TestSelectSchedules(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		x.describe("orders-load", &hive.ScheduleTexts{
			Title: "Bestellungen 100%", Words: "bestellungen 100% finance ada", Tags: []string{"finance"},
			Owners: []string{"ada"},
		})
		x.describe("stock", &hive.ScheduleTexts{
			Title: "仓库同步", Words: "仓库同步 cktb finance bob", Tags: []string{"finance", "finance"},
			Owners: []string{"bob"},
		})
		x.describe("old", &hive.ScheduleTexts{Words: "finance", Tags: []string{"finance"}})
		_, err := x.SetArchived(ctx, "old", true, "ada", t0)
		x.ok(err)
		x.ok(x.SetEnabled(ctx, "stock", false, t0))
		_ = must(x.RenameSchedule(ctx, toBe("warehouse", "store", 1)))(x)
		stock := must(x.Schedule(ctx, "stock"))(x)
		for _, c := range []struct {
			what string
			sel  hive.ScheduleSelection
			want []string
		}{
			{"all", hive.ScheduleSelection{}, []string{"orders-load", "stock", "store"}},
			{"a word inside a name", hive.ScheduleSelection{Words: []string{"ers-"}}, []string{"orders-load"}},
			{"a word of a title", hive.ScheduleSelection{Words: []string{"仓库"}}, []string{"stock"}},
			{"initials", hive.ScheduleSelection{Words: []string{"ckt"}}, []string{"stock"}},
			{"words of two texts", hive.ScheduleSelection{Words: []string{"load", "ada"}}, []string{"orders-load"}},
			{"no wildcard", hive.ScheduleSelection{Words: []string{"0%"}}, []string{"orders-load"}},
			{"a wildcard that is in no text", hive.ScheduleSelection{Words: []string{"o_"}}, nil},
			{"a former name", hive.ScheduleSelection{Words: []string{"wareh"}}, []string{"store"}},
			{"no letters between", hive.ScheduleSelection{Words: []string{"ordl"}}, nil},
			{"letters between", hive.ScheduleSelection{Words: []string{"ordl"}, Spread: true}, []string{"orders-load"}},
			{"a tag", hive.ScheduleSelection{Tag: "finance"}, []string{"orders-load", "stock"}},
			{"a part of a tag", hive.ScheduleSelection{Tag: "financ"}, nil},
			{"a tag and an owner", hive.ScheduleSelection{Tag: "finance", Owner: "bob"}, []string{"stock"}},
			{"an owner is no tag", hive.ScheduleSelection{Tag: "ada"}, nil},
			{"disabled", hive.ScheduleSelection{Disabled: true}, []string{"stock"}},
			{"archived", hive.ScheduleSelection{Archived: true}, []string{"old"}},
			{"some", hive.ScheduleSelection{Among: []int64{stock.ID, 999}}, []string{"stock"}},
			{"none", hive.ScheduleSelection{Among: []int64{}}, nil},
		} {
			same(x, c.what, namesOf(must(x.FindSchedules(ctx, &c.sel, "", false, 9))(x)), c.want)
			same(x, c.what+", counted", must(x.CountFound(ctx, &c.sel))(x), len(c.want))
			var keys []string
			for _, k := range must(x.ScheduleKeys(ctx, &c.sel))(x) {
				keys = append(keys, k.Name)
			}
			same(x, c.what+", keys", keys, c.want)
		}
		all := &hive.ScheduleSelection{}
		same(x, "the last two", namesOf(must(x.FindSchedules(ctx, all, "", true, 2))(x)), []string{"store", "stock"})
		same(x, "before", namesOf(must(x.FindSchedules(ctx, all, "stock", true, 2))(x)), []string{"orders-load"})
		key := must(x.ScheduleKeys(ctx, &hive.ScheduleSelection{Tag: "finance", Disabled: true}))(x)[0]
		same(x, "a key", key, hive.ScheduleKey{
			ID: stock.ID, Name: "stock", Title: "仓库同步", NextAt: stock.NextAt, Version: stock.Version,
		})
		tags, owners, err := x.ScheduleLabels(ctx)
		x.ok(err)
		same(x, "tags", tags, []string{"finance"})
		same(x, "owners", owners, []string{"ada", "bob"})
		same(x, "labeled, archived too", len(must(x.LabeledSchedules(ctx, "finance", ""))(x)), 3)
	})
}

// Texts are stored with a revision, or later for a revision that was saved without them.
func TestDescribeSchedules(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		same(x, "without texts", namesOf(must(x.Undescribed(ctx, 9))(x)), []string{"warehouse"})
		old := hive.ScheduleTexts{ScheduleID: x.schedule.ID, Revision: 1, Words: "old", Tags: []string{"a", "b"}}
		x.ok(x.DescribeSchedules(ctx, []hive.ScheduleTexts{old}))
		same(x, "described", len(must(x.Undescribed(ctx, 9))(x)), 0)
		x.save("warehouse", "2", t0)
		same(x, "a revision without texts", namesOf(must(x.Undescribed(ctx, 9))(x)), []string{"warehouse"})
		x.ok(x.DescribeSchedules(ctx, []hive.ScheduleTexts{old}))
		same(x, "texts of an older revision", namesOf(must(x.Undescribed(ctx, 9))(x)), []string{"warehouse"})
		x.describe("warehouse", &hive.ScheduleTexts{Words: "new", Tags: []string{"b"}})
		same(x, "saved with texts", len(must(x.Undescribed(ctx, 9))(x)), 0)
		tags, _, err := x.ScheduleLabels(ctx)
		x.ok(err)
		same(x, "tags", tags, []string{"b"})
	})
}

// The groups of the order by need leave no schedule out, and have none twice.
func TestSchedulesByNeed(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		x.save("a-quiet", "1", t0)
		x.save("z-quiet", "1", t0)
		live := x.batch(1)
		group := func(need hive.NeedGroup, urgent ...int64) []string {
			sel := &hive.ScheduleSelection{Need: need, Urgent: urgent}
			return namesOf(must(x.FindSchedules(ctx, sel, "", false, 9))(x))
		}
		same(x, "live", group(hive.NeedLive), []string{"warehouse"})
		same(x, "the others", group(hive.NeedNone), []string{"a-quiet", "z-quiet"})
		same(x, "nobody is needed", group(hive.NeedPerson), nil)
		same(x, "urgent", group(hive.NeedPerson, x.schedule.ID), []string{"warehouse"})
		same(x, "urgent is not only live", group(hive.NeedLive, x.schedule.ID), nil)
		same(x, "no batch has ended", len(must(x.EndedSince(ctx, t0))(x)), 0)
		running := &hive.ScheduleSelection{Running: true}
		same(x, "running", must(x.CountFound(ctx, running))(x), 1)

		b := live.Batch
		b.State, b.Live, b.FinishedAt = hive.BatchFailed, false, after(time.Minute)
		x.ok(x.commit(hive.BatchWrite{BatchID: b.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: b}}))
		same(x, "failed", group(hive.NeedPerson), []string{"warehouse"})
		same(x, "failed is not live", group(hive.NeedLive), nil)
		same(x, "still the others", group(hive.NeedNone), []string{"a-quiet", "z-quiet"})
		same(x, "not running", must(x.CountFound(ctx, running))(x), 0)
		same(x, "ended", must(x.EndedSince(ctx, after(time.Minute)))(x), []int64{x.schedule.ID})
		same(x, "ended before", len(must(x.EndedSince(ctx, after(time.Hour)))(x)), 0)
	})
}
