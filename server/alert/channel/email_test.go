package channel_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/alert/channel"
	"github.com/rprp/hivego/server/hive"
)

// mailServer is a mail server that knows one user, and recipients that it refuses.
type mailServer struct {
	refuse map[string]*smtp.SMTPError
	taken  func(mails int) // called after each mail that was taken

	mu   sync.Mutex
	got  []string // recipient and text
	user string   // of the last session
}

type mailSession struct {
	server *mailServer
	to     string
}

func (s *mailServer) NewSession(*smtp.Conn) (smtp.Session, error) {
	return &mailSession{server: s}, nil
}

func (s *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "hive" || password != "pass word" {
			return smtp.ErrAuthFailed
		}
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		s.server.user = user
		return nil
	}), nil
}

func (s *mailSession) Reset()                               { s.to = "" }
func (s *mailSession) Logout() error                        { return nil }
func (s *mailSession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if err := s.server.refuse[to]; err != nil {
		return err
	}
	s.to = to
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.got = append(s.server.got, s.to+"\n"+string(b))
	if s.server.taken != nil {
		s.server.taken(len(s.server.got))
	}
	return err
}

// startMail starts a mail server with a certificate for example.com and 127.0.0.1, and returns its port and who to
// trust.
func startMail(t *testing.T, m *mailServer, security string) (port int, trust *tls.Config) {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS()
	certificate := web.TLS.Certificates[0]
	pool := x509.NewCertPool()
	pool.AddCert(web.Certificate())
	web.Close()
	s := smtp.NewServer(m)
	s.Domain = "localhost"
	s.ErrorLog = quiet{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	address, ok := l.Addr().(*net.TCPAddr)
	require.True(t, ok)
	switch security {
	case "tls":
		l = tls.NewListener(l, config)
	case "starttls":
		s.TLSConfig = config
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close(); <-done })
	return address.Port, &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func mailChannel(port int, security string) *hive.ChannelDefinition {
	return &hive.ChannelDefinition{Type: "email", Language: "zh", Email: hive.EmailChannel{
		Host: "127.0.0.1", Port: port, Security: security, User: "hive", From: "HiveGo <hive@example.com>",
		To: []string{"ops@example.com"}, Owners: true,
	}}
}

func trySend(t *testing.T, trust *tls.Config, def *hive.ChannelDefinition, password string) (string, *channel.Error) {
	t.Helper()
	answer, err := channel.New(trust, now).Send(t.Context(), def, map[string]string{"password": password},
		message("zh", 1))
	if err == nil {
		return answer, nil
	}
	e, ok := errors.AsType[*channel.Error](err)
	require.True(t, ok, "%T", err)
	assert.NotContains(t, e.Detail, "pass word")
	return "", e
}

// Mail goes to the recipients and the owners, over STARTTLS and TLS, with a login, and without both.
func TestMail(t *testing.T) {
	t.Parallel()
	for _, security := range []string{"starttls", "tls", "none"} {
		t.Run(security, func(t *testing.T) {
			t.Parallel()
			m := &mailServer{}
			port, trust := startMail(t, m, security)
			def := mailChannel(port, security)
			if security == "none" {
				def.Email.User = ""
			}
			answer, err := trySend(t, trust, def, "pass word")
			require.Nil(t, err, "%+v", err)
			assert.Equal(t, "sent to 2", answer)
			m.mu.Lock()
			defer m.mu.Unlock()
			assert.Equal(t, def.Email.User, m.user)
			require.Len(t, m.got, 2)
			for i, to := range []string{"ops@example.com", "ada@example.com"} {
				head, text, _ := strings.Cut(m.got[i], "\n")
				assert.Equal(t, to, head)
				letter, err := netmail.ReadMessage(strings.NewReader(text))
				require.NoError(t, err)
				subject, err := new(mime.WordDecoder).DecodeHeader(letter.Header.Get("Subject"))
				require.NoError(t, err)
				assert.Equal(t, "warehouse：批次 42 失败", subject)
				assert.Equal(t, "<m1@hivego>", letter.Header.Get("Message-ID"))
				assert.Equal(t, "auto-generated", letter.Header.Get("Auto-Submitted"))
				assert.Equal(t, "<"+to+">", letter.Header.Get("To"))
			}
		})
	}
}

// A wrong password, a certificate of somebody else and a server without TLS stay failures. A busy server does not.
func TestMailErrors(t *testing.T) {
	t.Parallel()
	m := &mailServer{refuse: map[string]*smtp.SMTPError{
		"ops@example.com": {Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"},
	}}
	port, trust := startMail(t, m, "starttls")
	_, err := trySend(t, trust, mailChannel(port, ""), "wrong")
	require.NotNil(t, err)
	assert.False(t, err.Retry, err.Detail)
	_, err = trySend(t, nil, mailChannel(port, ""), "pass word")
	require.NotNil(t, err)
	assert.False(t, err.Retry, err.Detail)

	answer, err := trySend(t, trust, mailChannel(port, ""), "pass word")
	require.Nil(t, err)
	assert.Contains(t, answer, "sent to 1 of 2; ops@example.com: ")
	assert.Contains(t, answer, "no such user")
	alone := mailChannel(port, "")
	alone.Email.Owners = false
	_, err = trySend(t, trust, alone, "pass word")
	require.NotNil(t, err)
	assert.False(t, err.Retry, err.Detail)
	m.refuse["ops@example.com"] = &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "later"}
	_, err = trySend(t, trust, alone, "pass word")
	require.NotNil(t, err)
	assert.True(t, err.Retry, err.Detail)

	plain, trust := startMail(t, m, "none")
	_, err = trySend(t, trust, mailChannel(plain, "starttls"), "pass word")
	require.NotNil(t, err)
	assert.False(t, err.Retry, err.Detail)
	l, lerr := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, lerr)
	address, ok := l.Addr().(*net.TCPAddr)
	require.True(t, ok)
	require.NoError(t, l.Close())
	_, err = trySend(t, trust, mailChannel(address.Port, ""), "pass word")
	require.NotNil(t, err)
	assert.True(t, err.Retry, "out of reach: %s", err.Detail)
}

// A server that takes mails slowly gets no further one once the time is over. The answer names who has none.
func TestSlowMail(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	m := &mailServer{taken: func(mails int) {
		if mails == 2 {
			stop()
		}
	}}
	port, trust := startMail(t, m, "starttls")
	def := mailChannel(port, "")
	def.Email.To = []string{"a@example.com", "b@example.com", "c@example.com"}
	send := func() (string, error) {
		return channel.New(trust, now).Send(ctx, def, map[string]string{"password": "pass word"}, message("zh", 1))
	}
	answer, err := send()
	require.NoError(t, err)
	assert.Equal(t, "sent to 2 of 4; c@example.com: the time for the mails was over; "+
		"ada@example.com: the time for the mails was over", answer)
	_, err = send()
	why, ok := errors.AsType[*channel.Error](err)
	require.True(t, ok)
	assert.True(t, why.Retry, "nobody has got it: %s", why.Detail)
	m.mu.Lock()
	defer m.mu.Unlock()
	assert.Len(t, m.got, 2)
}
