package channel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/hive"
)

// Limits of the services, in bytes.
const (
	maxSlackHeader  = 150
	maxSlackSection = 3000
	maxDingTalk     = 18_000
	maxWeCom        = 4096
	maxFeishuItem   = 800 // 20 KB for a whole request
)

// slack makes the request of an incoming webhook:
// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
func slack(secrets map[string]string, m *alert.Message) (*request, error) {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type block struct {
		Type string `json:"type"`
		Text text   `json:"text"`
	}
	blocks := []block{{"header", text{"plain_text", cut(m.Title, maxSlackHeader)}}}
	for i := range m.Items {
		item := &m.Items[i]
		var lines []string
		if len(m.Items) > 1 {
			lines = append(lines, "*"+escape.Replace(item.Title)+"*")
		}
		for _, line := range item.Lines {
			lines = append(lines, escape.Replace(line))
		}
		if item.Link != "" {
			lines = append(lines, fmt.Sprintf("<%s|%s>", escape.Replace(item.Link), item.Open))
		}
		if len(lines) > 0 {
			blocks = append(blocks, block{"section", text{"mrkdwn", cut(strings.Join(lines, "\n"), maxSlackSection)}})
		}
	}
	return asJSON(secrets[alert.SecretURL], struct {
		Text   string  `json:"text"`
		Blocks []block `json:"blocks"`
	}{escape.Replace(m.Title), blocks})
}

// markdown writes a message in the subset of Markdown that DingTalk and WeCom show.
func markdown(m *alert.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n", m.Title)
	for i := range m.Items {
		item := &m.Items[i]
		if len(m.Items) > 1 {
			fmt.Fprintf(&b, "\n**%s**\n", item.Title)
		}
		for _, line := range item.Lines {
			fmt.Fprintf(&b, "\n> %s\n", line)
		}
		if item.Link != "" {
			fmt.Fprintf(&b, "\n[%s](%s)\n", item.Open, item.Link)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// signed returns the Base64 HMAC-SHA256 of a text.
func signed(key, text string) string {
	mac := hmac.New(sha256.New, []byte(key))
	_, _ = mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// dingTalk makes the request of a robot of a group: https://open.dingtalk.com/document/orgapp/custom-robot-access
func (s *Sender) dingTalk(secrets map[string]string, m *alert.Message) (*request, error) {
	to := secrets[alert.SecretURL]
	if key := secrets[alert.SecretKey]; key != "" {
		u, err := url.Parse(to)
		if err != nil {
			return nil, &Error{Detail: "the address of the channel cannot be read; set it again"}
		}
		at := strconv.FormatInt(s.now().UnixMilli(), 10)
		q := u.Query()
		q.Set("timestamp", at)
		q.Set("sign", signed(key, at+"\n"+key))
		u.RawQuery = q.Encode()
		to = u.String()
	}
	type content struct {
		Title string `json:"title"`
		Text  string `json:"text"`
	}
	r, err := asJSON(to, struct {
		Type     string  `json:"msgtype"`
		Markdown content `json:"markdown"`
	}{"markdown", content{m.Title, cut(markdown(m), maxDingTalk)}})
	if err == nil {
		r.judge = judge("errcode", "errmsg", -1, 130101, 410100)
	}
	return r, err
}

// weCom makes the request of a robot of a group: https://developer.work.weixin.qq.com/document/path/91770
func weCom(secrets map[string]string, m *alert.Message) (*request, error) {
	type content struct {
		Content string `json:"content"`
	}
	r, err := asJSON(secrets[alert.SecretURL], struct {
		Type     string  `json:"msgtype"`
		Markdown content `json:"markdown"`
	}{"markdown", content{cut(markdown(m), maxWeCom)}})
	if err == nil {
		r.judge = judge("errcode", "errmsg", -1, 45009, 45033)
	}
	return r, err
}

// feishu makes the request of a robot of a group, as a message of type post:
// https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
func (s *Sender) feishu(def *hive.ChannelDefinition, secrets map[string]string, m *alert.Message) (*request, error) {
	type part struct {
		Tag  string `json:"tag"`
		Text string `json:"text"`
		Href string `json:"href,omitempty"`
	}
	type post struct {
		Title   string   `json:"title"`
		Content [][]part `json:"content"`
	}
	p := post{Title: m.Title, Content: [][]part{}}
	for i := range m.Items {
		item := &m.Items[i]
		if len(m.Items) > 1 {
			p.Content = append(p.Content, []part{{Tag: "text", Text: item.Title}})
		}
		if text := strings.Join(item.Lines, "\n"); text != "" {
			p.Content = append(p.Content, []part{{Tag: "text", Text: cut(text, maxFeishuItem)}})
		}
		if item.Link != "" {
			p.Content = append(p.Content, []part{{Tag: "a", Text: item.Open, Href: item.Link}})
		}
	}
	language := "en_us"
	if def.Language == "zh" {
		language = "zh_cn"
	}
	body := map[string]any{"msg_type": "post", "content": map[string]any{"post": map[string]any{language: p}}}
	if key := secrets[alert.SecretKey]; key != "" {
		at := strconv.FormatInt(s.now().Unix(), 10)
		body["timestamp"] = at
		body["sign"] = signed(at+"\n"+key, "") // the text is the key, and nothing is signed with it
	}
	r, err := asJSON(secrets[alert.SecretURL], body)
	if err == nil {
		r.judge = judge("code", "msg", 11232, 11233, 99991400)
	}
	return r, err
}

// judge reads answers that have an error as a number in a field of JSON. The numbers of retry are worth a later try.
func judge(code, words string, retry ...int) func(answer []byte) *Error {
	return func(answer []byte) *Error {
		var fields map[string]any
		if err := json.Unmarshal(answer, &fields); err != nil {
			return &Error{Detail: "the service did not answer in JSON: " + alert.FirstLine(string(answer)), Retry: true}
		}
		number, known := fields[code].(float64)
		if !known {
			return &Error{Detail: fmt.Sprintf("the answer of the service has no %s: %s", code,
				alert.FirstLine(string(answer)))}
		}
		if number == 0 {
			return nil
		}
		return &Error{
			Detail: fmt.Sprintf("%s %.0f: %v", code, number, fields[words]), Retry: slices.Contains(retry, int(number)),
		}
	}
}
