package channel_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/alert/channel"
	"github.com/rprp/hivego/server/hive"
)

func now() time.Time { return time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC) }

// message tells of a failure and a silent executor.
func message(language string, number int) *alert.Message {
	events := []hive.AlertEvent{
		{Key: "failed:42:1", Kind: hive.AlertFailed, BatchID: 42, At: now(), AlertFacets: hive.AlertFacets{
			Schedule: "warehouse", Task: "load", Error: `exit 1: "x" < 'y' & z`, Owners: []string{"ada@example.com"},
		}},
		{Key: "lost", Kind: hive.AlertExecutorLost, At: now(), AlertFacets: hive.AlertFacets{Executor: "etl-1"}},
	}
	rule := alert.NewRule(&hive.AlertDefinition{Name: "night"})
	m := alert.Render("m1", rule, events[:number], alert.Context{
		Language: language, Base: "https://hive.example", Now: now(),
	})
	return &m
}

// service is an HTTP service that keeps what it was sent.
type service struct {
	*httptest.Server
	status int
	header http.Header
	answer string

	request *http.Request
	body    string
}

func serve(t *testing.T, status int, answer string) *service {
	t.Helper()
	s := &service{status: status, answer: answer, header: http.Header{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		s.request, s.body = r.Clone(context.WithoutCancel(t.Context())), string(b)
		maps.Copy(w.Header(), s.header)
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.answer)
	}))
	t.Cleanup(s.Close)
	return s
}

func send(t *testing.T, def *hive.ChannelDefinition, secrets map[string]string, m *alert.Message) (
	string, *channel.Error,
) {
	t.Helper()
	answer, err := channel.New(nil, now).Send(t.Context(), def, secrets, m)
	if err == nil {
		return answer, nil
	}
	e, ok := errors.AsType[*channel.Error](err)
	require.True(t, ok, "%T", err)
	return "", e
}

func mac(key, text string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	_, _ = h.Write([]byte(text))
	return h.Sum(nil)
}

// Each service gets the request that its documentation prescribes.
func TestWebhook(t *testing.T) {
	t.Parallel()
	s := serve(t, 200, "")
	def := &hive.ChannelDefinition{Type: "webhook", HTTP: hive.HTTPChannel{URL: s.URL + "/alerts"}}
	_, err := send(t, def, map[string]string{"key": "secret"}, message("en", 2))
	require.Nil(t, err)
	at := s.request.Header.Get(channel.HeaderTimestamp)
	assert.Equal(t, "1772798400", at)
	assert.Equal(t, "sha256="+hex.EncodeToString(mac("secret", at+"."+s.body)),
		s.request.Header.Get(channel.HeaderSignature))
	assert.Equal(t, "m1", s.request.Header.Get(channel.HeaderMessage))
	var body struct {
		ID, Rule, Title string
		Events          []struct {
			Key, Kind, Schedule, Link string
			Batch                     int64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(s.body), &body))
	assert.Equal(t, []string{"m1", "night", "2 alerts: warehouse: batch 42 failed and others"},
		[]string{body.ID, body.Rule, body.Title})
	require.Len(t, body.Events, 2)
	assert.Equal(t, "https://hive.example/batches/42?task=load", body.Events[0].Link)
	assert.Equal(t, int64(42), body.Events[0].Batch)
}

func TestSlack(t *testing.T) {
	t.Parallel()
	s := serve(t, 200, "ok")
	_, err := send(t, &hive.ChannelDefinition{Type: "slack"}, map[string]string{"url": s.URL + "/services/T0"},
		message("en", 1))
	require.Nil(t, err)
	text := `Task load: exit 1: \"x\" &lt; 'y' &amp; z\nOwners: ada@example.com\n` +
		`<https://hive.example/batches/42?task=load|Open>`
	assert.JSONEq(t, `{"text": "warehouse: batch 42 failed", "blocks": [
		{"type": "header", "text": {"type": "plain_text", "text": "warehouse: batch 42 failed"}},
		{"type": "section", "text": {"type": "mrkdwn", "text": "`+text+`"}}
	]}`, s.body)
	assert.Equal(t, "application/json; charset=utf-8", s.request.Header.Get("Content-Type"))
}

func TestDingTalk(t *testing.T) {
	t.Parallel()
	s := serve(t, 200, `{"errcode":0,"errmsg":"ok"}`)
	secrets := map[string]string{"url": s.URL + "/robot/send?access_token=abc", "key": "SECret"}
	_, err := send(t, &hive.ChannelDefinition{Type: "dingtalk", Language: "zh"}, secrets, message("zh", 1))
	require.Nil(t, err)
	q := s.request.URL.Query()
	assert.Equal(t, "abc", q.Get("access_token"))
	assert.Equal(t, "1772798400000", q.Get("timestamp"))
	assert.Equal(t, base64.StdEncoding.EncodeToString(mac("SECret", "1772798400000\nSECret")), q.Get("sign"))
	text := `### warehouse：批次 42 失败\n\n> 任务 load：exit 1: \"x\" < 'y' & z\n\n> 负责人：ada@example.com\n\n` +
		`[打开](https://hive.example/batches/42?task=load)`
	assert.JSONEq(t, `{"msgtype": "markdown", "markdown": {"title": "warehouse：批次 42 失败", "text": "`+text+`"}}`, s.body)
}

func TestWeCom(t *testing.T) {
	t.Parallel()
	s := serve(t, 200, `{"errcode":0,"errmsg":"ok"}`)
	m := message("zh", 2)
	m.Items[0].Lines[0] = strings.Repeat("数据", 2000)
	_, err := send(t, &hive.ChannelDefinition{Type: "wecom"}, map[string]string{"url": s.URL + "/?key=k"}, m)
	require.Nil(t, err)
	var body struct {
		Type     string `json:"msgtype"`
		Markdown struct{ Content string }
	}
	require.NoError(t, json.Unmarshal([]byte(s.body), &body))
	assert.Equal(t, "markdown", body.Type)
	assert.LessOrEqual(t, len(body.Markdown.Content), 4096)
	assert.True(t, strings.HasPrefix(body.Markdown.Content, "### 2 条告警：warehouse：批次 42 失败 等\n"))
	assert.True(t, strings.HasSuffix(body.Markdown.Content, "…"))
}

func TestFeishu(t *testing.T) {
	t.Parallel()
	s := serve(t, 200, `{"code":0,"msg":"success","data":{}}`)
	secrets := map[string]string{"url": s.URL + "/open-apis/bot/v2/hook/x", "key": "SECret"}
	_, err := send(t, &hive.ChannelDefinition{Type: "feishu", Language: "zh"}, secrets, message("zh", 1))
	require.Nil(t, err)
	sign := base64.StdEncoding.EncodeToString(mac("1772798400\nSECret", ""))
	assert.JSONEq(t, `{"timestamp": "1772798400", "sign": "`+sign+`", "msg_type": "post", "content": {"post": {
		"zh_cn": {"title": "warehouse：批次 42 失败", "content": [
			[{"tag": "text", "text": "任务 load：exit 1: \"x\" < 'y' & z\n负责人：ada@example.com"}],
			[{"tag": "a", "text": "打开", "href": "https://hive.example/batches/42?task=load"}]
		]}}}}`, s.body)
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	s := serve(t, 204, "")
	def := &hive.ChannelDefinition{Type: "http", HTTP: hive.HTTPChannel{
		Method: "PUT", URL: s.URL + "/sms/${{ secrets.token }}?b=${{ batch }}",
		Headers: map[string]string{"Authorization": "Bearer ${{ secrets.token }}"},
		Body:    `{"text": "${{ title }}: ${{ error }}", "n": ${{count}}}`,
	}}
	_, err := send(t, def, map[string]string{"token": "a/b c"}, message("en", 1))
	require.Nil(t, err)
	assert.Equal(t, "PUT /sms/a%2Fb+c?b=42", s.request.Method+" "+s.request.URL.RequestURI())
	assert.Equal(t, "Bearer a/b c", s.request.Header.Get("Authorization"))
	assert.JSONEq(t, `{"text": "warehouse: batch 42 failed: exit 1: \"x\" < 'y' & z", "n": 1}`, s.body)
	def.HTTP.Headers["Content-Type"] = "application/x-www-form-urlencoded"
	def.HTTP.Body = "m=${{ error }}&x=1"
	_, err = send(t, def, map[string]string{"token": "t"}, message("en", 1))
	require.Nil(t, err)
	assert.Equal(t, "m=exit+1%3A+%22x%22+%3C+%27y%27+%26+z&x=1", s.body)
}

// What may be tried again is reported from what stays refused. No error shows a secret.
func TestErrors(t *testing.T) {
	t.Parallel()
	const token = "T0SECRET"
	for name, x := range map[string]struct {
		kind   hive.ChannelType
		status int
		answer string
		header string
		retry  bool
		after  time.Duration
		detail string
	}{
		"gone":        {"slack", 404, "no_service", "", false, 0, "404 Not Found: no_service"},
		"bad payload": {"slack", 400, "invalid_payload", "", false, 0, "400 Bad Request: invalid_payload"},
		"too fast": {
			"slack", 429, "rate_limited", "30", true, 30 * time.Second, "429 Too Many Requests: rate_limited",
		},
		"until a date": {
			"slack", 503, "", "Fri, 06 Mar 2026 12:01:00 GMT", true, time.Minute, "503 Service Unavailable",
		},
		"for too long": {"slack", 503, "", "9999999", true, time.Hour, "503 Service Unavailable"},
		"redirect": {
			"slack", 302, "", "", false, 0, "302 Found: the address leads to another one; write that one",
		},
		"echo": {"slack", 403, "bad " + token, "", false, 0, "403 Forbidden: bad ***"},
		"dingtalk sign": {
			"dingtalk", 200, `{"errcode":310000,"errmsg":"sign not match"}`, "", false, 0,
			"errcode 310000: sign not match",
		},
		"dingtalk too fast": {
			"dingtalk", 200, `{"errcode":130101,"errmsg":"send too fast"}`, "", true, 0,
			"errcode 130101: send too fast",
		},
		"dingtalk busy": {"dingtalk", 200, `{"errcode":-1,"errmsg":"系统繁忙"}`, "", true, 0, "errcode -1: 系统繁忙"},
		"wecom key": {
			"wecom", 200, `{"errcode":93000,"errmsg":"invalid webhook url"}`, "", false, 0,
			"errcode 93000: invalid webhook url",
		},
		"wecom too fast": {
			"wecom", 200, `{"errcode":45009,"errmsg":"api freq out of limit"}`, "", true, 0,
			"errcode 45009: api freq out of limit",
		},
		"feishu sign": {
			"feishu", 200, `{"code":19021,"msg":"sign match fail"}`, "", false, 0, "code 19021: sign match fail",
		},
		"feishu too fast": {
			"feishu", 200, `{"code":11232,"msg":"frequency limited"}`, "", true, 0, "code 11232: frequency limited",
		},
		"not that service": {
			"feishu", 200, `{"hello":1}`, "", false, 0, `the answer of the service has no code: {"hello":1}`,
		},
		"a proxy's page": {"wecom", 200, `<html>`, "", true, 0, "the service did not answer in JSON: <html>"},
	} {
		s := serve(t, x.status, x.answer)
		if x.header != "" {
			s.header.Set("Retry-After", x.header)
		}
		s.header.Set("Location", "/elsewhere")
		secrets := map[string]string{"url": s.URL + "/?t=" + token, "x": token}
		_, err := send(t, &hive.ChannelDefinition{Type: x.kind}, secrets, message("en", 1))
		require.NotNil(t, err, name)
		assert.Equal(t, channel.Error{Detail: x.detail, Retry: x.retry, After: x.after}, *err, name)
	}
}

func TestOutOfReach(t *testing.T) {
	t.Parallel()
	s := serve(t, 200, "")
	s.Close()
	secrets := map[string]string{"url": s.URL + "/T0SECRET"}
	_, err := send(t, &hive.ChannelDefinition{Type: "slack"}, secrets, message("en", 1))
	require.NotNil(t, err)
	assert.True(t, err.Retry)
	assert.NotContains(t, err.Detail, "T0SECRET")
	_, err = send(t, &hive.ChannelDefinition{Type: "slack"}, nil, message("en", 1))
	require.NotNil(t, err)
	assert.Equal(t, channel.Error{Detail: `the channel lacks its secret "url"; set it`}, *err)

	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hang.Close)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, plain := channel.New(nil, now).Send(ctx, &hive.ChannelDefinition{Type: "slack"},
		map[string]string{"url": hang.URL + "/T0SECRET"}, message("en", 1))
	e, ok := errors.AsType[*channel.Error](plain)
	require.True(t, ok)
	assert.True(t, e.Retry)
	assert.NotContains(t, e.Detail, "T0SECRET")
}
