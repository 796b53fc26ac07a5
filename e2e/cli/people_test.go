package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// browser is a client like a page in a browser: it keeps cookies and sends the headers of a page.
type browser struct {
	t      *testing.T
	url    string
	client *http.Client
	header map[string]string // of every request
	csrf   string
	cookie string // the latest one, with its attributes
}

func newBrowser(t *testing.T, s *harness.Server) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := *s.Client()
	c.Jar = jar
	return &browser{t: t, url: s.URL, client: &c, header: map[string]string{"Origin": s.URL}}
}

// does makes a call and returns its status and body; "" is no body.
func (b *browser) does(method, path, body string) (status int, answer string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), harness.Patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if b.csrf != "" {
		r.Header.Set("X-Csrf-Token", b.csrf)
	}
	for name, value := range b.header {
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	resp, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	if set := resp.Header.Get("Set-Cookie"); set != "" {
		b.cookie = set
	}
	var m struct{ CSRF string }
	if json.Unmarshal(bytes.TrimSpace(raw), &m) == nil && m.CSRF != "" {
		b.csrf = m.CSRF
	}
	return resp.StatusCode, string(raw)
}

// must requires a status.
func (b *browser) must(status int, method, path, body string) string {
	b.t.Helper()
	got, answer := b.does(method, path, body)
	if got != status {
		b.t.Fatalf("%s %s: %d %s, want %d", method, path, got, answer, status)
	}
	return answer
}

// An administrator's first start, log-out and forgotten password, on both databases.
func TestPeople(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		opts.NoExecutor, opts.Empty = true, true
		s := harness.NewServer(t, opts)
		words := "Open " + s.URL + " in a browser and create the administrator.\n"
		harness.Eventually(t, "the greeting says "+words, func() bool { return strings.Contains(s.Output(), words) })
		if strings.Contains(s.Output(), "this code") {
			t.Errorf("the greeting tells a code that nobody needs:\n%s", s.Output())
		}
		ada := newBrowser(t, s)
		if got := ada.must(http.StatusOK, http.MethodGet, "/api/v1/setup", ""); !strings.Contains(got,
			`"needed":true`) || !strings.Contains(got, `"code":false`) {
			t.Errorf("setup: %s", got)
		}
		ada.must(http.StatusUnauthorized, http.MethodGet, "/api/v1/me", "")
		ada.must(http.StatusBadRequest, http.MethodPost, "/api/v1/setup", `{"name":"ada","password":"short"}`)
		ada.must(http.StatusCreated, http.MethodPost, "/api/v1/setup", `{"name":"ada","password":"correct horse"}`)
		newBrowser(t, s).must(http.StatusConflict, http.MethodPost, "/api/v1/setup",
			`{"name":"eve","password":"correct horse"}`)
		ada.must(http.StatusCreated, http.MethodPost, "/api/v1/tokens", `{"name":"mine"}`)
		csrf := ada.csrf
		ada.csrf = "guessed"
		ada.must(http.StatusForbidden, http.MethodPost, "/api/v1/tokens", `{"name":"mine"}`)
		ada.csrf = csrf

		// A restart logs nobody out.
		s.Kill()
		s.Start()
		harness.Eventually(t, "the greeting of a server that has users", func() bool {
			return strings.Contains(s.Output(), "\nOpen "+s.URL+" in a browser.\n")
		})
		ada.must(http.StatusOK, http.MethodGet, "/api/v1/me", "")

		elsewhere := newBrowser(t, s)
		elsewhere.must(http.StatusUnauthorized, http.MethodPost, "/api/v1/session",
			`{"name":"ada","password":"wrong horse"}`)
		elsewhere.must(http.StatusOK, http.MethodPost, "/api/v1/session", `{"name":"ada","password":"correct horse"}`)
		kept := elsewhere.client.Jar.Cookies(must(url.Parse(s.URL))(t))
		elsewhere.must(http.StatusNoContent, http.MethodDelete, "/api/v1/session", "")
		elsewhere.must(http.StatusUnauthorized, http.MethodGet, "/api/v1/me", "")
		elsewhere.client.Jar.SetCookies(must(url.Parse(s.URL))(t), kept)
		elsewhere.must(http.StatusUnauthorized, http.MethodGet, "/api/v1/me", "") // replayed

		s.Local("a new password\n", "user", "password", "ada", "--password-stdin")
		ada.must(http.StatusUnauthorized, http.MethodGet, "/api/v1/me", "")
		ada.must(http.StatusUnauthorized, http.MethodPost, "/api/v1/session",
			`{"name":"ada","password":"correct horse"}`)
		ada.must(http.StatusOK, http.MethodPost, "/api/v1/session", `{"name":"ada","password":"a new password"}`)
		ada.must(http.StatusNoContent, http.MethodPut, "/api/v1/me/password",
			`{"current":"a new password","next":"a third password"}`)
		ada.must(http.StatusOK, http.MethodGet, "/api/v1/me", "")

		stamp := `\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`
		s.Local("bobs password\n", "user", "add", "bob", "--password-stdin")
		s.Local("", "token", "create", "--user", "bob", "--name", "ci")
		if out := s.Local("", "user",
			"list"); !whole(`NAME  ADMIN  CREATED\nada   yes    ` + stamp + `\nbob   no     ` + stamp +
			`\n`).MatchString(out) {
			t.Errorf("user list:\n%s", out)
		}
		if out := s.Local("", "token", "list", "--user",
			"bob"); !whole(`ID  NAME  GROUP  CREATED +EXPIRES  USED\n2   ci    -      ` + stamp +
			`  -        -\n`).MatchString(out) {
			t.Errorf("token list:\n%s", out)
		}
		s.Local("", "token", "revoke", "2")
		s.Local("", "user", "remove", "bob")
		r := harness.Hivego(t, s.LocalEnv(), "", "user", "remove", "ada", "--data", s.Data)
		want(t, r, printed{2, "", "hivego user remove: .*last administrator.*\n"})
	})
}

// A server beyond loopback asks for the code that it printed; over TLS the cookie is for TLS only.
func TestSetUpFromElsewhere(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{NoExecutor: true, Empty: true, TLS: true})
	asks := regexp.MustCompile(`\nIt asks who comes from elsewhere for this code: ((?:[A-Z2-7]{4}-){3}[A-Z2-7]{4})\n`)
	harness.Eventually(t, "a code is printed", func() bool { return asks.MatchString(s.Output()) })
	m := asks.FindStringSubmatch(s.Output())
	b := newBrowser(t, s)
	b.header["X-Forwarded-For"] = "192.0.2.7" // through a proxy on this machine
	if got := b.must(http.StatusOK, http.MethodGet, "/api/v1/setup", ""); !strings.Contains(got, `"code":true`) {
		t.Errorf("setup: %s", got)
	}
	b.must(http.StatusForbidden, http.MethodPost, "/api/v1/setup", `{"name":"ada","password":"correct horse"}`)
	b.must(http.StatusForbidden, http.MethodPost, "/api/v1/setup",
		`{"name":"ada","password":"correct horse","code":"AAAA-AAAA-AAAA-AAAA"}`)
	b.must(http.StatusCreated, http.MethodPost, "/api/v1/setup",
		`{"name":"ada","password":"correct horse","code":"`+m[1]+`"}`)
	b.must(http.StatusOK, http.MethodGet, "/api/v1/me", "")
	cookie := whole(`hivego_session=hgs_\S{43}; Path=/; Max-Age=\d+; HttpOnly; Secure; SameSite=Strict`)
	if !cookie.MatchString(b.cookie) {
		t.Errorf("the cookie: %s", b.cookie)
	}
}

// Behind a proxy that --public-url names, the server accepts its own pages and no others.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t,
		harness.Options{NoExecutor: true, Args: []string{"--public-url", "https://HiveGo.example/"}})
	harness.Eventually(t, "the greeting names the public address", func() bool {
		return strings.Contains(s.Output(),
			"\nOpen https://hivego.example in a browser and create the administrator.\n")
	})
	b := newBrowser(t, s)
	login := `{"name":"admin","password":"secret-password-1"}`
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"hivego.example", "https://hivego.example", http.StatusOK},
		{"127.0.0.1:3000", "https://hivego.example", http.StatusOK},
		{"localhost:3000", "http://localhost:3000", http.StatusOK},
		{"hivego.example", "https://evil.example", http.StatusForbidden},
		{"evil.example", "http://evil.example", http.StatusForbidden},
		{"evil.example", "https://hivego.example", http.StatusForbidden},
	} {
		b.header = map[string]string{"Host": c.host, "Origin": c.origin}
		if status, answer := b.does(http.MethodPost, "/api/v1/session", login); status != c.status {
			t.Errorf("%s at %s: %d %s", c.origin, c.host, status, answer)
		}
	}
	want(t, harness.Hivego(t, nil, "", "serve", "--public-url", "hivego.example", "--data", t.TempDir()),
		printed{2, "", "hivego serve: --public-url: write an address such as https://hivego.example\n"})
}

func must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
