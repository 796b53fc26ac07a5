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

// runOnly answers describe as an executor that has run alone.
func runOnly(t *testing.T) conform.Target {
	t.Helper()
	l := lieAboutDescribe(func(r *hivego.DescribeReply) { r.Durable = nil })
	l.run = func(ctx context.Context, u up, c *hivego.RunCall) (*hivego.RunReply, error) {
		r, err := u.Run(ctx, c)
		if err == nil {
			r.Log = new("it is to do good, it says")
		}
		return r, err
	}
	l.sound = sound(t)
	return front(t, l, wire{})
}

// A task is done by either kind of executor; its outcome and its log are told.
func TestCall(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) conform.Target{"durable": sound, "run-only": runOnly} {
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
			if err != nil || o.GetKind() != hivego.OutcomeKind_FAILURE || o.GetError() != "it fails, as it was told" {
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

// Whoever stops waiting has the task killed, and is told so.
func TestCallIsInterrupted(t *testing.T) {
	t.Parallel()
	target := sound(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log := &trigger{word: "it is to do long", pull: cancel}
	o, err := conform.Call(ctx, target, conform.Task{Handler: "work", Params: `{"do": "long"}`}, log)
	if err != nil || o.GetKind() != hivego.OutcomeKind_KILLED {
		t.Fatalf("%v %v", o, err)
	}
	if _, err := conform.Call(t.Context(), target, conform.Task{Handler: "none", Params: `{}`}, log); err == nil ||
		!strings.Contains(err.Error(), `the receipt is REFUSED (this executor has no handler "none")`) {
		t.Errorf("%v", err)
	}
}

// trigger pulls when a word is written.
type trigger struct {
	word string
	pull func()
}

func (x *trigger) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(x.word)) {
		x.pull()
	}
	return len(p), nil
}

// Whatever answers at an address, who calls it learns which one that was, and what to do.
func TestDescribeSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const want = "an executor speaks Thrift: TBinaryProtocol over TFramedTransport; if it speaks TLS: --tls"
	for _, answer := range []string{"", "HTTP/1.1 400 Bad Request\r\n"} {
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
			_, _ = io.WriteString(c, answer)
			_ = c.Close()
		}()
		_, err = conform.Describe(t.Context(), conform.Target{Address: l.Addr().String()})
		if s := fmt.Sprint(err); !strings.HasPrefix(s, l.Addr().String()+": describe: the connection broke: ") ||
			!strings.HasSuffix(s, want) {
			t.Errorf("%q: %v", answer, err)
		}
	}
	target := sound(t)
	target.Token = "another"
	if _, err := conform.Describe(t.Context(), target); !strings.Contains(fmt.Sprint(err), "AccessDenied") ||
		!strings.Contains(fmt.Sprint(err), "--token-file") {
		t.Errorf("a wrong token: %v", err)
	}
}
