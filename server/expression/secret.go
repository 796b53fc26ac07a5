package expression

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

var (
	secretSource = regexp.MustCompile(`^\s*secrets\.([A-Za-z_][A-Za-z0-9_]{0,62})\s*$`)
	secretUse    = regexp.MustCompile(`\bsecrets\b`)
)

// secretOf returns the name in an expression that is secrets.NAME and nothing else; "" for any other.
func secretOf(source string) string {
	if m := secretSource.FindStringSubmatch(source); m != nil {
		return m[1]
	}
	return ""
}

var onlySecret = regexp.MustCompile(`^\$\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]{0,62})\s*\}\}$`)

// OnlySecret returns the name of the secret that a text is, as in ${{ secrets.NAME }}; "" if it is anything else.
func OnlySecret(text string) string {
	if m := onlySecret.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// withSecret explains the error of an expression that computes with a secret. An expression has no secrets: a value
// that was changed would be unknown to those who mask it.
func withSecret(source string, err error) error {
	if !secretUse.MatchString(source) {
		return err
	}
	return refuseIn(source, hive.FaultSecretAlone, "‹source› is no name of a secret alone",
		"write ${{ secrets.NAME }} and put other text around it: a secret is filled in as it is")
}

// Hidden stands for the value of a secret where nobody needs it.
const Hidden = "***"

// marks are what stands for secrets in the params of one attempt.
type marks struct {
	key  string // of the attempt; random, so that no param and no output can contain a mark
	used []hive.SecretUse
}

// write returns what stands for a secret in a text.
func (m *marks) write(mode hive.RenderMode, at place, source, name string) (string, error) {
	if m == nil || mode != hive.RenderPlain && mode != hive.RenderJSON {
		return "", refuse(hive.FaultSecretPlace, "the secret ‹value› is not filled in there",
			"use a field that takes secrets, such as env of shell", "value", name)
	}
	if at == escaping {
		return "", refuseIn(source, hive.FaultTemplateEscape, "‹source› stands after a backslash, which would "+
			"change it",
			"take the backslash out")
	}
	use := hive.SecretUse{Name: name, Mark: Hidden, JSON: mode == hive.RenderJSON}
	if m.key != "" {
		kind := "text"
		if use.JSON {
			kind = "json"
		}
		use.Mark = fmt.Sprintf("{{secret:%s:%s:%s}}", m.key, kind, name)
	}
	if !slices.Contains(m.used, use) {
		m.used = append(m.used, use)
	}
	if use.JSON && at == bare {
		return `"` + use.Mark + `"`, nil
	}
	return use.Mark, nil
}

// MayUseSecrets reports whether a text could name a secret. It is quick, and errs on the side of true.
func MayUseSecrets(text []byte) bool { return strings.Contains(string(text), "secrets.") }

// SecretsOf returns the names of the secrets that the tasks and hooks of a definition use, sorted.
func SecretsOf(def *hive.Definition) []string {
	var names []string
	for params := range def.AllParams() {
		names = appendSecrets(names, params)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func appendSecrets(names []string, value any) []string {
	switch v := value.(type) {
	case string:
		if refs, err := ReferTemplate(v); err == nil {
			names = append(names, refs.Secrets...)
		}
	case []any:
		for _, one := range v {
			names = appendSecrets(names, one)
		}
	case map[string]any:
		for _, one := range v {
			names = appendSecrets(names, one)
		}
	}
	return names
}
