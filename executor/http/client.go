package http

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/executor/sdk"
)

const userAgent = "hivego"

// Limits of requests.
const (
	maxBody    = 1 << 20          // bytes; expressions cannot read a longer body
	maxHeaders = 256 << 10        // bytes
	maxPause   = 30 * time.Second // between two tries
	idleTime   = 90 * time.Second // how long a connection stays open between two requests
)

// client makes the requests of one task.
type client struct {
	task    *sdk.Task
	params  *params
	keys    map[string]secret
	masked  *strings.Replacer
	pause   time.Duration // before the first retry
	resumed bool          // an earlier executor process has submitted the work
	http    *http.Client
}

// request is a request that may be sent several times.
type request struct {
	method      string
	url         *url.URL
	body        string
	contentType string // of the body, unless the headers set it
	safe        bool   // it changes nothing on the server, whatever its method
}

// answer is a response. Expressions can use its exported fields.
type answer struct {
	Status  int               `expr:"status"`
	Headers map[string]string `expr:"headers"` // the names are in lower case
	Body    any               `expr:"body"`    // parsed; nil if it is not JSON
	Text    string            `expr:"text"`

	request  string // method and address
	line     string // for example 200 OK
	header   http.Header
	raw      []byte
	tooLarge bool
	took     time.Duration
	hide     func(text string) string // masks secrets
}

func (h *Handler) client(t *sdk.Task, p *params, keys map[string]secret) (*client, error) {
	conf, err := p.TLS.config()
	if err != nil {
		return nil, err
	}
	user := ""
	if p.Auth != nil {
		user = p.Auth.User
	}
	c := &client{task: t, params: p, keys: keys, masked: mask(user, keys), pause: h.cfg.Pause}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: conf, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: maxHeaders, IdleConnTimeout: idleTime,
		},
		CheckRedirect: c.redirect,
	}
	return c, nil
}

func (f tlsFields) config() (*tls.Config, error) {
	conf := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: f.Insecure, //nolint:gosec // the definition sets it, and its docs name the risk
	}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, fmt.Errorf("tls: %w", err)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("tls: %s has no certificate", f.CA)
		}
	}
	if f.Cert != "" {
		pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			return nil, fmt.Errorf("tls: %w", err)
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	return conf, nil
}

func (c *client) close() { c.http.CloseIdleConnections() }

// redirect limits how redirects are followed. A request to another host carries no headers of the first one, and a
// request with a body is not redirected to another host.
func (c *client) redirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) > c.params.Redirects:
		return fmt.Errorf("more than %d redirects", c.params.Redirects)
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return fmt.Errorf("redirected to %s, which is not http", req.URL.Scheme)
	case via[0].URL.Scheme == "https" && req.URL.Scheme == "http":
		return errors.New("redirected from https to http")
	case sameOrigin(req.URL, via[0].URL):
		return nil
	case req.Body != nil && req.Body != http.NoBody:
		return fmt.Errorf("redirected to another host, %s, with its body; write that address instead if it is meant",
			req.URL.Host)
	}
	req.Header = http.Header{"User-Agent": {userAgent}} //nolint:gosec // no header of the first request is in it
	return nil
}

// build makes the request to be sent. Only requests to the host of the task's url get the headers and the secrets.
func (c *client) build(ctx context.Context, r *request) (*http.Request, error) {
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.url.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", userAgent)
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	if !sameOrigin(r.url, c.params.target) {
		return req, nil
	}
	if parent := c.task.TraceParent(); parent != "" {
		req.Header.Set("Traceparent", parent) // one of the task's own replaces it
	}
	for name, value := range c.params.Headers {
		if r.body != "" || http.CanonicalHeaderKey(name) != "Content-Type" {
			req.Header.Set(name, value)
		}
	}
	for name, key := range c.params.SecretHeaders {
		req.Header.Set(name, c.keys[key].Value)
	}
	switch a := c.params.Auth; {
	case a == nil:
	case a.Type == "basic":
		req.SetBasicAuth(a.User, c.keys[a.key()].Value)
	default:
		req.Header.Set("Authorization", "Bearer "+c.keys[a.key()].Value)
	}
	return req, nil
}

// send sends a request. It retries a request that is safe to repeat if the network fails or the server is busy.
func (c *client) send(ctx context.Context, r *request) (*answer, error) {
	pause := c.pause
	for try := 0; ; try++ {
		a, err := c.sendOnce(ctx, r)
		if err == nil && (!c.shouldRetry(r, a) || try >= c.params.Retries) {
			return a, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", r, context.Cause(ctx))
		}
		if err != nil && (try >= c.params.Retries || !c.repeatable(r, err)) {
			return nil, fmt.Errorf("%s: %w", r, explain(err, time.Duration(c.params.Timeout)))
		}
		if err == nil {
			err = errors.New("answered " + a.line)
		}
		c.print("%s: %v; again in %s", r, explain(err, time.Duration(c.params.Timeout)), pause)
		if err := sleep(ctx, pause); err != nil {
			return nil, fmt.Errorf("%s: %w", r, err)
		}
		pause = min(2*pause, maxPause)
	}
}

// sendOnce sends a request without retries, within the timeout of the params.
func (c *client) sendOnce(ctx context.Context, r *request) (*answer, error) {
	return c.sendWithin(ctx, r, time.Duration(c.params.Timeout))
}

func (c *client) sendWithin(ctx context.Context, r *request, timeout time.Duration) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := c.build(ctx, r)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	a := &answer{
		Status: resp.StatusCode, Headers: map[string]string{}, request: r.String(), header: resp.Header, raw: raw,
		line:     strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))),
		tooLarge: len(raw) > maxBody, took: time.Since(began), hide: c.hide,
	}
	for name, values := range resp.Header {
		a.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	if !a.tooLarge {
		a.Body, a.Text = parse(raw), strings.ToValidUTF8(string(raw), "\ufffd")
	}
	return a, nil
}

// idempotent reports whether a request is safe to repeat: by its method, or because it has an Idempotency-Key, by which
// the server recognizes the repetition.
func (c *client) idempotent(r *request) bool {
	if r.safe || slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete},
		r.method) {
		return true
	}
	for name := range c.params.Headers {
		if http.CanonicalHeaderKey(name) == "Idempotency-Key" {
			return true
		}
	}
	return false
}

// repeatable reports whether a request may be sent again after err: it was never sent, or it is idempotent.
func (c *client) repeatable(r *request, err error) bool {
	op, broken := errors.AsType[*net.OpError](err)
	if broken && op.Op == "dial" {
		return true
	}
	broken = broken || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, context.DeadlineExceeded)
	return broken && c.idempotent(r)
}

// shouldRetry reports whether a request should be sent again: the server is busy, the task does not expect that status,
// and the request is idempotent.
func (c *client) shouldRetry(r *request, a *answer) bool {
	return slices.Contains([]int{429, 502, 503, 504}, a.Status) && !c.params.expects(a.Status) && c.idempotent(r)
}

// explain makes the text of an error useful for the author of a task.
func explain(err error, timeout time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", timeout)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err // callers write the address before the error
	}
	return err
}

// sleep waits for d, or returns the cause if the task is stopped before.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *request) String() string { return r.method + " " + r.url.String() }
