package conform_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// runOnly starts an executor that only offers run.
func runOnly(t *testing.T) conform.Target {
	t.Helper()
	l := changeDescribe(func(r *hivego.DescribeReply) { r.Durable = nil })
	l.run = func(ctx context.Context, u inner, c *hivego.RunCall) (*hivego.RunReply, error) {
		r, err := u.Run(ctx, c)
		if err == nil {
			r.Log = new("it is to do good, it says")
		}
		return r, err
	}
	l.correct = correct(t)
	return startProxy(t, l, wireFault{})
}

// Call runs a task on both kinds of executors, and returns its outcome and log.
func TestCall(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) conform.Target{"durable": correct, "run-only": runOnly} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := start(t)
			var log bytes.Buffer
			o, err := conform.Call(t.Context(), target, conform.Task{Handler: "work", Params: `{"do": "good"}`}, &log)
			if err != nil || o.GetKind() != hivego.OutcomeKind_SUCCESS || o.GetOutputs()["answer"] != "42" {
				t.Fatalf("%v %v", o, err)
			}
			if !strings.Contains(log.String(), "it is to do good") {
				t.Errorf("the log is %q", log.String())
			}
			o, err = conform.Call(t.Context(), target, conform.Task{Handler: "work", Params: `{"do": "bad"}`}, &log)
			if err != nil || o.GetKind() != hivego.OutcomeKind_FAILURE || o.GetError() != "failed as requested" {
				t.Fatalf("%v %v", o, err)
			}
			o, err = conform.Call(t.Context(), target,
				conform.Task{Handler: "work", Params: `{"do": "long"}`, Timeout: time.Millisecond}, &log)
			if err != nil || o.GetKind() != hivego.OutcomeKind_TIMEOUT {
				t.Fatalf("%v %v", o, err)
			}
		})
	}
}

// When its context ends, Call kills the task and returns the outcome.
func TestInterruptedCall(t *testing.T) {
	t.Parallel()
	target := correct(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log := &trigger{text: "it is to do long", fire: cancel}
	o, err := conform.Call(ctx, target, conform.Task{Handler: "work", Params: `{"do": "long"}`}, log)
	if err != nil || o.GetKind() != hivego.OutcomeKind_KILLED {
		t.Fatalf("%v %v", o, err)
	}
	if _, err := conform.Call(t.Context(), target, conform.Task{Handler: "none", Params: `{}`}, log); err == nil ||
		!strings.Contains(err.Error(), `the receipt is REFUSED (this executor has no handler "none")`) {
		t.Errorf("%v", err)
	}
}

// trigger is a writer that calls fire when a text is written.
type trigger struct {
	text string
	fire func()
}

func (x *trigger) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(x.text)) {
		x.fire()
	}
	return len(p), nil
}

// The error of Describe names the address and a remedy.
func TestDescribeNamesARemedy(t *testing.T) {
	t.Parallel()
	const want = "an executor speaks Thrift: TBinaryProtocol over TFramedTransport; if it speaks TLS: --tls"
	for _, serve := range []string{"", "HTTP/1.1 400 Bad Request\r\n"} {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 1))
			_, _ = io.WriteString(c, serve)
			_ = c.Close()
		}()
		_, err = conform.Describe(t.Context(), conform.Target{Address: l.Addr().String()})
		if s := fmt.Sprint(err); !strings.HasPrefix(s, l.Addr().String()+": describe: the connection broke: ") ||
			!strings.HasSuffix(s, want) {
			t.Errorf("%q: %v", serve, err)
		}
	}
	target := correct(t)
	target.Token = "another"
	if _, err := conform.Describe(t.Context(), target); !strings.Contains(fmt.Sprint(err), "AccessDenied") ||
		!strings.Contains(fmt.Sprint(err), "--token-file") {
		t.Errorf("a wrong token: %v", err)
	}
}
