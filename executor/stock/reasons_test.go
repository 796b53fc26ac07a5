package stock_test

import (
	"testing"

	"github.com/rprp/hivego/executor/http"
	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/shell"
	"github.com/rprp/hivego/executor/sql"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// What the handlers of HiveGo refuse has a reason, so that the pages can show it in every language.
func TestRefusalsHaveReasons(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		handler sdk.Checker
		params  []string
	}{
		{&shell.Handler{}, []string{
			`{}`, `{"command":"x","interpreter":[]}`, `{"command":"x\u0000"}`, `{"command":"x","env":{"a=b":"c"}}`,
			`{"command":"x","workdir":"../x"}`,
			`{"command":"x","workdir":"a\u0000"}`,
		}},
		{&sql.Handler{}, []string{
			`{}`, `{"connection":"x"}`, `{"connection":"x","file":"../y"}`,
			`{"connection":"mongo://x","statement":"s"}`,
			`{"connection":"postgres://a:b@c/d","statement":"s"}`, `{"connection":"sqlite:","statement":"s"}`,
			`{"connection":"sqlite:../x","statement":"s"}`, `{"connection":"sqlite:a","statement":"s","args":[{}]}`,
		}},
		{&http.Handler{}, []string{
			`{"url":"http://x","method":"FETCH"}`, `{}`, `{"url":"ftp://x"}`, `{"url":"http://"}`,
			`{"url":"http://a:b@c"}`, `{"url":"http://a/../b"}`,
			`{"url":"http://a","json":"1","body":"2","method":"POST"}`, `{"url":"http://a","body":"2"}`,
			`{"url":"http://a","retries":11}`,
			`{"url":"http://a","redirects":11}`, `{"url":"http://a","showBody":2000}`,
			`{"url":"http://a","headers":{"Authorization":"x"}}`,
			`{"url":"http://a","headers":{"Host":"x"}}`, `{"url":"http://a","headers":{"a b":"x"}}`,
			`{"url":"http://a","auth":{"type":"magic"}}`,
		}},
	} {
		for _, params := range one.params {
			if err := one.handler.Check(&sdk.Task{Params: []byte(params)}); err == nil || message.Of(err).Reason == "" {
				t.Errorf("%s: %v", params, err)
			}
		}
	}
}

// Refusals and ends reach the server with their reasons.
func TestReasonsTravel(t *testing.T) {
	t.Parallel()
	e, _ := inProcess(t, t.TempDir())
	s := connect(t, e, 1)
	s.attach()
	offer := func(id int64, handler, params string) *hivego.Assignment {
		return &hivego.Assignment{AttemptId: &id, Handler: &handler, ParamsJson: &params}
	}
	r, err := s.c.Submit(t.Context(), &hivego.SubmitCall{Caller: s.caller, Assignments: []*hivego.Assignment{
		offer(1, "shell", `{}`), offer(2, "magic", `{}`),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.GetReceipts()[0]; got.GetReason() != "shell_command" {
		t.Errorf("params without a command: %v", got)
	}
	if got := r.GetReceipts()[1]; got.GetReason() != "no_such_handler" || got.GetParams()["name"] != `"magic"` {
		t.Errorf("an unknown handler: %v", got)
	}
	s.shell(3, "exec sleep 60", func(a *hivego.Assignment) { a.TimeoutMillis = new(int64(50)) })
	if o := s.outcome(3); o.GetKind() != hivego.OutcomeKind_TIMEOUT || o.GetReason() != "timed_out" {
		t.Errorf("a timeout: %v", o)
	}
}
