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
	"strings"
	"time"

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
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	return p, nil
}

func (p *params) check() error {
	if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}, p.Method) {
		return fmt.Errorf("method %q: want GET, POST, PUT, PATCH, DELETE or HEAD", p.Method)
	}
	if p.URL == "" {
		return errors.New("url is missing")
	}
	var err error
	if p.target, err = url.Parse(p.URL); err != nil {
		return errors.New("url cannot be read as an address") // the error itself could show a password
	}
	if err := checkURL(p.target); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	for _, check := range []func() error{p.checkBody, p.checkHeaders, p.checkAuth, p.checkLimits, p.compile} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkURL returns an error for an address that is not http or https, that has a user, or whose path has . or .. parts.
func checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("want an address that begins with http:// or https://")
	case u.Hostname() == "":
		return errors.New("the address has no host")
	case u.User != nil:
		return errors.New("a user or password has no place in an address; use auth")
	}
	return checkPath(u.Path)
}

func checkPath(text string) error {
	for part := range strings.SplitSeq(text, "/") {
		if part == "." || part == ".." {
			return errors.New("the path has a part . or .., which leads elsewhere")
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
		return errors.New("give only one of json, form and body")
	case bodies > 0 && (p.Method == http.MethodGet || p.Method == http.MethodHead):
		return fmt.Errorf("a %s has no body; use query, or another method", p.Method)
	case p.JSON != "" && !json.Valid([]byte(p.JSON)):
		return errors.New("json is not JSON")
	}
	return nil
}

func (p *params) checkHeaders() error {
	for name, value := range p.Headers {
		if err := checkHeader(name, value); err != nil {
			return err
		}
		if name := http.CanonicalHeaderKey(name); name == "Authorization" || name == "Proxy-Authorization" {
			return fmt.Errorf("headers: %s has no place in a definition; use auth or secretHeaders", name)
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
			return fmt.Errorf("headers: %q is no name of a header", name)
		}
	}
	switch http.CanonicalHeaderKey(name) {
	case "":
		return errors.New("headers: a name is empty")
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer":
		return fmt.Errorf("headers: %s is set by the handler itself", name)
	}
	for _, c := range []byte(value) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("headers: %s has a line break or another control character", name)
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
		return fmt.Errorf("auth: type %q: want basic or bearer", a.Type)
	case a.Type == "basic" && (a.User == "" || strings.ContainsRune(a.User, ':')):
		return errors.New("auth: basic needs a user, without a colon")
	case p.Headers["Authorization"] != "" || p.SecretHeaders["Authorization"] != "":
		return errors.New("auth: there is a header Authorization too")
	}
	return checkSecretName(a.Secret)
}

func (p *params) checkLimits() error {
	switch {
	case p.Retries < 0 || p.Retries > 10:
		return errors.New("retries: want 0 to 10")
	case p.Redirects < 0 || p.Redirects > 10:
		return errors.New("redirects: want 0 to 10")
	case p.ShowBody < 0 || p.ShowBody > 1024:
		return errors.New("showBody: want 0 to 1024 KiB")
	case len(p.Expect) == 0:
		return errors.New("expect is empty; leave it out for 2xx")
	case (p.TLS.Cert == "") != (p.TLS.Key == ""):
		return errors.New("tls: cert and key go together")
	}
	for _, file := range []string{p.TLS.CA, p.TLS.Cert, p.TLS.Key} {
		if file != "" && (!filepath.IsAbs(file) || path.Clean(file) != file) {
			return fmt.Errorf("tls: %s: want an absolute path", file)
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
