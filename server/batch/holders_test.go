package batch

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (s *store) SlotHolders(_ context.Context, except int64, executors []string, in hive.Span) (hive.SlotHolders,
	error,
) {
	held := in.To.Sub(in.From)
	return hive.SlotHolders{List: []hive.SlotHolder{{Batch: except + 1, Tasks: len(executors), Held: held}}}, nil
}

// A task can use the slots of its group, or of the one executor that it must run on.
func TestSlotHolders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(hive.RunRequest{}).Batch.ID
	w.now = t0.Add(time.Hour)
	w.db.executors = []hive.Executor{{ID: "x1", Name: "one", Group: "default"}, {ID: "x2", Name: "etl-1", Group: "etl"}}
	in := hive.Span{From: t0}
	got, err := w.SlotHolders(t.Context(), id, "a", in)
	want := hive.SlotHolders{List: []hive.SlotHolder{{Batch: id + 1, Tasks: 1, Held: time.Hour}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v, want %+v", got, err, want)
	}
	w.db.executors = nil
	if got, err = w.SlotHolders(t.Context(), id, "a", in); err != nil || got.List != nil {
		t.Errorf("without executors: %+v %v", got, err)
	}
	_, err = w.SlotHolders(t.Context(), id, "z", in)
	refused(t, err, hive.CodeNotFound, `"z"`)
	_, err = w.SlotHolders(t.Context(), 99, "a", in)
	refused(t, err, hive.CodeNotFound, "99")
	_, err = w.SlotHolders(t.Context(), id, "a", hive.Span{From: t0, To: t0})
	refused(t, err, hive.CodeInvalid, "after from")
	_, err = w.SlotHolders(t.Context(), id, "a", hive.Span{From: t0.Add(-15 * 24 * time.Hour), To: t0})
	refused(t, err, hive.CodeInvalid, "14 days")
}
