package batch

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestCreateManual(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.create(hive.RunRequest{Params: map[string]any{"days": "7"}})
	b := v.Batch
	want := hive.Batch{
		ID: 1, ScheduleID: 1, Schedule: "warehouse", RevisionID: 100, Revision: 1, Kind: hive.KindManual,
		State: hive.BatchQueued,
		Wish:  hive.WishRun, Round: 1, Moment: t0, Params: map[string]any{"days": int64(7)}, CreatedAt: t0,
		CreatedBy: "ada",
		Owner:     "s1", Live: true, Counts: hive.Counts{hive.RunWaiting: 4},
	}
	if !reflect.DeepEqual(b, want) {
		t.Errorf("got  %+v\nwant %+v", b, want)
	}
	var keys []string
	for i, r := range v.Runs {
		keys = append(keys, r.Job+"/"+r.Task)
		if r.Number != i || r.State != hive.RunWaiting || r.Round != 1 {
			t.Errorf("run %d: %+v", i, r)
		}
	}
	if got := strings.Join(keys, " "); got != "extract/a extract/b load/c publish/d" {
		t.Error(got)
	}
	if !reflect.DeepEqual(w.eng.adopted, []int64{1}) {
		t.Errorf("the owner was told of %v", w.eng.adopted)
	}
	at := t0.Add(-24 * time.Hour)
	if v := w.create(hive.RunRequest{At: at}); !v.Batch.Moment.Equal(at) {
		t.Errorf("moment %s", v.Batch.Moment)
	}
}

// The session ends just before a batch is stored. The next session stores it, once.
func TestCreateBetweenSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := 0
	w.server = func() hive.Server {
		if asked++; asked < 4 { // the first call asks for the owner's name
			return hive.Server{ID: "s1"}
		}
		return hive.Server{ID: "s1", Epoch: 4}
	}
	if v := w.create(hive.RunRequest{}); v.Batch.ID != 1 || len(w.db.batches) != 1 || asked != 4 {
		t.Errorf("batch %d of %d, after %d sessions", v.Batch.ID, len(w.db.batches), asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.server = func() hive.Server {
		cancel() // the caller does not wait any more
		return hive.Server{ID: "s1"}
	}
	if _, err := w.Create(ctx, hive.RunRequest{Schedule: "warehouse", By: "ada"}); !errors.Is(err,
		hive.ErrSessionLost) {
		t.Error(err)
	}
}

func TestCreateAdhoc(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.create(hive.RunRequest{Task: "c"})
	b := v.Batch
	if b.Kind != hive.KindAdhoc || b.ScheduleID != 0 || b.Schedule != "" || b.Revision != 0 || b.RevisionID != 101 {
		t.Errorf("%+v", b)
	}
	if len(v.Runs) != 1 || v.Runs[0].Task != "c" || v.Runs[0].Job != "" {
		t.Errorf("%+v", v.Runs)
	}
	def := parse(t, w.db.revisions[1].Document)
	task := def.Jobs[0].Tasks[0]
	if def.Name != "warehouse" || len(def.Jobs) != 1 || def.Jobs[0].Timeout != 0 || task.Needs != nil ||
		task.Rule != "" ||
		task.When != "" || task.Disabled || task.Retry.Max != 2 || len(def.Params) != 4 {
		t.Errorf("%+v", def)
	}
	_, err := w.Create(t.Context(), hive.RunRequest{Schedule: "warehouse", Task: "zzz"})
	refused(t, err, hive.CodeNotFound, `no task "zzz"`)
	_, err = w.Create(t.Context(), hive.RunRequest{Schedule: "nothing"})
	refused(t, err, hive.CodeNotFound, "nothing")
}

// An adhoc batch has what the task takes from its job, but runs also if the job is disabled.
func TestCreateAdhocOfADisabledJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const job = "  - key: publish\n"
	w.db.revisions[0].Document = strings.Replace(warehouse, job,
		job+"    disabled: true\n    defaults: {group: etl, timeout: 5m}\n", 1)
	w.create(hive.RunRequest{Task: "d"})
	made := parse(t, w.db.revisions[1].Document).Jobs[0]
	task := made.Tasks[0]
	if made.Disabled || task.Disabled || task.Group != "etl" || task.Timeout.Std() != 5*time.Minute {
		t.Errorf("%+v", made)
	}
}

func TestCreateOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.create(hive.RunRequest{Key: "k"})
	if again := w.create(hive.RunRequest{Key: "k"}); again.Batch.ID != first.Batch.ID {
		t.Errorf("batch %d, then %d", first.Batch.ID, again.Batch.ID)
	}
	for _, other := range []hive.RunRequest{
		{Task: "c"}, {Params: map[string]any{"days": "7"}}, {At: t0.Add(-time.Hour)},
	} {
		other.Schedule, other.Key, other.By = "warehouse", "k", "ada"
		_, err := w.Create(t.Context(), other)
		refused(t, err, hive.CodeConflict, "another run")
	}
	full := hive.RunRequest{Key: "full", Task: "c", Params: map[string]any{"days": "7"}, At: t0.Add(time.Microsecond)}
	if a, b := w.create(full), w.create(full); a.Batch.ID != b.Batch.ID {
		t.Error("the same run was made twice")
	}
	if other := w.create(hive.RunRequest{Key: "k2"}); other.Batch.ID == first.Batch.ID {
		t.Error("another key made no other batch")
	}
	v, err := w.Create(t.Context(), hive.RunRequest{Schedule: "warehouse", Key: "k", By: "bob"})
	if err != nil || v.Batch.ID == first.Batch.ID {
		t.Errorf("bob got ada's batch by her key: %v", err)
	}
	w.db.batches[0].Batch.Live = false
	w.eng.adopted = nil
	if w.create(hive.RunRequest{Key: "k"}); len(w.eng.adopted) != 0 {
		t.Error("an ended batch was handed to the owner")
	}
}
