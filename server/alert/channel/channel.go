// Package channel sends messages of alerts to mail servers, to chat services by their webhooks, and to any other
// service by a template. It keeps nothing: the caller repeats what may be tried again.
package channel

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/hive"
)

// Timeout limits one request, and each step of a mail: the check of the connection, and the mail itself.
const Timeout = 30 * time.Second

// maxMail limits a try to send the mails of one message to all recipients.
const maxMail = 15 * time.Minute

// Error is the failure of one try. Its text has no secrets.
type Error struct {
	Detail string
	Retry  bool          // the same may succeed later
	After  time.Duration // the service asked to wait so long; 0 if it did not
}

// Error returns the detail.
func (e *Error) Error() string { return e.Detail }

// Sender sends messages. It is safe for concurrent use.
type Sender struct {
	http *http.Client
	tls  *tls.Config // of mail servers; nil: the system's authorities
	now  func() time.Time
}

// New makes a Sender. trust has further authorities for certificates; nil for none.
func New(trust *tls.Config, now func() time.Time) *Sender {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
		DisableKeepAlives: true, // alerts are rare
	}
	if trust != nil {
		transport.TLSClientConfig = trust.Clone()
	}
	return &Sender{
		http: &http.Client{
			Transport: transport, Timeout: Timeout,
			// A redirect could carry a secret to another service.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		tls: trust, now: now,
	}
}

// Send makes one try to send a message. After the end of ctx it begins no further mail, and within twice Timeout it
// returns what became of those before. It returns what the service answered, or an *Error.
func (s *Sender) Send(
	ctx context.Context, def *hive.ChannelDefinition, secrets map[string]string, m *alert.Message,
) (answer string, err error) {
	limit := Timeout
	if def.Type == hive.ChannelEmail {
		limit = maxMail
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	required, _ := alert.Secrets(def)
	for _, name := range required {
		if secrets[name] == "" {
			return "", &Error{Detail: fmt.Sprintf("the channel lacks its secret %q; set it", name)}
		}
	}
	if def.Type == hive.ChannelEmail {
		answer, err = s.mail(ctx, def, secrets, m)
	} else {
		answer, err = s.post(ctx, def, secrets, m)
	}
	if err != nil {
		return "", concealed(err, secrets)
	}
	return conceal(answer, secrets), nil
}

// concealed makes an *Error of an error, without secrets. An error of another type may be tried again.
func concealed(err error, secrets map[string]string) *Error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // its own text has the address
		}
		e = &Error{Detail: err.Error(), Retry: true}
	}
	out := *e
	out.Detail = conceal(out.Detail, secrets)
	return &out
}

// conceal replaces secrets in a text, as they are and as they stand in addresses.
func conceal(text string, secrets map[string]string) string {
	for _, secret := range secrets {
		if len(secret) < 4 {
			continue
		}
		forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
		if u, err := url.Parse(secret); err == nil && u.Host != "" {
			forms = append(forms, u.RequestURI())
		}
		for _, form := range forms {
			if len(form) >= 4 {
				text = strings.ReplaceAll(text, form, "***")
			}
		}
	}
	return hive.Clean(text, 500)
}
