package api_test

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/hive"
)

// listen serves the world's app on a real address.
func (w *world) listen() string {
	w.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- w.app.Listener(l) }()
	w.Cleanup(func() {
		_ = w.app.ShutdownWithTimeout(time.Second)
		if err := <-done; err != nil {
			w.Errorf("the app: %v", err)
		}
	})
	return l.Addr().String()
}

// A visitor behind a proxy is not local, and has the address that the proxy saw.
func TestVisitors(t *testing.T) {
	t.Parallel()
	behind := edge.Site{Proxied: true}
	named := edge.Site{Public: "https://hivego.example"}
	const claim = "X-Forwarded-For: 192.0.2.7\r\n"
	for name, tc := range map[string]struct {
		site    edge.Site
		host    string
		headers string
		proto   string
		address string
		local   bool
	}{
		"here":                 {host: "127.0.0.1:3000", address: "127.0.0.1", local: true},
		"here by name":         {host: "localhost:3000", address: "127.0.0.1", local: true},
		"here by another name": {host: "hivego.example", address: "127.0.0.1"},
		"through a proxy": {
			site: behind, host: "localhost", headers: "X-Forwarded-For: 192.0.2.7\r\n",
			address: "192.0.2.7",
		},
		"through two": {
			site: behind, host: "localhost",
			headers: "X-Forwarded-For: 127.0.0.1, 192.0.2.7 , 198.51.100.1\r\n", address: "198.51.100.1",
		},
		"with two lines": {
			site: behind, host: "localhost",
			headers: "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-For: 192.0.2.7\r\n", address: "192.0.2.7",
		},
		"with IPv6": {
			site: behind, host: "localhost", headers: "X-Forwarded-For: 2001:db8::7\r\n",
			address: "2001:db8::7",
		},
		"with a port": {
			site: behind, host: "localhost", headers: "X-Forwarded-For: [2001:db8::7]:4711\r\n",
			address: "2001:db8::7",
		},
		"with a zone": {
			site: behind, host: "localhost", headers: "X-Forwarded-For: fe80::1%eth0\r\n",
			address: "fe80::1",
		},
		"mapped": {
			site: behind, host: "localhost", headers: "X-Forwarded-For: ::ffff:192.0.2.7\r\n",
			address: "192.0.2.7",
		},
		"with nonsense": {
			site: behind, host: "localhost", headers: "X-Forwarded-For: unknown\r\n",
			address: "127.0.0.1",
		},
		"who says he is here": {
			site: behind, host: "localhost", headers: "X-Forwarded-For: 127.0.0.1\r\n",
			address: "127.0.0.1",
		},
		"by Forwarded":          {host: "localhost", headers: "Forwarded: for=192.0.2.7\r\n", address: "127.0.0.1"},
		"by Via":                {host: "localhost", headers: "Via: 1.1 proxy\r\n", address: "127.0.0.1"},
		"by X-Real-IP":          {host: "localhost", headers: "x-real-ip: 192.0.2.7\r\n", address: "127.0.0.1"},
		"by HTTP/1.0":           {host: "localhost", proto: "HTTP/1.0", address: "127.0.0.1"},
		"where all are proxied": {site: edge.Site{Proxied: true}, host: "localhost", address: "127.0.0.1"},
		"where there is a public": {
			site: edge.Site{Public: "https://hivego.example"}, host: "localhost",
			address: "127.0.0.1",
		},
		"who only says so":       {host: "localhost", headers: claim, address: "127.0.0.1"},
		"by a proxy with a name": {site: named, host: "hivego.example", headers: claim, address: "192.0.2.7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).at(tc.site)
			w.NeedsSetupF = func() (bool, error) { return true, nil }
			var got hive.Visitor
			w.LogInF = func(_, _ string, v hive.Visitor) (hive.Identity, string, error) {
				got = v
				return apitest.Ada(), apitest.Session, nil
			}
			if tc.proto == "" {
				tc.proto = "HTTP/1.1"
			}
			address := w.listen()
			end := " " + tc.proto + "\r\nHost: " + tc.host + "\r\nConnection: close\r\nUser-Agent: tester\r\n" +
				tc.headers
			_, body := wire(t, address, "GET /api/v1/setup"+end+"\r\n")
			if want := `{"needed":true,"code":` + strconv.FormatBool(!tc.local) + `}`; flat(body) != want &&
				flat(body) != `{"code":`+strconv.FormatBool(!tc.local)+`,"needed":true}` {
				t.Errorf("setup: %s, want %s", body, want)
			}
			login := `{"name":"ada","password":"correct horse"}`
			status, body := wire(t, address, "POST /api/v1/session"+end+"Origin: http://"+tc.host+
				"\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(login))+"\r\n\r\n"+login)
			if want := (hive.Visitor{Address: tc.address, Agent: "tester", Local: tc.local}); status != http.StatusOK ||
				got != want {
				t.Errorf("%d %s: %+v, want %+v", status, body, got, want)
			}
		})
	}
}

func flat(body string) string { return strings.Join(strings.Fields(body), "") }

// A request with a session may have as large a body as one with a token.
func TestLargeBodiesOfSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := 0
	w.SaveF = func(r hive.SaveRequest) (hive.Saved, error) { got = len(r.Document); return hive.Saved{}, nil }
	address := w.listen()
	const size = 200_000
	send := func(cookie, more string) (int, string) {
		return wire(t, address,
			"PUT /api/v1/schedules/x HTTP/1.1\r\nHost: h\r\nOrigin: http://h\r\nX-CSRF-Token: "+apitest.CSRF+
				"\r\nConnection: close\r\nContent-Type: application/yaml\r\nCookie: "+cookie+"\r\n"+more)
	}
	plain := "Content-Length: " + strconv.Itoa(size) + "\r\n\r\n" + strings.Repeat("x", size)
	if status, body := send("a=b; hivego_session="+apitest.Session, plain); status != http.StatusOK || got != size {
		t.Errorf("%d %s, %d bytes", status, body, got)
	}
	chunks := "Transfer-Encoding: chunked\r\n\r\n" + strconv.FormatInt(size, 16) + "\r\n" + strings.Repeat("x", size) +
		"\r\n0\r\n\r\n"
	if status, body := send("hivego_session="+apitest.Session, chunks); status != http.StatusOK || got != size {
		t.Errorf("in chunks: %d %s, %d bytes", status, body, got)
	}
	if status, body := send("hivego_session=hgs_eve", plain); status != http.StatusUnauthorized {
		t.Errorf("of a wrong session: %d %s", status, body)
	}
}
