package dbtest_test

import (
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// filtered makes one batch for each kind of origin: 0 and 1 by people with parameters, 2 by cron, 3 by a webhook, 4
// after another schedule, 5 by a backfill.
func (x *fixture) filtered(other hive.Schedule, rev hive.Revision) []int64 {
	x.Helper()
	var ids []int64
	add := func(change func(b *hive.Batch)) {
		nb := x.newBatch(1)
		change(&nb.Batch)
		ids = append(ids, must(x.CreateBatch(x.Context(), x.me, nb))(x).ID)
	}
	add(func(b *hive.Batch) {
		b.Params = map[string]any{"region": "east", "day": 5, "full": true, "ratio": 0.5, "empty": "", "none": nil}
		b.RoundAt, b.FinishedAt, b.State, b.Live = t0, after(time.Hour), hive.BatchSucceeded, false
	})
	add(func(b *hive.Batch) {
		b.Params, b.CreatedBy = map[string]any{"region": "west", "day": "5", "full": "true"}, "bob"
		b.StartedAt, b.CreatedAt, b.Moment = after(2*time.Hour), after(-24*time.Hour), after(-48*time.Hour)
	})
	ids = append(ids, x.decide(fire(after(time.Minute), 1))...)
	called := fire(after(2*time.Minute), 1)
	called.Tick.Trigger, called.Follows, called.Called = hive.WebhookTrigger("files"), true, true
	ids = append(ids, x.decide(called)...)
	add(func(b *hive.Batch) { b.Kind, b.CreatedBy, b.StartedAt = hive.KindDependent, "", time.Time{} })
	add(func(b *hive.Batch) {
		b.Kind, b.ScheduleID, b.RevisionID = hive.KindBackfill, other.ID, rev.ID
	})
	img := x.snapshot(ids[5])
	ready, attempt := x.offer(img.Runs[0])
	x.ok(x.commit(hive.BatchWrite{
		BatchID: ids[5], Runs: []hive.RunChange{ready}, Offers: []hive.Attempt{attempt},
	}))
	return ids
}

func TestBatchFilters(t *testing.T) {
	each(t, func(x *fixture) {
		other, rev := x.save("other", "another document", t0)
		ids := x.filtered(other, rev)
		by := func(word string) hive.BatchFilter { s := hive.ParseStarter(word); return hive.BatchFilter{By: &s} }
		with := func(words ...string) hive.BatchFilter { return hive.BatchFilter{Params: paramFilters(words...)} }
		many := []int64{other.ID}
		for i := range int64(100) {
			many = append(many, 1000+i)
		}
		now := after(3 * time.Hour)
		for name, c := range map[string]struct {
			filter hive.BatchFilter
			want   []int
		}{
			"cron":             {by("cron"), []int{2}},
			"webhook":          {by("webhook"), []int{3}},
			"schedule":         {by("schedule"), []int{4}},
			"backfill":         {by("backfill"), []int{5}},
			"ada":              {by("ada"), []int{5, 0}},
			"bob":              {by("bob"), []int{1}},
			"nobody":           {by("nobody"), []int{}},
			"a person":         {by("person"), []int{5, 1, 0}},
			"a text":           {with("region=east"), []int{0}},
			"a number":         {with("day=5"), []int{1, 0}},
			"a fraction":       {with("ratio=0.5"), []int{0}},
			"a boolean":        {with("full=true"), []int{1, 0}},
			"an empty text":    {with("empty="), []int{0}},
			"null":             {with("none="), []int{}},
			"both":             {with("day=5", "region=west"), []int{1}},
			"an unknown one":   {with("x=y"), []int{}},
			"a hostile one":    {with("a') OR 1=1 --=y"), []int{}},
			"executor":         {hive.BatchFilter{Executor: "alpha"}, []int{5}},
			"another executor": {hive.BatchFilter{Executor: "e1"}, []int{}},
			"label":            {hive.BatchFilter{Tag: "x", Schedules: []int64{other.ID}}, []int{5}},
			"label of many":    {hive.BatchFilter{Owner: "x", Schedules: many}, []int{5}},
			"label of none":    {hive.BatchFilter{Tag: "x"}, []int{}},
			"since":            {hive.BatchFilter{Since: after(time.Hour)}, []int{3, 2, 1}},
			"since the making": {hive.BatchFilter{Since: t0, Until: after(time.Minute)}, []int{5, 4, 0}},
			"until":            {hive.BatchFilter{Until: t0}, []int{}},
			"moment": {
				hive.BatchFilter{MomentFrom: after(time.Minute), MomentTo: after(2 * time.Minute)}, []int{2},
			},
			"moment to":     {hive.BatchFilter{MomentTo: t0}, []int{1}},
			"longer":        {hive.BatchFilter{Longer: 59 * time.Minute, Now: now}, []int{5, 4, 1, 0}},
			"not longer":    {hive.BatchFilter{Longer: time.Hour, Now: now}, []int{5, 4, 1}},
			"a page":        {hive.BatchFilter{By: by("person").By, Before: ids[5], Limit: 1}, []int{1}},
			"the next page": {hive.BatchFilter{By: by("person").By, Before: ids[1], Limit: 1}, []int{0}},
			"all": {
				hive.BatchFilter{Schedule: "other", By: by("ada").By, Executor: "alpha", Live: true}, []int{5},
			},
		} {
			got := []int{}
			for _, b := range must(x.Batches(x.Context(), c.filter))(x) {
				got = append(got, slices.Index(ids, b.ID))
			}
			same(x, name, got, c.want)
		}
	})
}
