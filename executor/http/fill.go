package http

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// placeholder matches {name} in the templates of the requests after the first one.
var placeholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_-]*)\}`)

// checkPlaceholders returns an error if a name in braces is not an output of the first answer.
func checkPlaceholders(field, text string, outputs map[string]*expression) error {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if outputs[m[1]] == nil {
			return fmt.Errorf("%s: {%s} is not among outputs", field, m[1])
		}
	}
	return nil
}

// fillURL makes an address from a template. It percent-encodes values, except a value at the very beginning, which is
// itself an address (a Location header). It resolves an address without a host against base. A value cannot choose the
// host: if the host differs from that of base, the template must contain it.
func fillURL(template string, values map[string]any, base *url.URL) (*url.URL, error) {
	var b strings.Builder
	last := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(template, -1) {
		value := outputText(values[template[m[2]:m[3]]])
		if value == "" {
			return nil, fmt.Errorf("%s is empty", template[m[0]:m[1]])
		}
		if m[0] > 0 {
			value = strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
		}
		b.WriteString(template[last:m[0]] + value)
		last = m[1]
	}
	b.WriteString(template[last:])
	ref, err := url.Parse(b.String())
	if err != nil {
		return nil, errors.New("it cannot be read as an address")
	}
	if err := checkPath(ref.Path); err != nil {
		return nil, err
	}
	u := base.ResolveReference(ref)
	if err := checkURL(u); err != nil {
		return nil, err
	}
	if !sameOrigin(u, base) && !namesHost(template) {
		return nil, fmt.Errorf("the answer leads to another host, %s; write that host into the address if it is meant",
			u.Host)
	}
	return u, nil
}

// namesHost reports whether the template itself contains the complete host.
func namesHost(template string) bool {
	fixed, _, _ := strings.Cut(template, "{")
	_, rest, found := strings.Cut(fixed, "://")
	return found && strings.ContainsAny(rest, "/?#") || found && fixed == template
}

// fillJSON fills values into a JSON template: within a string as text, elsewhere as JSON values. It leaves braces alone
// that do not contain the name of an output, because they are JSON syntax.
func fillJSON(template string, values map[string]any) (string, error) {
	var b strings.Builder
	last, quoted := 0, false
	for _, m := range placeholder.FindAllStringSubmatchIndex(template, -1) {
		value, found := values[template[m[2]:m[3]]]
		if !found {
			continue
		}
		plain := template[last:m[0]]
		quoted = inString(plain, quoted)
		b.WriteString(plain)
		if quoted {
			value = outputText(value)
		}
		data, err := json.Marshal(value)
		if err != nil {
			return "", fmt.Errorf("fill in {%s}: %w", template[m[2]:m[3]], err)
		}
		if quoted {
			data = data[1 : len(data)-1]
		}
		b.Write(data)
		last = m[1]
	}
	b.WriteString(template[last:])
	if !json.Valid([]byte(b.String())) {
		return "", errors.New("json is not JSON once it is filled in")
	}
	return b.String(), nil
}

// inString reports whether the end of a piece of JSON is inside a string; quoted says so about its beginning.
func inString(text string, quoted bool) bool {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quoted:
			i++
		case text[i] == '"':
			quoted = !quoted
		}
	}
	return quoted
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}
