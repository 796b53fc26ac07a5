package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

const (
	defaultServer = "http://127.0.0.1:3000"
	answerTime    = 60 * time.Second // how long one call may take
)

// connection holds the flags for reaching the server.
type connection struct {
	server, tokenFile, ca string
}

func (c *connection) bind(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&c.server, "server", "", "URL of the server (HIVEGO_SERVER)")
	f.StringVar(&c.tokenFile, "token-file", "",
		"file that holds the token (HIVEGO_TOKEN_FILE; HIVEGO_TOKEN holds it itself)")
	f.StringVar(&c.ca, "ca", "",
		"PEM file of the authority that the server's certificate comes from (HIVEGO_CA); the system's if left out")
}

// address returns the server's URL without a slash at its end.
func (c *connection) address() (string, error) {
	s := c.server
	if s == "" {
		s = env("HIVEGO_SERVER", defaultServer)
	}
	if !strings.Contains(s, "://") {
		s = scheme(s) + "://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%q is no address of a server; write one such as %s", s, defaultServer)
	}
	return strings.TrimRight(s, "/"), nil
}

// scheme returns the scheme for an address without one. Calls carry a token, so it is http only for this machine.
func scheme(address string) string {
	host, _, _ := strings.Cut(address, "/")
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return "http"
	}
	return "https"
}

// token returns the token for the calls.
func (c *connection) token() (string, error) {
	t, err := c.readToken()
	if err == nil && strings.ContainsFunc(t, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("the token holds characters that no token has; give the text alone that `hivego " +
			"token create` printed")
	}
	return t, err
}

func (c *connection) readToken() (string, error) {
	file := c.tokenFile
	if file == "" {
		if t := os.Getenv("HIVEGO_TOKEN"); t != "" {
			return strings.TrimSpace(t), nil
		}
		file = os.Getenv("HIVEGO_TOKEN_FILE")
	}
	if file == "" {
		return "", errors.New("there is no token: set HIVEGO_TOKEN; " +
			"`hivego token create --user NAME --data DIR` makes one on the server's machine")
	}
	b, err := os.ReadFile(file) //nolint:gosec // the file is the caller's own choice
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	t := strings.TrimSpace(string(b))
	if t == "" {
		return "", fmt.Errorf("%s is empty; write the token into it that `hivego token create` printed", file)
	}
	return t, nil
}

// open makes a client.
func (c *connection) open() (*client.ClientWithResponses, error) {
	address, err := c.address()
	if err != nil {
		return nil, err
	}
	token, err := c.token()
	if err != nil {
		return nil, err
	}
	transport, err := c.transport()
	if err != nil {
		return nil, err
	}
	return client.NewClientWithResponses(address,
		client.WithHTTPClient(&http.Client{Transport: contentGuard{retryTransport{transport}}, Timeout: answerTime}),
		client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("User-Agent", "hivego")
			return nil
		}))
}

// transport trusts the authorities of the system, or the one from the flag.
func (c *connection) transport() (http.RoundTripper, error) {
	file := c.ca
	if file == "" {
		file = os.Getenv("HIVEGO_CA")
	}
	if file == "" {
		return http.DefaultTransport, nil
	}
	raw, err := os.ReadFile(file) //nolint:gosec // the file is the caller's own choice
	if err != nil {
		return nil, fmt.Errorf("read the authority's certificate: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(raw) {
		return nil, fmt.Errorf("%s holds no certificate", file)
	}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
	}, nil
}

// reply is the interface of all generated responses.
type reply interface {
	StatusCode() int
	GetBody() []byte
	GetApplicationProblemJSONDefault() *model.Problem
}

// checked returns an error for a call that did not reach the server or was refused.
func checked[R reply](r R, err error) (R, error) {
	if err != nil {
		return r, unreachable(err)
	}
	if code := r.StatusCode(); code >= http.StatusOK && code < http.StatusMultipleChoices {
		return r, nil
	}
	return r, refused(r.StatusCode(), r.GetApplicationProblemJSONDefault())
}

// refused returns the server's error, with all faults.
func refused(status int, p *model.Problem) error {
	if p == nil || p.Detail == "" {
		return &hive.Error{
			Code:  hive.CodeUnavailable,
			Words: fmt.Sprintf("the server answered %d %s", status, http.StatusText(status)),
		}
	}
	e := &hive.Error{Code: hive.Code(p.Code), Words: flagWords(p)}
	if p.Code == model.ProblemCodeInternal {
		e.Words += " (" + p.Instance + ")"
	}
	if remedy := hintFor(p); remedy != "" && !strings.Contains(e.Words, remedy) {
		e.Words += "; " + remedy
	}
	for _, f := range p.Faults {
		e.Faults = append(e.Faults, fault(f))
	}
	return e
}

func fault(f model.Fault) hive.Fault {
	return hive.Fault{
		Code: f.Code, Path: f.Path, Line: f.Line, Column: f.Column, Message: f.Message, Remedy: f.Remedy,
		Warning: f.Warning,
		Reason:  hive.FaultReason(f.Reason), Params: f.Params,
	}
}

// errUnreachable marks errors after which the same call may succeed later.
var errUnreachable = errors.New("the server cannot be reached")

func unreachable(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		if errors.Is(err, context.Canceled) {
			return err
		}
		if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
			return fmt.Errorf("the server's certificate is not trusted: %w; give its authority's certificate with "+
				"--ca or HIVEGO_CA", e.Err)
		}
		if errors.Is(err, errNotHiveGo) {
			return e.Err
		}
		if u, parseErr := url.Parse(e.URL); parseErr == nil {
			return fmt.Errorf("%w at %s://%s: %w; %s", errUnreachable, u.Scheme, u.Host, e.Err,
				reachRemedy(u.Scheme, e.Err))
		}
	}
	return err
}

// reachRemedy advises what to check when no server answers.
func reachRemedy(scheme string, err error) string {
	const named = "HIVEGO_SERVER or --server names another one"
	var dns *net.DNSError
	var plain tls.RecordHeaderError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "is it running there (`hivego serve`)? " + named
	case errors.As(err, &dns) && dns.IsNotFound:
		return "is the name right? " + named
	case errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &plain):
		return "what answers speaks no TLS: is it https? " + named
	case scheme == "http" && hangsUp(err): // a TLS server does that
		return "what answers hangs up: does it speak TLS? Then write https:// before its address; " + named
	case hangsUp(err):
		return "what answers hangs up: is it http, and not https? " + named
	default:
		return "see whether it is running there, and whether this machine may reach it; " + named
	}
}

func hangsUp(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) }

// isTransient reports whether a call may succeed later: the server restarts, or is overloaded.
func isTransient(err error) bool {
	if errors.Is(err, errUnreachable) {
		return true
	}
	e, ok := errors.AsType[*hive.Error](err)
	return ok && (e.Code == hive.CodeUnavailable || e.Code == hive.CodeInternal || e.Code == "too_many_requests")
}

// contentGuard refuses answers that no HiveGo server sends: a page of another program, of a proxy's login, or of
// HiveGo's web interface if the address has a path. Decoded, they would look like empty answers.
type contentGuard struct{ next http.RoundTripper }

// RoundTrip makes the call, and checks the media type of the answer.
func (g contentGuard) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(r)
	if err != nil || resp.StatusCode < http.StatusOK || resp.StatusCode >= http.StatusMultipleChoices ||
		resp.StatusCode == http.StatusNoContent {
		return resp, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" is refused as well
	if slices.Contains([]string{"application/json", "application/yaml", "text/csv"}, kind) ||
		resp.Header.Get("X-Log-Attempt") != "" {
		return resp, nil
	}
	_ = resp.Body.Close()
	path, _, _ := strings.Cut(r.URL.Path, "/api/")
	return nil, fmt.Errorf("%w at %s://%s%s: what answers there sends %q; name the server alone, as in %s",
		errNotHiveGo, r.URL.Scheme, r.URL.Host, path, kind, defaultServer)
}

// errNotHiveGo reports that another program answered.
var errNotHiveGo = errors.New("there is no HiveGo server")

// retryTransport repeats calls with an idempotency key whose answer was lost. The server performs them only once.
type retryTransport struct{ next http.RoundTripper }

const (
	repeats     = 6
	firstRepeat = 250 * time.Millisecond
)

// RoundTrip makes the call, and repeats it after a broken connection.
func (p retryTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := p.next.RoundTrip(r)
	if err == nil || r.Header.Get("Idempotency-Key") == "" || r.GetBody == nil || neverSent(err) {
		return resp, err
	}
	for i := range repeats {
		if waitErr := wait(r.Context(), firstRepeat<<i); waitErr != nil {
			return nil, err
		}
		again := r.Clone(r.Context())
		if again.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
		if resp, err = p.next.RoundTrip(again); err == nil {
			return resp, nil
		}
	}
	return nil, err
}

// neverSent reports whether nobody listens at the address. A repetition would only hide a wrong address.
func neverSent(err error) bool {
	e, ok := errors.AsType[*net.OpError](err)
	return ok && e.Op == "dial"
}

// wait sleeps for a duration, or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readAll reads a file, or standard input for "-".
func readAll(cmd *cobra.Command, file string) ([]byte, error) {
	if file == "-" {
		b, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		return b, nil
	}
	return os.ReadFile(file)
}
