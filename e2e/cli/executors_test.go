package cli

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/e2e/harness"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

const smallToken = "the-token-of-the-small-one"

// small is an executor of a few lines: it does not register, names no id, and only offers run.
type small struct {
	mu       sync.Mutex
	handlers []string
	boot     string
}

func (x *small) set(boot string, handlers ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.boot, x.handlers = boot, handlers
}

func (x *small) Describe(_ context.Context, c *hivego.DescribeCall) (*hivego.DescribeReply, error) {
	if c.Caller.GetToken() != smallToken {
		return nil, &hivego.AccessDenied{}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	r := &hivego.DescribeReply{BootId: new(x.boot), Labels: map[string]string{"kind": "small"}}
	for _, h := range x.handlers {
		r.Handlers = append(r.Handlers, &hivego.HandlerInfo{Name: &h})
	}
	return r, nil
}

func (x *small) Run(_ context.Context, c *hivego.RunCall) (*hivego.RunReply, error) {
	return &hivego.RunReply{
		Outcome: &hivego.Outcome{Kind: new(hivego.OutcomeKind_SUCCESS)}, Log: new("did " + c.Assignment.GetTask()),
	}, nil
}

// serve answers until the test ends.
func (x *small) serve(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				cfg := &thrift.TConfiguration{}
				p := thrift.NewTBinaryProtocolConf(thrift.NewTFramedTransportConf(thrift.NewTSocketFromConnConf(c, cfg),
					cfg), cfg)
				for {
					if ok, err := hivego.NewExecutorProcessor(x).Process(t.Context(), p, p); !ok || err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

type listed struct {
	Name, Group, State, Origin, Address string
	Slots                               int
	Drained, Offline                    bool
	Labels                              map[string]string
	Handlers                            []struct{ Name string }
}

func executors(t *testing.T, s *harness.Server) []listed {
	t.Helper()
	out := s.CLI("executors", "-o", "json")
	if strings.Contains(out, smallToken) {
		t.Errorf("the list shows the token:\n%s", out)
	}
	var list []listed
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// becomes waits until ok accepts the only executor.
func becomes(t *testing.T, s *harness.Server, what string, ok func(listed) bool) {
	t.Helper()
	harness.EventuallyOr(t, what, func() bool {
		list := executors(t, s)
		return len(list) == 1 && ok(list[0])
	}, func() string { return s.CLI("executors") + s.Output() })
}

// An executor that does not register itself is added, used, drained, kept over a restart, and removed.
func TestExecutorByAddress(t *testing.T) {
	t.Parallel()
	x := &small{}
	x.set("boot-1", "greet")
	address := x.serve(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(smallToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := harness.NewServer(t, harness.Options{NoExecutor: true})
	own := filepath.Join(t.TempDir(), "own")
	if err := os.WriteFile(own, []byte(s.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		words string
	}{
		{[]string{address}, "the token"},
		{[]string{address, "--token-file", own}, "your own token"},
		{[]string{address, "--token-file", token, "--tls"}, "does not speak TLS"},
		{[]string{strings.TrimPrefix(s.URL, "http://")}, "this server itself"},
		{[]string{harness.FreeAddress(t)}, "nothing listens"},
		{[]string{"192.0.2.1:9999"}, "speaks TLS"},
		{[]string{address, "--label", "nothing"}, "KEY=VALUE"},
	} {
		if r := s.Try(append([]string{"executors", "add"}, c.args...)...); r.Code == 0 ||
			!strings.Contains(r.Stderr, c.words) {
			t.Errorf("add %v: exit %d, %q", c.args, r.Code, r.Stderr)
		}
	}
	if list := executors(t, s); len(list) != 0 {
		t.Fatalf("something was kept: %+v", list)
	}
	add := []string{
		"executors", "add", address, "--token-file", token, "--group", "ml", "--label", "zone=a", "--name",
		"small",
	}
	s.CLI(add...)
	s.CLI(add...) // once more: it is refreshed
	becomes(t, s, "it is there", func(e listed) bool {
		return e.State == "online" && e.Origin == "address" && e.Name == "small" && e.Group == "ml" && e.Slots == 1 &&
			e.Labels["zone"] == "a" && e.Labels["kind"] == "small" && len(e.Handlers) == 1
	})
	s.Apply("apiVersion: hivego/v1\nkind: Schedule\nname: small\njobs: [{key: j, tasks: [{key: t, handler: greet, " +
		"group: ml}]}]\n")
	id := s.Run("small")
	if b := s.WaitEnd(id); b.State != "succeeded" {
		t.Errorf("%+v", b)
	}
	if got := s.CLI("logs", strconv.FormatInt(id, 10), "t"); !strings.HasSuffix(got, " out did t\n") {
		t.Errorf("the log is %q", got)
	}

	s.CLI("executors", "drain", "small")
	s.Terminate()
	s.Start()
	becomes(t, s, "it is drained over a restart of the server",
		func(e listed) bool { return e.State == "draining" && e.Drained })
	x.set("boot-2", "greet", "train")
	becomes(t, s, "its next start ends that, and what it offers is followed", func(e listed) bool {
		return e.State == "online" && !e.Drained &&
			slices.ContainsFunc(e.Handlers, func(h struct{ Name string }) bool { return h.Name == "train" })
	})
	s.CLI("executors", "remove", "small")
	if list := executors(t, s); len(list) != 0 {
		t.Errorf("it is still there: %+v", list)
	}
	if strings.Contains(s.Output(), smallToken) {
		t.Error("the log of the server has the token")
	}
}
