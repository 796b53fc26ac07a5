package sdk_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

func keyed(id int64, key, handler string) *hivego.Assignment {
	a := assignment(id, handler)
	a.Key, a.BatchId, a.Schedule = &key, new(int64(31)), new("nightly")
	return a
}

func (s *server) logOf(id int64, key *string) *hivego.LogReply {
	s.t.Helper()
	r, err := s.c.ReadLog(s.ctx(),
		&hivego.LogCall{Caller: s.caller, AttemptId: &id, Key: key, Limit: new(int32(1 << 20))})
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *server) attachKeys(ids []int64, keys []string) (*hivego.AttachReply, error) {
	return s.c.Attach(s.ctx(), &hivego.AttachCall{Caller: s.caller, AttemptIds: ids, Keys: keys})
}

// Two attempts with the same id have separate folders, logs and outcomes, also after a restart.
func TestAttemptsWithTheSameIDAreSeparate(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e := start(t, sdk.Config{Data: data, Slots: 3})
	s := connect(t, e, "s", 1)
	s.attach()
	for _, r := range s.submit(keyed(1, "a", "ok"), keyed(1, "b", "fail"), assignment(1, "ok")) {
		if r.GetCode() != hivego.ReceiptCode_STARTED {
			t.Fatalf("receipt %v", r)
		}
	}
	ended := map[string]hivego.OutcomeKind{}
	await(t, "all three have ended", func() bool {
		for _, v := range s.poll() {
			if v.Outcome != nil { // an attempt may be reported as started first
				ended[v.GetKey()] = v.Outcome.GetKind()
			}
		}
		return len(ended) == 3
	})
	if ended["a"] != hivego.OutcomeKind_SUCCESS || ended["b"] != hivego.OutcomeKind_FAILURE ||
		ended[""] != hivego.OutcomeKind_SUCCESS {
		t.Fatalf("ended %v", ended)
	}
	if names := folders(t, data); !slices.Equal(names, []string{"1", "1-a", "1-b"}) {
		t.Fatalf("folders %v", names)
	}
	for key, want := range map[string]string{"a": "(id 1-a)", "b": "(id 1-b)", "": "(id 1)"} {
		if r := s.logOf(1, &key); !r.GetFound() || !strings.Contains(string(r.Data), want) {
			t.Errorf("the log of key %q: %t %s", key, r.GetFound(), r.Data)
		}
	}
	if r := s.logOf(1, new("../1-a")); r.GetFound() || len(r.Data) > 0 {
		t.Errorf("a log beside the attempts: %v", r)
	}
	e.Stop()

	if err := os.Mkdir(filepath.Join(data, "attempts", "1-c"), 0o700); err != nil { // that of one that was released
		t.Fatal(err)
	}
	e = start(t, sdk.Config{Data: data, Slots: 3})
	if names := folders(t, data); !slices.Equal(names, []string{"1", "1-a", "1-b"}) {
		t.Fatalf("folders after a restart %v", names)
	}
	s = connect(t, e, "s", 2)
	r, err := s.attachKeys([]int64{1, 1}, []string{"b", "c"})
	if err != nil || len(r.Attempts) != 2 || len(r.Others) != 2 {
		t.Fatalf("%v %v", r, err)
	}
	if x := r.Attempts[0]; x.GetKey() != "b" || x.GetState() != hivego.AttemptState_ENDED || x.IsSetHandler() ||
		x.IsSetTask() {
		t.Errorf("report %v", x)
	}
	if x := r.Attempts[1]; x.GetKey() != "c" || x.GetState() != hivego.AttemptState_FORGOTTEN {
		t.Errorf("report %v", x)
	}
	x := r.Others[slices.IndexFunc(r.Others, func(x *hivego.AttemptReport) bool { return x.GetKey() == "a" })]
	if x.GetHandler() != "ok" || x.GetBatchId() != 31 || x.GetSchedule() != "nightly" || x.GetTask() != "t" {
		t.Errorf("another report %v", x)
	}
	_, err = s.c.Poll(s.ctx(),
		&hivego.PollCall{Caller: s.caller, Releases: []int64{1, 1}, ReleaseKeys: []string{"b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the folder of the released one is gone",
		func() bool { return slices.Equal(folders(t, data), []string{"1", "1-a"}) })
}

func folders(t *testing.T, data string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(data, "attempts"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range entries {
		names = append(names, x.Name())
	}
	return names
}

func TestInvalidKeysAreBadCalls(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := connect(t, start(t, sdk.Config{Data: data}), "s", 1)
	s.attach()
	one, two := []int64{1}, []string{"a", "b"}
	for name, call := range map[string]func() error{
		"attach, too many": func() error { _, err := s.attachKeys(one, two); return err },
		"attach, too few":  func() error { _, err := s.attachKeys(one, []string{}); return err },
		"attach, a path":   func() error { _, err := s.attachKeys(one, []string{"../x"}); return err },
		"poll": func() error {
			_, err := s.c.Poll(s.ctx(), &hivego.PollCall{Caller: s.caller, Releases: one, ReleaseKeys: two})
			return err
		},
		"submit": func() error {
			_, err := s.c.Submit(s.ctx(),
				&hivego.SubmitCall{Caller: s.caller, Assignments: []*hivego.Assignment{keyed(1, "../x", "ok")}})
			return err
		},
		"run": func() error {
			_, err := s.c.Run(s.ctx(), &hivego.RunCall{Caller: s.caller, Assignment: keyed(1, "../x", "ok")})
			return err
		},
		"kill": func() error {
			_, err := s.c.Kill(s.ctx(),
				&hivego.KillCall{Caller: s.caller, Orders: []*hivego.KillOrder{{AttemptId: &one[0], Key: new("../x")}}})
			return err
		},
	} {
		if _, ok := errors.AsType[*hivego.BadCall](call()); !ok {
			t.Errorf("%s: %v", name, call())
		}
	}
	if names := folders(t, data); len(names) > 0 {
		t.Errorf("folders %v", names)
	}
}

func TestReportsItsContract(t *testing.T) {
	t.Parallel()
	s := connect(t, start(t, sdk.Config{}), "s", 1)
	r, err := s.c.Describe(s.ctx(), &hivego.DescribeCall{Caller: s.caller})
	if err != nil || r.GetContract() != hivego.CONTRACT {
		t.Fatalf("%v %v", r, err)
	}
}

// The same epoch with another session comes from a database that went back. The error names the epoch that the server
// must exceed.
func TestAReplacedSessionIsAnswered(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{})
	s, duplicate := connect(t, e, "s", 4), connect(t, e, "s", 4)
	s.caller.Session, duplicate.caller.Session = new("one"), new("two")
	s.attach()
	_, err := duplicate.attachKeys(nil, nil)
	if stale, ok := errors.AsType[*hivego.StaleEpoch](err); !ok || stale.GetEpoch() != 4 {
		t.Fatalf("%v", err)
	}
	duplicate.caller.Epoch = new(int64(5))
	duplicate.attach()
	if _, err := s.attachKeys(nil, nil); err == nil {
		t.Fatal("the session that was replaced is answered")
	}
}

// After a restart, the attempt continues under its own key.
func TestResumesWithItsKey(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	x := newElsewhere()
	e := x.life(t, sdk.Config{Data: data})
	s := connect(t, e, "s", 1)
	s.attach()
	s.submit(keyed(1, "a", "elsewhere"), keyed(1, "b", "elsewhere"))
	x.waits(t, 2)
	e.Stop()
	folder := sdk.AttemptFolder(data, sdk.Ref{ID: 1, Key: "b"})
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(folder, os.DirFS(sdk.AttemptFolder(data, sdk.Ref{ID: 1, Key: "a"}))); err != nil {
		t.Fatal(err)
	}
	s = connect(t, x.life(t, sdk.Config{Data: data}), "s", 2)
	r, err := s.attachKeys([]int64{1, 1}, []string{"a", "b"})
	if err != nil || r.Attempts[0].GetState() != hivego.AttemptState_RUNNING ||
		r.Attempts[1].GetState() != hivego.AttemptState_LOST {
		t.Fatalf("%v %v", r, err)
	}
	if words := r.Attempts[1].Outcome.GetError(); !strings.Contains(words, "attempt 1-a") {
		t.Errorf("words %q", words)
	}
	close(x.done)
	await(t, "it succeeds", func() bool {
		return slices.ContainsFunc(s.poll(), func(v *hivego.Event) bool {
			return v.GetKey() == "a" && v.Outcome.GetKind() == hivego.OutcomeKind_SUCCESS &&
				v.Outcome.Outputs["params"] == ""
		})
	})
}
