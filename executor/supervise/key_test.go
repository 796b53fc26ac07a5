package supervise_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/executor/supervise"
)

// Two attempts with the same id and different keys are two processes for all operations.
func TestTheSameIDWithAnotherKeyIsAnotherProcess(t *testing.T) {
	t.Parallel()
	old := newRig(t)
	first := old.spec(1, "sleep 600")
	second := old.spec(1, "exit 6")
	second.Key, second.Log = "other", old.logPath(2)
	ends := old.start(first)
	if end := old.wait(old.start(second)); end.Exit.Ref != second.Ref || end.Exit.Code != 6 {
		t.Fatalf("end %+v", end)
	}
	old.m.Kill(supervise.Ref{ID: 1}, 0, "nobody runs this")
	old.m.Kill(second.Ref, 0, "it has ended")
	old.m.Close()
	r := open(t, old.data)
	if len(r.list.Running) != 1 || r.list.Running[0].Ref != first.Ref || len(r.list.Exits) != 1 ||
		r.list.Exits[0].Ref != second.Ref {
		t.Fatalf("list %+v", r.list)
	}
	again := make(chan supervise.End, 2)
	report := func(e supervise.End) { again <- e }
	if r.m.Adopt(supervise.Ref{ID: 1}, report) || !r.m.Adopt(first.Ref, report) {
		t.Fatal("adopted the wrong one")
	}
	r.m.EndUnadopted()
	r.m.Kill(first.Ref, 100*time.Millisecond, "a test")
	if end := r.wait(again); end.Exit.Ref != first.Ref || end.Exit.Why != supervise.WhyKill {
		t.Fatalf("end %+v", end)
	}
	if len(ends) != 0 {
		t.Fatal("the first manager reported an end after it was closed")
	}
}
