package night_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/catalog"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/night"
)

const (
	manySchedules = 10_000
	batchesOfEach = 10
	openFailures  = 500
)

const manyDocument = `apiVersion: hivego/v1
kind: Schedule
name: %s
triggers:
  - cron: "%d * * * *"
jobs:
  - key: load
    tasks:
      - {key: a, handler: shell, params: {command: "true"}}
      - {key: b, handler: shell, params: {command: "true"}}
`

// BenchmarkNight reads the window and the open batches of ten thousand schedules that run each hour.
func BenchmarkNight(b *testing.B) {
	store := dbtest.Open(b, dbtest.SQLite(b))
	ctx := b.Context()
	now := time.Now().UTC().Truncate(time.Millisecond)
	me := hive.Server{ID: "server-1", Address: "127.0.0.1:3000", Version: "1", StartedAt: now}
	epoch, err := store.StartSession(ctx, me, time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	me.Epoch = epoch
	fillMany(b, store, me, now)
	plan := catalog.New(catalog.Config{
		Schedules: store, Directory: store, Lists: store, Archive: store, Renames: store, Drafts: store, Batches: store,
		Chains: store, Executors: store, Calendars: store, Results: store, Changes: store, Now: time.Now,
	})
	at := now
	s := night.New(night.Config{Store: store, Open: store, Forecasts: plan, Now: func() time.Time { return at }})
	for _, rows := range []int{12, 200} {
		b.Run(fmt.Sprint("rows=", rows), func(b *testing.B) {
			for b.Loop() {
				at = at.Add(time.Minute) // nothing is kept
				n, err := s.Night(ctx, hive.NightRequest{Rows: rows, Parts: 288})
				if err != nil || len(n.Rows) != rows {
					b.Fatal(len(n.Rows), err)
				}
			}
		})
	}
	for _, skip := range []int{0, 9_950} {
		b.Run(fmt.Sprint("all, after ", skip), func(b *testing.B) {
			for b.Loop() {
				at = at.Add(time.Minute)
				n, err := s.Night(ctx, hive.NightRequest{Rows: 50, Parts: 288, All: true, Skip: skip})
				if err != nil || len(n.Rows) != 50 || n.Schedules != manySchedules {
					b.Fatal(len(n.Rows), n.Schedules, err)
				}
			}
		})
	}
	b.Run("need a person", func(b *testing.B) {
		for b.Loop() {
			list, err := store.Batches(ctx, hive.BatchFilter{NeedsPerson: true})
			if err != nil || len(list) != 50 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			list, err := s.Open(ctx, 0, 20)
			if err != nil || list.Count != openFailures || len(list.Batches) != 20 {
				b.Fatal(list.Count, err)
			}
		}
	})
}

func fillMany(b *testing.B, store *db.Store, me hive.Server, now time.Time) {
	b.Helper()
	ctx := b.Context()
	var batches []hive.NewBatch
	for i := range manySchedules {
		name := fmt.Sprintf("schedule-%05d", i)
		doc := fmt.Sprintf(manyDocument, name, i%60)
		h, r, _, err := store.SaveSchedule(ctx, hive.SaveSchedule{
			Name: name, Document: doc, Hash: name, By: "ada", Now: now.Add(-48 * time.Hour),
		})
		if err != nil {
			b.Fatal(err)
		}
		next := now.Truncate(time.Hour).Add(time.Hour + time.Duration(i%60)*time.Minute)
		look := hive.ScheduleLook{ScheduleID: h.ID, Version: h.Version, NextAt: next}
		if err := store.NoteLooks(ctx, []hive.ScheduleLook{look}); err != nil {
			b.Fatal(err)
		}
		for n := range batchesOfEach {
			begin := next.Add(-time.Duration(2+n) * time.Hour)
			batches = append(batches, ended(h, r, begin, n == 3 && i < openFailures))
		}
		if len(batches) >= 600 || i == manySchedules-1 {
			if _, err := store.CreateBatches(ctx, me, batches); err != nil {
				b.Fatal(err)
			}
			batches = nil
		}
	}
}

func ended(h hive.Schedule, r hive.Revision, begin time.Time, failed bool) hive.NewBatch {
	end := begin.Add(4 * time.Minute)
	nb := hive.NewBatch{Batch: hive.Batch{
		ScheduleID: h.ID, Schedule: h.Name, RevisionID: r.ID, Revision: 1, Kind: hive.KindScheduled,
		State: hive.BatchSucceeded, Wish: hive.WishRun, Round: 1, Moment: begin, CreatedAt: begin, CreatedBy: "",
		StartedAt: begin, RoundAt: begin, FinishedAt: end, Counts: hive.Counts{hive.RunSucceeded: 2},
	}}
	state := hive.RunSucceeded
	if failed {
		nb.Batch.State, state = hive.BatchFailed, hive.RunFailed
	}
	for n, task := range []string{"a", "b"} {
		nb.Runs = append(nb.Runs, hive.Run{
			Number: n, Job: "load", Task: task, State: state, Round: 1, Attempts: 1, StartedAt: begin, FinishedAt: end,
			ChangedAt: end,
		})
	}
	return nb
}
