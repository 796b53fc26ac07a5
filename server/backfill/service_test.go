package backfill

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// The preview counts what the backfill would do, and changes nothing.
func TestPreview(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		b := h.create(hive.BackfillRequest{Parallel: 5})
		h.run()
		h.endAll(b.ID, hive.BatchSucceeded)
		sched, err := h.store.Schedule(h.Context(), "nightly")
		h.ok(err)
		_, err = h.store.CreateBatch(h.Context(), h.me, hive.NewBatch{Batch: hive.Batch{
			ScheduleID: sched.ID, RevisionID: h.get(b.ID).RevisionID, Revision: 1, Kind: hive.KindScheduled,
			State: hive.BatchSucceeded, Moment: time.Date(2026, time.March, 6, 3, 0, 0, 0, time.UTC), Round: 1,
			RoundAt: testNow(), FinishedAt: testNow().Add(10 * time.Minute),
		}})
		h.ok(err)
		for existing, kept := range map[hive.BackfillExisting]int{hive.ExistingKeep: 6, hive.ExistingRerun: 0} {
			p, err := h.service.Preview(h.Context(), hive.BackfillRequest{
				Schedule: "nightly", From: "2026-03-01", To: "2026-03-10", Parallel: 3, Existing: existing,
			})
			h.ok(err)
			want := hive.BackfillPreview{
				Schedule: "nightly", Revision: 1, First: time.Date(2026, time.March, 1, 3, 0, 0, 0, time.UTC),
				Last: time.Date(2026, time.March, 10, 3, 0, 0, 0, time.UTC), Moments: 10, Existing: 6, Kept: kept,
				Usual: 10 * time.Minute, Expected: time.Duration((10-kept+2)/3) * 10 * time.Minute,
			}
			if p.Schedules, p.LeftOut = nil, nil; !reflect.DeepEqual(p, want) {
				h.Fatalf("%+v, want %+v", p, want)
			}
		}
		list, err := h.service.List(h.Context(), hive.BackfillFilter{Schedule: "nightly"})
		h.ok(err)
		if len(list) != 1 {
			h.Fatalf("%d backfills", len(list))
		}
	})
}

// A request that is repeated under its key makes one backfill.
func TestCreateTwice(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		one, two := h.create(hive.BackfillRequest{Key: "k"}), h.create(hive.BackfillRequest{Key: "k"})
		if three := h.create(hive.BackfillRequest{}); one.ID != two.ID || three.ID == one.ID {
			h.Fatalf("backfills %d, %d and %d", one.ID, two.ID, three.ID)
		}
		_, err := h.service.Create(h.Context(), hive.BackfillRequest{
			Schedule: "nightly", By: "ada", Key: "k", From: "2026-03-01", To: "2026-03-02",
		})
		if e, ok := errors.AsType[*hive.Error](err); !ok || e.Reason != hive.ErrorKeyReused {
			h.Fatalf("the key for another range: %v", err)
		}
	})
}

func TestRefused(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		for what, c := range map[string]struct {
			r    hive.BackfillRequest
			why  hive.ErrorReason
			path string
		}{
			"too many at once": {hive.BackfillRequest{Parallel: 101}, hive.ErrorRange, ""},
			"a param it has not": {
				hive.BackfillRequest{Params: map[string]any{"x": "y"}}, hive.ErrorParams, "params.x",
			},
			"the future": {hive.BackfillRequest{From: "2026-03-20", To: "2026-04-20"}, hive.ErrorBackfill, "to"},
			"a million moments": {
				hive.BackfillRequest{From: "2026-03-01", To: "2026-03-14", Step: hive.Duration(time.Second)},
				hive.ErrorBackfill, "step",
			},
			"a long note": {hive.BackfillRequest{Note: strings.Repeat("x", 1001)}, hive.ErrorLong, ""},
		} {
			c.r.Schedule = "nightly"
			if c.r.From == "" {
				c.r.From = "2026-03-01"
			}
			_, err := h.service.Create(h.Context(), c.r)
			e, ok := errors.AsType[*hive.Error](err)
			if !ok || e.Reason != c.why || c.path != "" && e.Faults[0].Path != c.path {
				h.Errorf("%s: %v", what, err)
			}
		}
		if list, err := h.service.List(h.Context(), hive.BackfillFilter{}); err != nil || len(list) != 0 {
			h.Errorf("stored: %v, %v", list, err)
		}
		_, err := h.service.List(h.Context(), hive.BackfillFilter{Schedule: "x"})
		if hive.CodeOf(err) != hive.CodeNotFound {
			h.Errorf("list of an unknown schedule: %v", err)
		}
		if _, err := h.service.Get(h.Context(), 99); hive.CodeOf(err) != hive.CodeNotFound {
			h.Errorf("an unknown backfill: %v", err)
		}
	})
}
