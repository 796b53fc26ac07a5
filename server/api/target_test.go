package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/api/apitest"
)

// A request must name exactly one host.
func TestHostsOfRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.listen()
	rest := "Authorization: Bearer " + apitest.Token + "\r\nConnection: close\r\n\r\n"
	for name, tc := range map[string]struct {
		head   string
		status int
	}{
		"one host":                 {"GET /api/v1/me HTTP/1.1\r\nHost: h:1\r\n", 200},
		"an address at it":         {"GET http://H:1/api/v1/me HTTP/1.1\r\nHost: h:1\r\n", 200},
		"an address in the query":  {"GET /api/v1/batches?x=http://evil/y HTTP/1.1\r\nHost: h\r\n", 400},
		"no host of an old one":    {"GET /api/v1/me HTTP/1.0\r\n", 200},
		"two hosts":                {"GET /api/v1/me HTTP/1.1\r\nHost: h\r\nHost: evil\r\n", 400},
		"the same one twice":       {"GET /api/v1/me HTTP/1.1\r\nHost: h\r\nhost: h\r\n", 400},
		"no host":                  {"GET /api/v1/me HTTP/1.1\r\n", 400},
		"another one's address":    {"GET http://evil/api/v1/me HTTP/1.1\r\nHost: h\r\n", 400},
		"another port":             {"GET http://h:2/api/v1/me HTTP/1.1\r\nHost: h:1\r\n", 400},
		"another scheme":           {"GET ftp://h/api/v1/me HTTP/1.1\r\nHost: h\r\n", 400},
		"a name before the host":   {"GET http://me@h/api/v1/me HTTP/1.1\r\nHost: h\r\n", 200},
		"a host with a name in it": {"GET /api/v1/me HTTP/1.1\r\nHost: me@h\r\n", 400},
		"a path of two slashes":    {"GET //evil/api/v1/me?x=http://h HTTP/1.1\r\nHost: h\r\n", 400},
		"no path":                  {"GET api/v1/me HTTP/1.1\r\nHost: h\r\n", 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := wire(t, address, tc.head+rest)
			if status != tc.status || status == http.StatusBadRequest && !strings.Contains(tc.head, "?x=") &&
				!strings.Contains(body, `"host_unclear"`) {
				t.Errorf("%d %s, want %d", status, body, tc.status)
			}
		})
	}
}

// Each path lists its methods in the answer to any other method. Unknown paths answer 404.
func TestAnyMethod(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.listen()
	for _, method := range []string{
		"FOO", "PROPFIND", "TRACE", "CONNECT", "OPTIONS", "get", "M-SEARCH",
		strings.Repeat("X", 300),
	} {
		for path, want := range map[string]struct {
			status      int
			code, allow string
		}{
			"/api/v1/me":              {405, "method_not_allowed", "GET, HEAD"},
			"/api/v1/tokens/1":        {405, "method_not_allowed", "DELETE"},
			"/api/v1/batches/7/wish":  {405, "method_not_allowed", "PUT"},
			"/healthz":                {405, "method_not_allowed", "GET, HEAD"},
			"/api/v1/nothing":         {404, "not_found", ""},
			"/api/v1/batches/7/xwish": {404, "not_found", ""},
			"/nothing":                {404, "not_found", ""},
		} {
			status, head, body := exchange(t, address,
				method+" "+path+" HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer "+
					apitest.Token+"\r\n\r\n")
			var p problem
			if err := json.Unmarshal([]byte(body), &p); err != nil || status != want.status || p.Code != want.code ||
				head.Get("Allow") != want.allow || head.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%.20s %s: %d %v %s (%v)", method, path, status, head, body, err)
			}
			if want.status == http.StatusMethodNotAllowed &&
				!strings.Contains(p.Detail, " take "+method[:min(len(method), 40)]) {
				t.Errorf("%.20s %s: %s", method, path, p.Detail)
			}
		}
	}
}
