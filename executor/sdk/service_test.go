package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

func TestRunsHandlers(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{Slots: 10})
	s := connect(t, e, "s", 1)
	s.attach()
	good := assignment(1, "ok")
	good.ParamsJson, good.ValuesJson = new(`{"a":1}`), new(`{"n":12345678901234567}`)
	slow := assignment(4, "wait")
	slow.TimeoutMillis = new(int64(50))
	unfit, broken, outside := assignment(7, "ok"), assignment(8, "ok"), assignment(9, "ok")
	unfit.ParamsJson, broken.ParamsJson, outside.Workspace = new(`{"unfit":1}`), new(`[]`), new("../x")
	receipts := s.submit(good, assignment(2, "fail"), assignment(3, "panic"), slow, assignment(5, "wait"),
		assignment(6, "none"), unfit, broken, outside)
	for i, r := range receipts {
		want := hivego.ReceiptCode_STARTED
		if i > 4 {
			want = hivego.ReceiptCode_REFUSED
		}
		if r.GetCode() != want {
			t.Fatalf("receipt %d: %v %s", i, r.GetCode(), r.GetWords())
		}
	}
	if _, err := s.c.Kill(s.ctx(), &hivego.KillCall{Caller: s.caller, Orders: []*hivego.KillOrder{{
		AttemptId: new(int64(5)), Reason: new("a test"),
	}}}); err != nil {
		t.Fatal(err)
	}
	got := map[int64]*hivego.Outcome{}
	for end := time.Now().Add(patience); len(got) < 5 && time.Now().Before(end); {
		for _, v := range s.poll() {
			if v.GetKind() == hivego.EventKind_ENDED {
				got[v.GetAttemptId()] = v.Outcome
			}
		}
	}
	want := map[int64]string{
		1: "SUCCESS ", 2: "FAILURE no luck", 3: "FAILURE the handler panicked: oh",
		4: "TIMEOUT stopped: its timeout is over",
		5: "KILLED killed: a test",
	}
	for id, w := range want {
		o := got[id]
		if o == nil || fmt.Sprint(o.GetKind(), " ", o.GetError()) != w {
			t.Errorf("attempt %d: %v %s, want %s", id, o.GetKind(), o.GetError(), w)
		}
	}
	if got[1].Outputs["answer"] != "42" || got[2].GetExitCode() != 3 {
		t.Fatalf("outcomes %+v %+v", got[1], got[2])
	}
	text, complete := s.log(1)
	if !complete || !strings.Contains(text, ` out params {"a":1}, value 12345678901234567`) ||
		int64(len(text)) != got[1].GetLogBytes() {
		t.Fatalf("log %v %q", complete, text)
	}
	if text, _ := s.log(3); !strings.Contains(text, "goroutine ") {
		t.Fatalf("no stack of the panic in %q", text)
	}
}

func TestReleaseRemovesTheFolder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e := start(t, sdk.Config{Data: data})
	s := connect(t, e, "s", 1)
	s.attach()
	s.submit(assignment(1, "ok"))
	s.outcome(1)
	folder := filepath.Join(data, "attempts", "1")
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := s.c.Poll(s.ctx(), &hivego.PollCall{Caller: s.caller, Releases: []int64{1}, Acks: s.acks}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; <-time.After(time.Millisecond) {
		if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the folder is still there")
		}
	}
	r, err := s.c.ReadLog(s.ctx(), &hivego.LogCall{Caller: s.caller, AttemptId: new(int64(1))})
	if err != nil || r.GetFound() {
		t.Fatalf("%v %v", r, err)
	}
}

func TestReadLogRanges(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{})
	s := connect(t, e, "s", 1)
	s.attach()
	s.submit(assignment(1, "ok"))
	s.outcome(1)
	whole, _ := s.log(1)
	for _, c := range []struct{ offset, limit, from, to int }{
		{0, 10, 0, 10}, {5, 7, 5, 12}, {len(whole) - 3, 100, len(whole) - 3, len(whole)}, {
			len(whole) + 9, 10, 0,
			0,
		}, {0, 0, 0, 0},
	} {
		r, err := s.c.ReadLog(s.ctx(), &hivego.LogCall{
			Caller: s.caller, AttemptId: new(int64(1)), Offset: new(int64(c.offset)), Limit: new(int32(c.limit)),
		})
		if err != nil || string(r.Data) != whole[c.from:c.to] || r.GetSize() != int64(len(whole)) {
			t.Fatalf("%+v: %q, %v", c, r.GetData(), err)
		}
	}
	if _, err := s.c.ReadLog(s.ctx(),
		&hivego.LogCall{Caller: s.caller, AttemptId: new(int64(1)), Offset: new(int64(-1))}); err == nil {
		t.Fatal("a negative offset is fine")
	}
}

// After a restart on the same folder, attempts of handlers that do not survive are lost, and the rest of the state
// remains.
func TestRestart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e := start(t, sdk.Config{Data: data, StopTimeout: patience})
	s := connect(t, e, "s", 1)
	s.attach(77)
	s.submit(assignment(1, "ok"), assignment(2, "wait"))
	s.outcome(1)
	id, secret, boot := e.ID(), e.Secret(), s.attach(1, 2).GetBootId()
	if _, err := sdk.New(sdk.Config{Data: data}, handlers()...); err != nil {
		t.Fatal(err)
	}
	other, _ := sdk.New(sdk.Config{Data: data}, handlers()...)
	if err := other.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "another executor is using it") {
		t.Fatalf("two executors in one folder: %v", err)
	}
	e.Stop()
	e.Stop()
	e = start(t, sdk.Config{Data: data})
	if e.ID() != id || e.Secret() != secret {
		t.Fatal("another identity after a restart")
	}
	s = connect(t, e, "s", 2)
	r := s.attach(1, 2)
	if r.GetBootId() == boot {
		t.Fatal("the same boot id after a restart")
	}
	if r.Attempts[0].GetState() != hivego.AttemptState_ENDED || r.Attempts[1].GetState() != hivego.AttemptState_LOST {
		t.Fatalf("reports %v", r.Attempts)
	}
	if got := s.submit(assignment(77, "ok"))[0].GetCode(); got != hivego.ReceiptCode_FORGOTTEN {
		t.Fatalf("receipt %v", got)
	}
	info, err := os.Stat(filepath.Join(data, "secret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("secret: %v %v", info.Mode(), err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{Slots: 1})
	s := connect(t, e, "s", 1)
	run := func(s *server, id int64, handler string) (*hivego.Outcome, error) {
		r, err := s.c.Run(s.ctx(), &hivego.RunCall{Caller: s.caller, Assignment: assignment(id, handler)})
		if err != nil {
			return nil, err
		}
		return r.Outcome, nil
	}
	if o, err := run(s, 1, "ok"); err != nil || o.GetKind() != hivego.OutcomeKind_SUCCESS ||
		o.Outputs["answer"] != "42" {
		t.Fatalf("%v %v", o, err)
	}
	if o, err := run(s, 2, "none"); err != nil || o.GetKind() != hivego.OutcomeKind_FAILURE {
		t.Fatalf("%v %v", o, err)
	}
	// The connection breaks: the attempt is killed, and its slot is free again.
	ctx, cancel := context.WithCancel(t.Context())
	gone := connect(t, e, "s", 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = gone.c.Run(ctx, &hivego.RunCall{Caller: gone.caller, Assignment: assignment(3, "wait")})
	})
	await(t, "it runs", func() bool { return e.Running() == 1 })
	gone.close()
	await(t, "it is killed", func() bool { return e.Running() == 0 })
	cancel()
	wg.Wait()
}
