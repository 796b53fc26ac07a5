package alert

import (
	"fmt"
	"maps"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// The codes of the faults of channels.
const (
	codeSection     = "bad_section"
	codeMail        = "bad_address"
	codeURL         = "bad_url"
	codeHeader      = "bad_header"
	codePlaceholder = "bad_placeholder"
)

func channelTypes() []string {
	return texts([]hive.ChannelType{
		hive.ChannelEmail, hive.ChannelWebhook, hive.ChannelSlack, hive.ChannelDingTalk, hive.ChannelFeishu,
		hive.ChannelWeCom, hive.ChannelHTTP,
	})
}

// CheckChannel lists the faults of a channel, apart from its head.
func CheckChannel(def *hive.ChannelDefinition) []hive.Fault {
	c := &checker{}
	if !c.oneOf("type", string(def.Type), channelTypes()) {
		return c.faults
	}
	if def.Language != "" {
		c.oneOf("language", def.Language, []string{"en", "zh"})
	}
	isMail := def.Type == hive.ChannelEmail
	isHTTP := def.Type == hive.ChannelWebhook || def.Type == hive.ChannelHTTP
	c.section("email", "host", isMail, def.Email.Host != "" || def.Email.From != "", def.Type)
	c.section("http", "url", isHTTP, def.HTTP.URL != "", def.Type)
	switch {
	case isMail:
		c.email(&def.Email)
	case isHTTP:
		c.http(def)
	}
	return c.faults
}

// section checks that a channel has the section of its type, and no other one. first is the field of the section that a
// form shows first.
func (c *checker) section(name, first string, wanted, present bool, of hive.ChannelType) {
	switch {
	case wanted && !present:
		c.add(name+"."+first, codeSection, hive.FaultChannelSection, "a channel of type ‹type› needs ‹value›",
			"add ‹value› with its fields", "value", name, "type", of)
	case !wanted && present:
		c.add(name, codeSection, hive.FaultChannelOther, "a channel of type ‹type› has no ‹value›",
			"remove ‹value›, or change the type", "value", name, "type", of)
	}
}

func (c *checker) email(e *hive.EmailChannel) {
	if e.Host == "" && e.From != "" {
		c.add("email.host", codeMissing, hive.FaultMissingField, "the field ‹value› is missing",
			"write the field ‹value›", "value", "host")
	}
	if e.Security != "" {
		c.oneOf("email.security", e.Security, []string{"starttls", "tls", "none"})
	}
	if e.Port < 0 || e.Port > 65535 {
		c.add("email.port", codeRange, hive.FaultOutOfRange, "‹value› is not between ‹low› and ‹high›",
			"write the port of the mail server, such as 587", "value", e.Port, "low", 1, "high", 65535)
	}
	if e.Security == "none" && e.User != "" {
		c.add("email.user", codeMail, hive.FaultMailClear, "the password would cross the network as plain text",
			"use security starttls or tls, or remove the user")
	}
	c.address("email.from", e.From)
	for i, to := range e.To {
		c.address(fmt.Sprintf("email.to[%d]", i), to)
	}
	if len(e.To) == 0 {
		c.add("email.to", codeMissing, hive.FaultNoRecipient, "the channel sends to nobody",
			"list mail addresses; those without a schedule have no owners")
	}
	c.unique("email.to", e.To)
}

func (c *checker) address(path, text string) {
	if _, err := mail.ParseAddress(text); err != nil {
		c.add(path, codeMail, hive.FaultMailAddress, `"‹value›" is not a mail address`,
			"write one such as ops@example.com", "value", hive.Clean(text, 80))
	}
}

func (c *checker) http(def *hive.ChannelDefinition) {
	h := &def.HTTP
	if def.Type == hive.ChannelWebhook && (h.Method != "" || h.Body != "" || len(h.Headers) > 0) {
		c.add("http", codeSection, hive.FaultChannelOther, "a channel of type ‹type› has no ‹value›",
			"remove ‹value›, or change the type", "value", "method, headers, body", "type", def.Type)
	}
	if h.Method != "" {
		c.oneOf("http.method", h.Method, []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodGet})
	}
	plain := Fill(h.URL, func(string) string { return "x" })
	if u, err := url.Parse(plain); h.URL != "" && (err != nil || u.Host == "" || u.User != nil ||
		u.Scheme != "http" && u.Scheme != "https") {
		c.add("http.url", codeURL, hive.FaultAlertURL, `"‹value›" is not an address`,
			"write one such as https://example.com/alerts, with its secrets as placeholders", "value",
			hive.Clean(h.URL, 200))
	}
	c.placeholders("http.url", h.URL)
	c.placeholders("http.body", h.Body)
	for _, name := range slices.Sorted(maps.Keys(h.Headers)) {
		path := "http.headers." + name
		if !validHeader(name) || strings.ContainsAny(h.Headers[name], "\r\n") {
			c.add(path, codeHeader, hive.FaultAlertHeader, `"‹value›" cannot be a header`,
				"write letters, digits and hyphens, and a value of one line", "value", hive.Clean(name, 80))
		}
		c.placeholders(path, h.Headers[name])
	}
}

func validHeader(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r|' ' < 'a' || r|' ' > 'z')
	})
}

func (c *checker) placeholders(path, text string) {
	closed := scan(text, func(string) {}, func(name string) {
		secret, is := strings.CutPrefix(name, secretPrefix)
		if is && validHeader(secret) || slices.Contains(placeholderNames(), name) {
			return
		}
		known := strings.Join(placeholderNames(), ", ")
		c.add(path, codePlaceholder, hive.FaultPlaceholder, `"‹value›" is not a placeholder`,
			"use one of ‹known›, or secrets.NAME", "value", hive.Clean(name, 80), "known", known)
	})
	if !closed {
		c.add(path, codePlaceholder, hive.FaultPlaceholderOpen, "a placeholder has no end", "end it with }}")
	}
}

// Secrets returns the names of the secrets that a channel needs, and of those that it may have.
func Secrets(def *hive.ChannelDefinition) (required, optional []string) {
	switch def.Type {
	case hive.ChannelEmail:
		if def.Email.User != "" {
			return []string{SecretPassword}, nil
		}
	case hive.ChannelWebhook:
		return []string{SecretKey}, nil
	case hive.ChannelSlack, hive.ChannelWeCom:
		return []string{SecretURL}, nil
	case hive.ChannelDingTalk, hive.ChannelFeishu:
		return []string{SecretURL}, []string{SecretKey}
	case hive.ChannelHTTP:
		found := map[string]bool{}
		all := append(slices.Collect(maps.Values(def.HTTP.Headers)), def.HTTP.URL, def.HTTP.Body)
		for _, text := range all {
			scan(text, func(string) {}, func(name string) {
				if secret, is := strings.CutPrefix(name, secretPrefix); is {
					found[secret] = true
				}
			})
		}
		return slices.Sorted(maps.Keys(found)), nil
	}
	return nil, nil
}

// The names of secrets.
const (
	SecretPassword = "password"
	SecretKey      = "key" // with which messages are signed
	SecretURL      = "url" // an address that lets its holder send
)
