package api_test

import (
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api"
	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/hive"
)

// in makes a call with ada's session from a page of the server. headers override its headers; an empty value removes
// one.
func in(method, path, body string, more map[string]string) call {
	h := map[string]string{
		"Authorization": "", "Cookie": "hivego_session=" +
			apitest.Session, "Origin": "http://example.com", "X-CSRF-Token": apitest.CSRF,
	}
	maps.Copy(h, more)
	return call{method, path, body, h}
}

func (w *world) at(site edge.Site) *world {
	w.app = api.NewApp(api.Config{
		Log: slog.New(slog.NewTextHandler(w.log, nil)), Now: func() time.Time { return w.now }, Site: site,
	}, w.Ports())
	return w
}

// A session's cookie allows the same as a token, if the request comes from a page of this server.
func TestCookies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for id, c := range samples() {
		if id == "getOverview" || id == "setUp" || id == "logIn" {
			continue
		}
		if a := w.do(in(c.method, c.path, c.body, nil)); a.StatusCode >= 300 && id != "getReadiness" {
			t.Errorf("%s: %d %s", id, a.StatusCode, a.body)
		}
	}
	a := w.do(in(http.MethodGet, "/api/v1/me", "", map[string]string{"Origin": "", "X-CSRF-Token": ""}))
	if !strings.Contains(string(a.body), `"csrf":"csrf-ada"`) || strings.Contains(string(a.body), "tokenId") {
		t.Errorf("%s", a.body)
	}
	for name, cookie := range map[string]string{
		"none": "", "another name": "session=" + apitest.Session, "another case": "Hivego_Session=" + apitest.Session,
		"empty": "hivego_session=", "wrong": "hivego_session=hgs_eve", "a token": "hivego_session=" + apitest.Token,
		"two": "hivego_session=" + apitest.Session +
			"; hivego_session=hgs_eve", "the same twice": "hivego_session=hgs_ada; hivego_session=hgs_ada",
		"escaped": "hivego_session=hgs%5Fada", "cut": "hivego_session=hgs_ad", "in a token's place": "Bearer hgs_ada",
		"bytes": "hivego_session=\xff\xfe", "long": "hivego_session=" + strings.Repeat("x", 5000),
	} {
		c := in(http.MethodGet, "/api/v1/me", "", map[string]string{"Cookie": cookie})
		if a := w.do(c); a.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}
	// If a request has a token and a cookie, the token counts, and no page is needed.
	c := in(http.MethodDelete, "/api/v1/tokens/10", "",
		map[string]string{"Authorization": "Bearer " + apitest.Token, "Origin": "https://evil.example"})
	if a := w.do(c); a.StatusCode != http.StatusNoContent {
		t.Errorf("a token from anywhere: %d %s", a.StatusCode, a.body)
	}
	w.refused(in(http.MethodGet, "/api/v1/me", "", map[string]string{"Authorization": "Bearer x"}),
		http.StatusUnauthorized, "unauthorized", "")
}

// A request with a session that changes something must come from a page of this server, with the session's CSRF text.
func TestForgedRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, more := range map[string]map[string]string{
		"no text":              {"X-CSRF-Token": ""},
		"another's text":       {"X-CSRF-Token": "csrf-bob"},
		"the text and more":    {"X-CSRF-Token": apitest.CSRF + "x"},
		"the cookie as text":   {"X-CSRF-Token": apitest.Session},
		"no origin":            {"Origin": ""},
		"origin null":          {"Origin": "null"},
		"another site":         {"Origin": "https://evil.example"},
		"a site that ends so":  {"Origin": "http://evil-example.com"},
		"a site below it":      {"Origin": "http://a.example.com"},
		"a site that holds it": {"Origin": "http://example.com.evil.example"},
		"another port":         {"Origin": "http://example.com:8080"},
		"a path":               {"Origin": "http://example.com/"},
		"another scheme":       {"Origin": "ftp://example.com"},
		"no scheme":            {"Origin": "example.com"},
		"two origins":          {"Origin": "http://example.com http://evil.example"},
		"user info":            {"Origin": "http://example.com@evil.example"},
		"same site only":       {"Origin": "", "Sec-Fetch-Site": "same-site"},
		"by the user's hand":   {"Origin": "", "Sec-Fetch-Site": "none"},
		"cross-site":           {"Origin": "", "Sec-Fetch-Site": "cross-site"},
		"origin over fetch":    {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
	} {
		for _, c := range []call{
			in(http.MethodPut, "/api/v1/batches/7/wish", `{"wish":"cancel"}`, more),
			in(http.MethodDelete, "/api/v1/session", "", more),
			in(http.MethodDelete, "/api/v1/tokens/10", "", more),
		} {
			if a := w.do(c); a.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %s %s: %d %s", name, c.method, c.path, a.StatusCode, a.body)
			}
		}
	}
	for name, more := range map[string]map[string]string{
		"its origin": nil, "in capitals": {"Origin": "HTTP://EXAMPLE.COM"},
		"behind TLS":        {"Origin": "https://example.com"},
		"by fetch metadata": {"Origin": "", "Sec-Fetch-Site": "same-origin"},
	} {
		if a := w.do(in(http.MethodPut, "/api/v1/batches/7/wish", `{"wish":"cancel"}`, more)); a.StatusCode >= 300 {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}
}

// A page of another site cannot open a websocket with a user's cookie, although that is a GET.
func TestForgedUpgrades(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, origin := range []string{"", "null", "https://evil.example"} {
		more := map[string]string{"Upgrade": "websocket", "Connection": "Upgrade", "Origin": origin}
		w.refused(in(http.MethodGet, "/api/v1/me", "", more), http.StatusForbidden, "forbidden", "page")
	}
	more := map[string]string{"Upgrade": "websocket", "Connection": "Upgrade", "X-CSRF-Token": ""}
	if a := w.do(in(http.MethodGet, "/api/v1/me", "", more)); a.StatusCode != http.StatusOK {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}

// No page of another site and no form can log a browser in or set the server up.
func TestForgedLogIns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"logIn", "setUp"} {
		c := samples()[id]
		for _, origin := range []string{"", "null", "https://evil.example", "http://example.com:1"} {
			c.headers = map[string]string{"Authorization": "", "Origin": origin}
			w.refused(c, http.StatusForbidden, "forbidden", "")
		}
		for _, kind := range []string{
			"text/plain", "application/x-www-form-urlencoded",
			"multipart/form-data; boundary=x", "",
		} {
			c.headers = map[string]string{"Authorization": "", "Origin": "http://example.com", "Content-Type": kind}
			w.refused(c, http.StatusUnsupportedMediaType, "unsupported_media_type", "")
		}
	}
}

func TestCookiesAreGiven(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		site   edge.Site
		origin string
		secure bool
	}{
		"in the clear": {edge.Site{}, "http://example.com", false},
		"over TLS":     {edge.Site{Secure: true}, "https://example.com", true},
		"behind a proxy": {
			edge.Site{Public: "https://hivego.example"},
			"https://hivego.example",
			true,
		},
		"behind a proxy that keeps the host": {edge.Site{Proxied: true}, "https://example.com", true},
		"beside a proxy": {
			edge.Site{Public: "https://hivego.example"},
			"http://example.com",
			false,
		},
	} {
		w := newWorld(t).at(tc.site)
		for _, id := range []string{"logIn", "setUp"} {
			c := samples()[id]
			c.headers = map[string]string{"Authorization": "", "Origin": tc.origin}
			a := w.do(c)
			want := "hivego_session=hgs_ada; Path=/; Max-Age=3600; HttpOnly"
			if tc.secure {
				want += "; Secure"
			}
			if got := a.Header.Values("Set-Cookie"); len(got) != 1 || got[0] != want+"; SameSite=Strict" {
				t.Errorf("%s, %s: %d %q", name, id, a.StatusCode, got)
			}
			if strings.Contains(string(a.body), apitest.Session) || !strings.Contains(string(a.body), apitest.CSRF) {
				t.Errorf("%s: %s", id, a.body)
			}
		}
	}
	w := newWorld(t).at(edge.Site{Secure: true})
	c := samples()["logIn"]
	w.refused(c, http.StatusForbidden, "forbidden", "http://example.com")
	ended := hive.Identity{}
	w.LogOutF = func(id hive.Identity) error { ended = id; return nil }
	a := w.do(in(http.MethodDelete, "/api/v1/session", "", map[string]string{"Origin": "https://example.com"}))
	if got := a.Header.Get("Set-Cookie"); a.StatusCode != http.StatusNoContent || ended.Session.ID != 30 ||
		!strings.HasPrefix(got, "hivego_session=; Path=/; Max-Age=0") {
		t.Errorf("%d %q %+v", a.StatusCode, got, ended)
	}
}

// A server for its own machine refuses other hosts, so DNS rebinding fails.
func TestHosts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		site edge.Site
		host string
		ok   bool
	}{
		{edge.Site{Loopback: true}, "127.0.0.1:3000", true},
		{edge.Site{Loopback: true}, "localhost:3000", true},
		{edge.Site{Loopback: true}, "LocalHost", true},
		{edge.Site{Loopback: true}, "127.8.9.1:80", true},
		{edge.Site{Loopback: true}, "[::1]:3000", true},
		{edge.Site{Loopback: true}, "[::1]", true},
		{edge.Site{Loopback: true}, "[::ffff:127.0.0.1]:3000", true},
		{edge.Site{Loopback: true}, "evil.example:3000", false},
		{edge.Site{Loopback: true}, "localhost.evil.example", false},
		{edge.Site{Loopback: true}, "evil-localhost", false},
		{edge.Site{Loopback: true}, "127.0.0.1.evil.example", false},
		{edge.Site{Loopback: true}, "0.0.0.0:3000", false},
		{edge.Site{Loopback: true}, "[::]:3000", false},
		{edge.Site{Loopback: true}, "127.1:3000", false},
		{edge.Site{Loopback: true}, "localhost@evil.example", false},
		{edge.Site{Loopback: true}, "hivego.example", false},
		{edge.Site{Loopback: true, Public: "https://hivego.example"}, "hivego.example", true},
		{edge.Site{Loopback: true, Public: "https://hivego.example"}, "HiveGo.example", true},
		{edge.Site{Loopback: true, Public: "https://hivego.example"}, "hivego.example:8443", false},
		{edge.Site{Loopback: true, Public: "https://hivego.example:8443"}, "hivego.example:8443", true},
		{edge.Site{Loopback: true, Public: "https://hivego.example"}, "a.hivego.example", false},
		{edge.Site{Loopback: true, Public: "https://hivego.example"}, "localhost:3000", true},
		{edge.Site{}, "whatever.example", true},
	} {
		w := newWorld(t).at(tc.site)
		for _, path := range []string{"/healthz", "/api/v1/setup", "/"} {
			status := w.host(path, tc.host)
			refused := status == http.StatusForbidden || status == http.StatusBadRequest // of what is no host at all
			if refused == tc.ok {
				t.Errorf("%+v, asked as %q for %s: %d", tc.site, tc.host, path, status)
			}
		}
	}
}

// host sends a request with a Host header.
func (w *world) host(path, host string) int {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodGet, path, http.NoBody)
	if err != nil {
		w.Fatal(err)
	}
	r.Host = host
	resp, err := w.app.Test(r, -1)
	if err != nil {
		w.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
