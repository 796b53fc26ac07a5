package sdk_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

func TestRegistration(t *testing.T) {
	t.Parallel()
	r := &registry{calls: make(chan *hivego.RegisterCall, 10), gone: make(chan string, 10)}
	e := start(t, sdk.Config{
		ServerURL: serveRegistry(t, r), Token: "joins", Group: "etl",
		Labels: map[string]string{"gpu": "no"},
	})
	call := <-r.calls
	if call.GetToken() != "joins" || call.GetGroup() != "etl" || call.GetSecret() != e.Secret() ||
		call.GetAddress() != e.Addr() || len(call.Handlers) != 4 || call.Labels["gpu"] != "no" ||
		call.GetExecutorId() != e.ID() ||
		call.GetContract() != hivego.CONTRACT {
		t.Fatalf("registered as %v", call)
	}
	s := connect(t, e, "s", 1)
	s.caller.ClusterId = new("another")
	var denied *hivego.AccessDenied
	await(t, "it belongs to the cluster that it registered with", func() bool {
		_, err := s.c.Describe(s.ctx(), &hivego.DescribeCall{Caller: s.caller})
		return errors.As(err, &denied)
	})
	e.Stop()
	if life := <-r.gone; life != e.ID()+" "+call.GetBootId() {
		t.Fatalf("deregistered %s", life)
	}
}

// The executor's log has the reason why a server refuses its registration.
func TestRegistrationRefused(t *testing.T) {
	t.Parallel()
	for want, refusal := range map[string]error{
		"does not take this registration: the name has a space": &hivego.BadCall{Message: new("the name has a space")},
		"refuses this executor: an old token":                   &hivego.AccessDenied{Message: new("an old token")},
	} {
		r := &registry{calls: make(chan *hivego.RegisterCall, 10), gone: make(chan string, 10), refusal: refusal}
		output := make(chan string, 10)
		e := start(t, sdk.Config{
			ServerURL: serveRegistry(t, r), Token: "joins",
			Log: slog.New(slog.NewTextHandler(lines(output), nil)),
		})
		for line := range output {
			if strings.Contains(line, "not registered") {
				if !strings.Contains(line, want) {
					t.Errorf("%s, want %s", line, want)
				}
				break
			}
		}
		e.Stop()
		for len(output) > 0 {
			if line := <-output; strings.Contains(line, "told of the stop") && !strings.Contains(line, want) {
				t.Errorf("%s, want %s", line, want)
			}
		}
	}
}

// lines collects written lines. It never blocks the writer.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	select {
	case l <- string(b):
	default:
	}
	return len(b), nil
}

// registry implements the Registry of a server.
type registry struct {
	calls   chan *hivego.RegisterCall
	gone    chan string
	refusal error
}

func (r *registry) RegisterExecutor(_ context.Context, c *hivego.RegisterCall) (*hivego.RegisterReply, error) {
	if r.refusal != nil {
		return nil, r.refusal
	}
	r.calls <- c
	return &hivego.RegisterReply{ClusterId: new("mine"), AgainMillis: new(int64(30_000))}, nil
}

func (r *registry) DeregisterExecutor(_ context.Context, c *hivego.DeregisterCall) (*hivego.DeregisterReply, error) {
	if denied, ok := errors.AsType[*hivego.AccessDenied](r.refusal); ok {
		return nil, denied
	}
	r.gone <- c.GetExecutorId() + " " + c.GetBootId()
	return &hivego.DeregisterReply{Known: new(true)}, nil
}

// serveRegistry serves the Registry of a server at a URL.
func serveRegistry(t *testing.T, r hivego.Registry) string {
	t.Helper()
	p := thrift.NewTBinaryProtocolFactoryConf(nil)
	web := httptest.NewServer(http.HandlerFunc(thrift.NewThriftHandlerFunc(hivego.NewRegistryProcessor(r), p, p)))
	t.Cleanup(web.Close)
	return web.URL
}
