package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gofiber/fiber/v2"
)

func built() fstest.MapFS {
	script := strings.Repeat("run();", 100)
	return fstest.MapFS{
		"index.html":            {Data: []byte("<!doctype html>first")},
		"favicon.svg":           {Data: []byte("<svg/>")},
		"theme.js":              {Data: []byte("dark()")},
		"assets/app-1a2b.js":    {Data: []byte(script)},
		"assets/app-1a2b.js.br": {Data: []byte("small br")},
		"assets/app-1a2b.js.gz": {Data: []byte("small gzip")},
		"assets/tiny.css":       {Data: []byte("a{}")},
		"assets/tiny.css.gz":    {Data: []byte("larger than before")},
		"assets/font.woff2":     {Data: []byte("wOF2")},
		".vite/manifest.json":   {Data: []byte("{}")},
	}
}

// answer is a response.
type answer struct {
	StatusCode int
	Header     http.Header
}

// ask sends a request with headers given as name, value, name, value.
func ask(t *testing.T, app *fiber.App, method, path string, headers ...string) (answer, string) {
	t.Helper()
	r := httptest.NewRequest(method, path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := app.Test(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header}, string(body)
}

// counting counts the files that are read.
type counting struct {
	fstest.MapFS
	reads int
}

// ReadFile reads a file.
func (c *counting) ReadFile(name string) ([]byte, error) {
	c.reads++
	return c.MapFS.ReadFile(name)
}

// The files are in the binary, and stay out of memory until somebody asks for them.
func TestNothingIsReadAhead(t *testing.T) {
	t.Parallel()
	app, files := fiber.New(), &counting{MapFS: built()}
	register(app, files)
	if files.reads != 0 {
		t.Errorf("%d files are read at the start", files.reads)
	}
	resp, _ := ask(t, app, http.MethodGet, "/theme.js")
	read := files.reads
	again, _ := ask(t, app, http.MethodGet, "/theme.js", "If-None-Match", resp.Header.Get("ETag"))
	if read == 0 || again.StatusCode != http.StatusNotModified || files.reads != read {
		t.Errorf("read %d times, then %d, status %d", read, files.reads, again.StatusCode)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	register(app, built())
	for _, tc := range []struct {
		path, kind, cache, body string
		status                  int
	}{
		{"/", "text/html", "no-cache", "first", http.StatusOK},
		{"/index.html", "text/html", "no-cache", "first", http.StatusOK},
		{"/login", "text/html", "no-cache", "first", http.StatusOK},
		{"/batches/7?task=a", "text/html", "no-cache", "first", http.StatusOK},
		{"/schedules/x", "text/html", "no-cache", "first", http.StatusOK},
		{"/favicon.svg", "image/svg+xml", "no-cache", "<svg/>", http.StatusOK},
		{"/theme.js", "javascript", "no-cache", "dark()", http.StatusOK},
		{"/assets/app-1a2b.js", "javascript", "immutable", "run()", http.StatusOK},
		{"/assets/font.woff2", "font/woff2", "immutable", "wOF2", http.StatusOK},
		{"/assets/gone.js", "", "", "", http.StatusNotFound},
		{"/assets/", "", "", "", http.StatusNotFound},
		{"/Batches/", "text/html", "no-cache", "first", http.StatusOK},
		{"/schedules/a.b/ticks", "text/html", "no-cache", "first", http.StatusOK},
		{"/schedules/a.b/chain", "text/html", "no-cache", "first", http.StatusOK},
		{"/schedules/a.b/runs", "text/html", "no-cache", "first", http.StatusOK},
		{"/executors/gone", "text/html", "no-cache", "first", http.StatusNotFound},
		{"/metrics", "text/html", "no-cache", "first", http.StatusNotFound},
		{"/batches/7/x", "text/html", "no-cache", "first", http.StatusNotFound},
		{"/batches/7/x.php", "", "", "", http.StatusNotFound},
		{"/.git/config", "", "", "", http.StatusNotFound},
		{"/a/.git/config", "", "", "", http.StatusNotFound},
		{"/wp-login.php", "", "", "", http.StatusNotFound},
		{"/favicon.ico", "", "", "", http.StatusNotFound},
		{"/robots.txt", "", "", "", http.StatusNotFound},
		{"/.env", "", "", "", http.StatusNotFound},
		{"/api/v1/nothing", "", "", "", http.StatusNotFound},
		{"/api", "", "", "", http.StatusNotFound},
		{"/thrift/registry", "", "", "", http.StatusNotFound},
		{"/../../etc/passwd", "text/html", "no-cache", "first", http.StatusNotFound},
		{"/%2e%2e/%2e%2e/etc/passwd", "text/html", "no-cache", "first", http.StatusNotFound},
		{"/assets/../index.html", "text/html", "no-cache", "first", http.StatusOK},
		{"/.vite/manifest.json", "", "", "", http.StatusNotFound},
		{"//evil.example/x", "text/html", "no-cache", "first", http.StatusNotFound},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			resp, body := ask(t, app, method, tc.path)
			if method == http.MethodHead {
				tc.body = ""
			}
			h := resp.Header
			if resp.StatusCode != tc.status || tc.kind == "" && strings.Contains(body, "first") || tc.kind != "" &&
				(!strings.Contains(body, tc.body) || !strings.Contains(h.Get("Content-Type"), tc.kind) ||
					!strings.Contains(h.Get("Cache-Control"), tc.cache)) {
				t.Errorf("%s %s: %d %q %q %.80q", method, tc.path, resp.StatusCode, h.Get("Content-Type"),
					h.Get("Cache-Control"), body)
			}
		}
	}
}

// A writing method is refused on a page, and answered with 404 elsewhere. An answer for an unknown address is not
// cached.
func TestMethodsOfPages(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	register(app, built())
	app.Use(func(*fiber.Ctx) error { return fiber.ErrNotFound }) // as the API does
	for path, status := range map[string]int{
		"/": http.StatusMethodNotAllowed, "/batches/7": http.StatusMethodNotAllowed,
		"/theme.js": http.StatusMethodNotAllowed,
		"/metrics":  http.StatusNotFound, "/.env": http.StatusNotFound, "/api/v1/nothing": http.StatusNotFound,
	} {
		resp, _ := ask(t, app, http.MethodPost, path)
		if resp.StatusCode != status ||
			(resp.Header.Get("Allow") == "GET, HEAD") != (status == http.StatusMethodNotAllowed) {
			t.Errorf("POST %s: %d %v", path, resp.StatusCode, resp.Header)
		}
	}
	if resp, body := ask(t, app, http.MethodGet, "/metrics", "If-None-Match",
		"*"); resp.StatusCode != http.StatusNotFound || body == "" {
		t.Errorf("an address that names nothing: %d %s", resp.StatusCode, body)
	}
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	register(app, built())
	resp, _ := ask(t, app, http.MethodGet, "/batches/7")
	for name, words := range map[string]string{
		"Content-Security-Policy":    "script-src 'self';",
		"Permissions-Policy":         "camera=()",
		"Cross-Origin-Opener-Policy": "same-origin",
		"Referrer-Policy":            "same-origin",
	} {
		if got := resp.Header.Get(name); !strings.Contains(got, words) {
			t.Errorf("%s is %q", name, got)
		}
	}
	rules := map[string]string{}
	for rule := range strings.SplitSeq(policy, "; ") {
		name, value, _ := strings.Cut(rule, " ")
		if _, twice := rules[name]; twice {
			t.Errorf("%s stands twice", name)
		}
		rules[name] = value
	}
	for name, value := range map[string]string{
		"default-src": "'none'", "script-src": "'self'", "connect-src": "'self'", "base-uri": "'none'",
		"frame-ancestors": "'none'", "form-action": "'self'",
	} {
		if rules[name] != value {
			t.Errorf("%s is %s", name, rules[name])
		}
	}
	for name, value := range rules {
		if strings.Contains(value, "unsafe") && name != "style-src-elem" || strings.Contains(value, "http") ||
			strings.Contains(value, "*") {
			t.Errorf("%s allows %s", name, value)
		}
	}
}

func TestSmallerForms(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	register(app, built())
	for accept, want := range map[string]string{
		"":                           "run();run();",
		"identity":                   "run();run();",
		"gzip":                       "small gzip",
		"gzip, deflate, br":          "small br",
		"br;q=0, gzip":               "small gzip",
		"br;q=0.0,gzip;q=0":          "run();run();",
		"br;\tq=0,\tgzip\t;\tq=1":    "small gzip",
		"BR":                         "small br",
		"gzip ; q=0.5 , br ; q=0.1":  "small br",
		"brotli":                     "run();run();",
		"*":                          "run();run();",
		"br;q=x, gzip;q=0.9":         "small gzip",
		strings.Repeat("x,", 1000):   "run();run();",
		"deflate;q=1, *;q=0, br;q=1": "small br",
	} {
		resp, body := ask(t, app, http.MethodGet, "/assets/app-1a2b.js", "Accept-Encoding", accept)
		coding := map[string]string{"small gzip": "gzip", "small br": "br"}[want]
		if !strings.HasPrefix(body, want) || resp.Header.Get("Content-Encoding") != coding ||
			!strings.Contains(resp.Header.Get("Vary"), "Accept-Encoding") ||
			!strings.Contains(resp.Header.Get("Content-Type"), "javascript") {
			t.Errorf("%.30q: %.20q %v", accept, body, resp.Header)
		}
	}
	if _, body := ask(t, app, http.MethodGet, "/assets/tiny.css", "Accept-Encoding", "gzip"); body != "a{}" {
		t.Errorf("a form that is no smaller is sent: %q", body)
	}
	if resp, _ := ask(t, app, http.MethodGet, "/assets/app-1a2b.js.br"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a form has a path of its own: %d", resp.StatusCode)
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	register(app, built())
	tags := map[string]bool{}
	for _, accept := range []string{"", "gzip", "br"} {
		resp, _ := ask(t, app, http.MethodGet, "/assets/app-1a2b.js", "Accept-Encoding", accept)
		tags[resp.Header.Get("ETag")] = true
	}
	if len(tags) != 3 || tags[""] {
		t.Errorf("each form has a tag of its own: %v", tags)
	}
	resp, _ := ask(t, app, http.MethodGet, "/")
	tag := resp.Header.Get("ETag")
	for header, status := range map[string]int{
		tag: http.StatusNotModified, "W/" + tag: http.StatusNotModified, `"x", ` +
			tag: http.StatusNotModified, "*": http.StatusNotModified,
		`"x"`: http.StatusOK, strings.Trim(tag, `"`): http.StatusOK, "": http.StatusOK,
	} {
		resp, body := ask(t, app, http.MethodGet, "/batches/7", "If-None-Match", header)
		if resp.StatusCode != status || (status == http.StatusNotModified) != (body == "") {
			t.Errorf("%q: %d %q", header, resp.StatusCode, body)
		}
	}
}

func TestEmbeddedPages(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	Register(app)
	if resp, body := ask(t, app, http.MethodGet, "/"); resp.StatusCode != http.StatusOK ||
		!strings.Contains(body, "HiveGo") {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
}
