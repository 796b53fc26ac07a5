package http

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// place matches {name} in what follows the first answer.
var place = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_-]*)\}`)

// checkPlaces says whether all names in braces are outputs of the first answer.
func checkPlaces(field, text string, known map[string]*expression) error {
	for _, m := range place.FindAllStringSubmatch(text, -1) {
		if known[m[1]] == nil {
			return fmt.Errorf("%s: {%s} is not among outputs", field, m[1])
		}
	}
	return nil
}

// fillURL makes an address of a template: values are percent-encoded, but for one at the very beginning, which is an
// address itself (a Location header). An address without a host is resolved against base. A value never chooses the
// host: what goes to another one than base must have it written in the template.
func fillURL(template string, values map[string]any, base *url.URL) (*url.URL, error) {
	var b strings.Builder
	last := 0
	for _, m := range place.FindAllStringSubmatchIndex(template, -1) {
		value := words(values[template[m[2]:m[3]]])
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

// namesHost says that the host is written out before anything is filled in.
func namesHost(template string) bool {
	fixed, _, _ := strings.Cut(template, "{")
	_, rest, found := strings.Cut(fixed, "://")
	return found && strings.ContainsAny(rest, "/?#") || found && fixed == template
}

// fillJSON fills values into a JSON text: in a string as characters of it, elsewhere as values. Braces around what is
// no name of an output are those of JSON.
func fillJSON(template string, values map[string]any) (string, error) {
	var b strings.Builder
	last, quoted := 0, false
	for _, m := range place.FindAllStringSubmatchIndex(template, -1) {
		value, known := values[template[m[2]:m[3]]]
		if !known {
			continue
		}
		plain := template[last:m[0]]
		quoted = inString(plain, quoted)
		b.WriteString(plain)
		if quoted {
			value = words(value)
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

// inString says whether the end of a piece of JSON is inside of a string.
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
