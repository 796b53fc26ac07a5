package channel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/hive"
)

// The headers of a signed webhook. The signature is sha256= and the hex HMAC-SHA256 of the timestamp, a point and the
// body. Its key is the channel's secret "key".
const (
	HeaderMessage   = "X-HiveGo-Message" // the same when a message comes again
	HeaderTimestamp = "X-HiveGo-Timestamp"
	HeaderSignature = "X-HiveGo-Signature"
)

// webhookBody is what a signed webhook sends.
type webhookBody struct {
	ID     string         `json:"id"`
	Rule   string         `json:"rule"`
	Title  string         `json:"title"`
	Text   string         `json:"text"`
	At     time.Time      `json:"at"`
	Events []webhookEvent `json:"events"`

	Escalation bool `json:"escalation,omitempty"` // nobody has taken the problems
}

type webhookEvent struct {
	Key   string         `json:"key"`
	Kind  hive.AlertKind `json:"kind"`
	Batch int64          `json:"batch,omitempty"`
	At    time.Time      `json:"at"`
	Link  string         `json:"link,omitempty"`
	hive.AlertFacets
}

func (s *Sender) webhook(def *hive.ChannelDefinition, secrets map[string]string, m *alert.Message) (*request, error) {
	body := webhookBody{
		ID: m.ID, Rule: m.Rule, Title: m.Title, Text: m.Text(), At: m.At.UTC(), Escalation: m.Escalation,
	}
	for i := range m.Events {
		e := &m.Events[i]
		out := webhookEvent{Key: e.Key, Kind: e.Kind, Batch: e.BatchID, At: e.At.UTC(), AlertFacets: e.AlertFacets}
		if i < alert.MaxItems {
			out.Link = m.Items[i].Link
		}
		body.Events = append(body.Events, out)
	}
	r, err := asJSON(address(&def.HTTP, secrets, m), body)
	if err != nil {
		return nil, err
	}
	at := strconv.FormatInt(s.now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secrets[alert.SecretKey]))
	_, _ = mac.Write([]byte(at + "."))
	_, _ = mac.Write(r.body)
	r.headers[HeaderMessage] = m.ID
	r.headers[HeaderTimestamp] = at
	r.headers[HeaderSignature] = "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return r, nil
}

// template makes the request of a channel of type http.
func template(h *hive.HTTPChannel, secrets map[string]string, m *alert.Message) *request {
	r := &request{method: http.MethodPost, url: address(h, secrets, m), headers: map[string]string{}}
	if h.Method != "" {
		r.method = h.Method
	}
	oneLine := strings.NewReplacer("\r", " ", "\n", " ")
	kind := ""
	for name, text := range h.Headers {
		value := oneLine.Replace(alert.Fill(text, valueOf(secrets, m)))
		r.headers[name] = value
		if strings.EqualFold(name, "Content-Type") {
			kind = value
		}
	}
	if kind == "" && h.Body != "" {
		kind = "text/plain; charset=utf-8"
		if strings.HasPrefix(strings.TrimSpace(h.Body), "{") {
			kind = "application/json; charset=utf-8"
		}
		r.headers["Content-Type"] = kind
	}
	value := valueOf(secrets, m)
	r.body = []byte(alert.Fill(h.Body, func(name string) string { return escapeFor(kind, value(name)) }))
	return r
}

// address fills the address of a channel.
func address(h *hive.HTTPChannel, secrets map[string]string, m *alert.Message) string {
	value := valueOf(secrets, m)
	return alert.Fill(h.URL, func(name string) string { return url.QueryEscape(value(name)) })
}

// valueOf returns the values of placeholders.
func valueOf(secrets map[string]string, m *alert.Message) func(name string) string {
	return func(name string) string {
		if secret, is := strings.CutPrefix(name, "secrets."); is {
			return secrets[secret]
		}
		return m.Value(name)
	}
}

// escapeFor writes a value so that it stays one value in a body of a content type.
func escapeFor(kind, value string) string {
	switch {
	case strings.Contains(kind, "json"):
		quoted, err := json.Marshal(value)
		if err != nil { // a text can always be written
			return ""
		}
		return string(quoted[1 : len(quoted)-1])
	case strings.Contains(kind, "x-www-form-urlencoded"):
		return url.QueryEscape(value)
	default:
		return value
	}
}
