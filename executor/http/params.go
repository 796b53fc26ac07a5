package http

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/sdk"
)

// fields are the handler's parameters as a definition has them.
type fields struct {
	Method        string            `json:"method"`
	URL           string            `json:"url"`
	Query         map[string]string `json:"query"`
	Headers       map[string]string `json:"headers"`
	JSON          string            `json:"json"`
	Form          map[string]string `json:"form"`
	Body          string            `json:"body"`
	Auth          *auth             `json:"auth"`
	SecretHeaders map[string]string `json:"secretHeaders"`
	Expect        []status          `json:"expect"`
	Success       string            `json:"success"`
	Outputs       map[string]string `json:"outputs"`
	Poll          *pollFields       `json:"poll"`
	Timeout       duration          `json:"timeout"`
	Retries       int               `json:"retries"`
	Redirects     int               `json:"redirects"`
	ShowBody      int               `json:"showBody"` // KiB
	TLS           tlsFields         `json:"tls"`
}

type auth struct {
	Type   string `json:"type"`
	User   string `json:"user"`
	Secret string `json:"secret"`
	// Password is the password or token itself, a secret of the server, instead of a Secret of the executor.
	Password string `json:"password"`
}

// key returns the name of the password or token among the keys of a client.
func (a *auth) key() string {
	if a.Password != "" {
		return passwordKey
	}
	return a.Secret
}

type tlsFields struct {
	CA       string `json:"ca"`
	Cert     string `json:"cert"`
	Key      string `json:"key"`
	Insecure bool   `json:"insecure"`
}

// status is an expected status: a number such as 200, or a class such as 2xx.
type status string

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *status) UnmarshalText(text []byte) error {
	*s = status(text)
	if len(text) != 3 || text[0] < '1' || text[0] > '5' || string(text[1:]) != "xx" &&
		len(bytes.Trim(text, "0123456789")) > 0 {
		return fmt.Errorf("status %q: want one such as 200, or 2xx", text)
	}
	return nil
}

// duration is a duration such as 30s or 1m30s.
type duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v <= 0 {
		return fmt.Errorf("%q is no duration such as 30s or 5m", text)
	}
	*d = duration(v)
	return nil
}

// params are checked and compiled parameters.
type params struct {
	fields

	target  *url.URL
	success *expression
	outputs map[string]*expression
	poll    *poll
}

// read reads and checks the params of a task.
func read(t *sdk.Task) (*params, error) {
	p := &params{fields: fields{
		Method: http.MethodGet, Expect: []status{"2xx"}, Timeout: duration(30 * time.Second),
		Retries: 2, Redirects: 5, ShowBody: 16,
	}}
	if err := t.Decode(&p.fields); err != nil {
		return nil, err
	}
	err := p.check()
	if _, complete := errors.AsType[*message.Error](err); err != nil && !complete {
		err = fmt.Errorf("params: %w", err)
	}
	return p, err
}

func (p *params) check() error {
	if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}, p.Method) {
		return message.Errorf(message.HTTPMethod, "params: method ‹value›: want GET, POST, PUT, PATCH, DELETE or HEAD",
			"value", strconv.Quote(p.Method))
	}
	if p.URL == "" {
		return message.Errorf(message.HTTPURL, "params: url is missing")
	}
	var err error
	if p.target, err = url.Parse(p.URL); err != nil {
		// err could show a password.
		return message.Errorf(message.HTTPURLUnread, "params: url cannot be read as an address")
	}
	if err := p.checkTarget(); err != nil {
		return err
	}
	for _, check := range []func() error{p.checkBody, p.checkHeaders, p.checkAuth, p.checkLimits, p.compile} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkTarget refuses the address of the first request if it cannot be used.
func (p *params) checkTarget() error {
	switch err := checkURL(p.target); {
	case errors.Is(err, errScheme):
		return message.Errorf(message.HTTPURLScheme,
			"params: url: want an address that begins with http:// or https://")
	case errors.Is(err, errNoHost):
		return message.Errorf(message.HTTPURLHost, "params: url: the address has no host")
	case errors.Is(err, errUser):
		return message.Errorf(message.HTTPURLUser,
			"params: url: a user or password has no place in an address; use auth")
	case errors.Is(err, errDots):
		return message.Errorf(message.HTTPURLDots, "params: url: the path has a part . or .., which leads elsewhere")
	default:
		return err
	}
}

// Why an address cannot be used.
var (
	errScheme = errors.New("want an address that begins with http:// or https://")
	errNoHost = errors.New("the address has no host")
	errUser   = errors.New("a user or password has no place in an address; use auth")
	errDots   = errors.New("the path has a part . or .., which leads elsewhere")
)

// checkURL returns an error for an address that is not http or https, that has a user, or whose path has . or .. parts.
func checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errScheme
	case u.Hostname() == "":
		return errNoHost
	case u.User != nil:
		return errUser
	}
	return checkPath(u.Path)
}

func checkPath(text string) error {
	for part := range strings.SplitSeq(text, "/") {
		if part == "." || part == ".." {
			return errDots
		}
	}
	return nil
}

func (p *params) checkBody() error {
	bodies := 0
	for _, given := range []bool{p.JSON != "", len(p.Form) > 0, p.Body != ""} {
		if given {
			bodies++
		}
	}
	switch {
	case bodies > 1:
		return message.Errorf(message.HTTPBodies, "params: give only one of json, form and body")
	case bodies > 0 && (p.Method == http.MethodGet || p.Method == http.MethodHead):
		return message.Errorf(message.HTTPNoBody, "params: a ‹method› has no body; use query, or another method",
			"method", p.Method)
	case p.JSON != "" && !json.Valid([]byte(p.JSON)):
		return message.Errorf(message.HTTPJSON, "params: json is not JSON")
	}
	return nil
}

func (p *params) checkHeaders() error {
	for name, value := range p.Headers {
		if err := checkHeader(name, value); err != nil {
			return err
		}
		if name := http.CanonicalHeaderKey(name); name == "Authorization" || name == "Proxy-Authorization" {
			return message.Errorf(message.HTTPSecretHeader,
				"params: headers: ‹name› has no place in a definition; use auth or secretHeaders", "name", name)
		}
	}
	for name, secret := range p.SecretHeaders {
		if err := checkHeader(name, ""); err != nil {
			return err
		}
		if err := checkSecretName(secret); err != nil {
			return err
		}
	}
	return nil
}

// checkHeader returns an error for a header that could inject another header, or that controls the connection.
func checkHeader(name, value string) error {
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return message.Errorf(message.HTTPHeaderName, "params: headers: ‹name› is no name of a header",
				"name", strconv.Quote(name))
		}
	}
	switch http.CanonicalHeaderKey(name) {
	case "":
		return message.Errorf(message.HTTPHeaderEmpty, "params: headers: a name is empty")
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer":
		return message.Errorf(message.HTTPHeaderOwn, "params: headers: ‹name› is set by the handler itself",
			"name", name)
	}
	for _, c := range []byte(value) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return message.Errorf(message.HTTPHeaderControl,
				"params: headers: ‹name› has a line break or another control character", "name", name)
		}
	}
	return nil
}

func (p *params) checkAuth() error {
	a := p.Auth
	switch {
	case a == nil:
		return nil
	case a.Type != "basic" && a.Type != "bearer":
		return message.Errorf(message.HTTPAuthType, "params: auth: type ‹value›: want basic or bearer",
			"value", strconv.Quote(a.Type))
	case a.Type == "basic" && (a.User == "" || strings.ContainsRune(a.User, ':')):
		return message.Errorf(message.HTTPAuthUser, "params: auth: basic needs a user, without a colon")
	case p.Headers["Authorization"] != "" || p.SecretHeaders["Authorization"] != "":
		return message.Errorf(message.HTTPAuthTwice, "params: auth: there is a header Authorization too")
	}
	if a.Password != "" {
		if a.Secret != "" {
			return errors.New("params: auth: give either password or secret")
		}
		return nil
	}
	return checkSecretName(a.Secret)
}

func (p *params) checkLimits() error {
	switch {
	case p.Retries < 0 || p.Retries > 10:
		return message.Errorf(message.HTTPRetries, "params: retries: want 0 to 10")
	case p.Redirects < 0 || p.Redirects > 10:
		return message.Errorf(message.HTTPRedirects, "params: redirects: want 0 to 10")
	case p.ShowBody < 0 || p.ShowBody > 1024:
		return message.Errorf(message.HTTPShowBody, "params: showBody: want 0 to 1024 KiB")
	case len(p.Expect) == 0:
		return message.Errorf(message.HTTPExpect, "params: expect is empty; leave it out for 2xx")
	case (p.TLS.Cert == "") != (p.TLS.Key == ""):
		return message.Errorf(message.HTTPTLSPair, "params: tls: cert and key go together")
	}
	for _, file := range []string{p.TLS.CA, p.TLS.Cert, p.TLS.Key} {
		if file != "" && (!filepath.IsAbs(file) || path.Clean(file) != file) {
			return message.Errorf(message.HTTPTLSPath, "params: tls: ‹file›: want an absolute path", "file", file)
		}
	}
	return nil
}

// compile compiles the expressions.
func (p *params) compile() error {
	var err error
	if p.Success != "" {
		if p.success, err = condition("success", p.Success); err != nil {
			return err
		}
	}
	if p.outputs, err = compileAll("outputs", p.Outputs); err != nil {
		return err
	}
	if p.Poll != nil {
		p.poll, err = p.Poll.compile(p)
	}
	return err
}

// expects reports whether the task expects a status.
func (p *params) expects(code int) bool {
	text := status(fmt.Sprint(code))
	return slices.Contains(p.Expect, text) || slices.Contains(p.Expect, text[:1]+"xx")
}

// first makes the first request of the task.
func (p *params) first() *request {
	u := *p.target
	if len(p.Query) > 0 {
		query := url.Values{}
		for name, value := range p.Query {
			query.Set(name, value)
		}
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+query.Encode(), "&")
	}
	r := &request{method: p.Method, url: &u}
	switch {
	case p.JSON != "":
		r.body, r.contentType = p.JSON, "application/json"
	case len(p.Form) > 0:
		values := url.Values{}
		for name, value := range p.Form {
			values.Set(name, value)
		}
		r.body, r.contentType = values.Encode(), "application/x-www-form-urlencoded"
	case p.Body != "":
		r.body, r.contentType = p.Body, "text/plain; charset=utf-8"
	}
	return r
}
