package channel

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/textproto"
	"slices"
	"strings"

	"github.com/wneessen/go-mail"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/hive"
)

// The usual ports of mail servers.
const (
	submissionPort = 587
	tlsPort        = 465
)

// mail sends a message to each recipient by itself, so that one wrong address does not hold up the others.
func (s *Sender) mail(
	ctx context.Context, def *hive.ChannelDefinition, secrets map[string]string, m *alert.Message,
) (string, error) {
	e := &def.Email
	client, err := mail.NewClient(e.Host, s.mailOptions(e, secrets)...)
	if err != nil {
		return "", &Error{Detail: "the mail server cannot be used: " + err.Error()}
	}
	to := recipients(e, m)
	messages := make([]*mail.Msg, 0, len(to))
	for _, address := range to {
		msg, err := letter(e, m, address)
		if err != nil {
			return "", &Error{Detail: err.Error()}
		}
		messages = append(messages, msg)
	}
	if err := client.DialWithContext(ctx); err != nil {
		return "", dialError(err)
	}
	var refused error
	begun := 0
	for begun < len(messages) && ctx.Err() == nil {
		refused = errors.Join(refused, client.Send(messages[begun]))
		begun++
	}
	_ = client.Close() // what was sent is with the server
	return sendResult(to, messages[:begun], refused)
}

func (s *Sender) mailOptions(e *hive.EmailChannel, secrets map[string]string) []mail.Option {
	config := &tls.Config{ServerName: e.Host, MinVersion: tls.VersionTLS12}
	if s.tls != nil {
		config = s.tls.Clone()
		config.ServerName = e.Host
	}
	options := []mail.Option{mail.WithTimeout(Timeout), mail.WithTLSConfig(config)}
	port := submissionPort
	switch e.Security {
	case "tls":
		options, port = append(options, mail.WithSSL()), tlsPort
	case "none":
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if e.Port != 0 {
		port = e.Port
	}
	options = append(options, mail.WithPort(port))
	if e.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(e.User),
			mail.WithPassword(secrets[alert.SecretPassword]))
	}
	return options
}

// recipients lists the addresses of a channel, with the owners that are addresses.
func recipients(e *hive.EmailChannel, m *alert.Message) []string {
	to := slices.Clone(e.To)
	if !e.Owners {
		return to
	}
	for _, owner := range m.Owners() {
		if _, err := netmail.ParseAddress(owner); err == nil && !slices.Contains(to, owner) {
			to = append(to, owner)
		}
	}
	return to
}

// letter makes the mail to one recipient.
func letter(e *hive.EmailChannel, m *alert.Message, to string) (*mail.Msg, error) {
	msg := mail.NewMsg()
	if err := msg.From(e.From); err != nil {
		return nil, fmt.Errorf("the sender %q is not a mail address", e.From)
	}
	if err := msg.To(to); err != nil {
		return nil, fmt.Errorf("the recipient %q is not a mail address", to)
	}
	msg.Subject(m.Title)
	msg.SetDateWithValue(m.At)
	msg.SetMessageIDWithValue(m.ID + "@hivego")
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // so that nobody's absence is answered
	msg.SetBodyString(mail.TypeTextPlain, m.Text()+"\n")
	return msg, nil
}

// dialError sorts the failures before the first mail. A refused login or an unknown certificate stays one.
func dialError(err error) *Error {
	_, unknown := errors.AsType[*tls.CertificateVerificationError](err)
	reply, replied := errors.AsType[*textproto.Error](err)
	final := unknown || replied && reply.Code >= 500 || errors.Is(err, mail.ErrNoSupportedAuthDiscovered) ||
		strings.Contains(err.Error(), "STARTTLS")
	return &Error{Detail: "the mail server cannot be used: " + err.Error(), Retry: !final}
}

// sendResult sums up what became of the mails that were begun, which are those of the first recipients. If one of them
// was taken, nothing is sent again: the others are in the answer.
func sendResult(to []string, messages []*mail.Msg, sent error) (string, error) {
	var failed []string
	retry := false
	for i, msg := range messages {
		if !msg.HasSendError() {
			continue
		}
		failed = append(failed, fmt.Sprintf("%s: %v", to[i], msg.SendError()))
		retry = retry || msg.SendErrorIsTemp()
	}
	for _, late := range to[len(messages):] {
		failed, retry = append(failed, late+": the time for the mails was over"), true
	}
	words := strings.Join(failed, "; ")
	switch {
	case sent != nil && len(failed) == 0:
		return "", &Error{Detail: sent.Error(), Retry: true}
	case len(failed) == len(to) && len(to) > 0:
		return "", &Error{Detail: words, Retry: retry}
	case len(failed) > 0:
		return fmt.Sprintf("sent to %d of %d; %s", len(to)-len(failed), len(to), words), nil
	default:
		return fmt.Sprintf("sent to %d", len(to)), nil
	}
}
