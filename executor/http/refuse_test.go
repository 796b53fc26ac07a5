package http_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rprp/hivego/executor/sdk"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct{ params, want string }{
		{`{}`, "url is missing"},
		{`{"url": "file:///etc"}`, "begins with http://"},
		{`{"url": "gopher://h/x"}`, "begins with http://"},
		{`{"url": "http:///x"}`, "no host"},
		{`{"url": "http://u:pw@h"}`, "no place in an address"},
		{`{"url": "http://h/a/%2e%2e/b"}`, "leads elsewhere"},
		{`{"url": "http://h/a/..%2Fb"}`, "leads elsewhere"},
		{`{"url": "http://h/\n"}`, "cannot be read"},
		{`{"url": "http://h", "method": "CONNECT"}`, "method"},
		{`{"url": "http://h", "body": "x"}`, "a GET has no body"},
		{`{"url": "http://h", "method": "POST", "body": "x", "json": "1"}`, "only one of"},
		{`{"url": "http://h", "method": "POST", "json": "{"}`, "not JSON"},
		{`{"url": "http://h", "headers": {"A": "b\r\nC: d"}}`, "line break"},
		{`{"url": "http://h", "headers": {"A b": "c"}}`, "no name of a header"},
		{`{"url": "http://h", "headers": {"A\nB": "c"}}`, "no name of a header"},
		{`{"url": "http://h", "headers": {"host": "x"}}`, "set by the handler"},
		{`{"url": "http://h", "headers": {"authorization": "Bearer x"}}`, "no place in a definition"},
		{`{"url": "http://h", "secretHeaders": {"A": "../x"}}`, "no name of a secret"},
		{`{"url": "http://h", "auth": {"type": "digest", "secret": "a"}}`, "basic or bearer"},
		{`{"url": "http://h", "auth": {"type": "basic", "secret": "a"}}`, "needs a user"},
		{`{"url": "http://h", "expect": ["6xx"]}`, "status"},
		{`{"url": "http://h", "success": "nothing"}`, "success: the expression is wrong"},
		{`{"url": "http://h", "success": "all(body, all(body, true))"}`, "loop within a loop"},
		{`{"url": "http://h", "success": "len(1..9) > 0"}`, "ranges"},
		{`{"url": "http://h", "outputs": {"1": "body"}}`, "output"},
		{`{"url": "http://h", "timeout": "soon"}`, "duration"},
		{`{"url": "http://h", "timeout": "0s"}`, "duration"},
		{`{"url": "http://h", "retries": 99}`, "retries"},
		{`{"url": "http://h", "tls": {"ca": "x"}}`, "absolute path"},
		{`{"url": "http://h", "tls": {"cert": "/x"}}`, "go together"},
		{`{"url": "http://h", "poll": {"url": "/jobs/{id}", "done": "true"}}`, "{id} is not among outputs"},
		{`{"url": "http://h", "poll": {"url": "/jobs"}}`, "url and done"},
		{`{"url": "http://h", "poll": {"url": "/jobs", "done": "true", "interval": "1ms"}}`, "at least 100ms"},
		{
			`{"url": "http://h", "poll": {"url": "/jobs", "done": "true", "cancel": {"url": "/x/{id}"}}}`,
			"{id} is not among outputs",
		},
		{
			`{"url": "http://h", "poll": {"url": "/jobs", "done": "true", "cancel": {"url": "", "x": ""}}}`,
			"unknown field",
		},
		{`{"url": "http://h", "uri": ""}`, "unknown field"},
	} {
		params, want := c.params, c.want
		err := b.h.Check(&sdk.Task{Params: json.RawMessage(params)})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw@") {
			t.Errorf("%s: %v", params, err)
		}
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	if i := newBench(t).h.Info(); i.Name != "http" || !json.Valid([]byte(i.ParamsSchema)) {
		t.Errorf("%+v", i)
	}
}
