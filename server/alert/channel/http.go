package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/hive"
)

const (
	maxAnswer = 64 << 10
	maxWait   = time.Hour // that a service may ask for
)

// request is one HTTP request, before it is sent.
type request struct {
	method  string
	url     string
	headers map[string]string
	body    []byte
	// judge returns why a service refused a request that it answered with a status of 2xx. nil: it never does.
	judge func(answer []byte) *Error
}

// post sends a message by HTTP.
func (s *Sender) post(
	ctx context.Context, def *hive.ChannelDefinition, secrets map[string]string, m *alert.Message,
) (string, error) {
	r, err := s.request(def, secrets, m)
	if err != nil {
		return "", err
	}
	out, err := http.NewRequestWithContext(ctx, r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return "", &Error{Detail: "the address of the channel cannot be read; set it again"}
	}
	out.Header.Set("User-Agent", "HiveGo")
	for name, value := range r.headers {
		out.Header.Set(name, value)
	}
	in, err := s.http.Do(out)
	if err != nil {
		return "", err
	}
	defer in.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(in.Body, maxAnswer))
	if err != nil {
		return "", err
	}
	if in.StatusCode/100 != 2 {
		return "", s.refused(in, answer)
	}
	if r.judge != nil {
		if why := r.judge(answer); why != nil {
			return "", why
		}
	}
	return in.Status, nil
}

// refused makes the error of a status.
func (s *Sender) refused(in *http.Response, answer []byte) *Error {
	detail := in.Status
	if line := alert.FirstLine(string(answer)); line != "" {
		detail += ": " + line
	}
	if in.StatusCode/100 == 3 {
		detail = in.Status + ": the address leads to another one; write that one"
	}
	code := in.StatusCode
	return &Error{
		Detail: detail, After: s.after(in.Header.Get("Retry-After")),
		Retry: code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout ||
			code == http.StatusTooEarly,
	}
}

// after reads the header Retry-After: seconds, or a date.
func (s *Sender) after(header string) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(header); err == nil {
		wait = time.Duration(min(seconds, int(maxWait/time.Second))) * time.Second
	} else if date, err := http.ParseTime(header); err == nil {
		wait = date.Sub(s.now())
	}
	return min(max(wait, 0), maxWait)
}

// request makes the request of a channel.
func (s *Sender) request(def *hive.ChannelDefinition, secrets map[string]string, m *alert.Message) (*request, error) {
	switch def.Type {
	case hive.ChannelWebhook:
		return s.webhook(def, secrets, m)
	case hive.ChannelSlack:
		return slack(secrets, m)
	case hive.ChannelDingTalk:
		return s.dingTalk(secrets, m)
	case hive.ChannelFeishu:
		return s.feishu(def, secrets, m)
	case hive.ChannelWeCom:
		return weCom(secrets, m)
	case hive.ChannelHTTP:
		return template(&def.HTTP, secrets, m), nil
	default:
		return nil, &Error{Detail: fmt.Sprintf("this server knows no channel of type %q", def.Type)}
	}
}

// asJSON makes a POST of a value.
func asJSON(to string, value any) (*request, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, &Error{Detail: "the message cannot be written as JSON: " + err.Error()}
	}
	return &request{
		method: http.MethodPost, url: to, body: bytes.TrimSpace(b.Bytes()),
		headers: map[string]string{"Content-Type": "application/json; charset=utf-8"},
	}, nil
}

// cut shortens a text to so many bytes, with a mark at the end.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const mark = "…"
	return strings.ToValidUTF8(text[:most-len(mark)], "") + mark
}
