package http

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/executor/internal/secretfile"
)

// SecretsFile is the file in the executor's data folder with the secrets that tasks may use. An entry is `name: value`,
// or `name: {value: …, hosts: [api.example.com]}` for a secret that may only be sent to these hosts.
const SecretsFile = "secrets.yaml"

// secretPrefix begins the names of environment variables that are secrets. Tasks cannot read other variables.
const secretPrefix = "HIVEGO_SECRET_"

var secretName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func checkSecretName(name string) error {
	if !secretName.MatchString(name) {
		return fmt.Errorf("%q is no name of a secret; give the name that it has in %s of the executor", name,
			SecretsFile)
	}
	return nil
}

// secret is a password, token or key.
type secret struct {
	Value string   `yaml:"value"`
	Hosts []string `yaml:"hosts"` // the hosts that may receive it; empty: all hosts
}

// UnmarshalYAML accepts a mapping, or a scalar that is the value.
func (s *secret) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		s.Value = node.Value
		return nil
	}
	type plain secret
	return node.Decode((*plain)(s))
}

// allowedFor reports whether the secret may be sent to a host.
func (s *secret) allowedFor(host string) bool {
	return len(s.Hosts) == 0 || slices.ContainsFunc(s.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// passwordKey stands for the password of the params among the secrets of the executor. No secret has such a name.
const passwordKey = "params.auth.password"

// secrets returns the secrets that the params name.
func (h *Handler) secrets(p *params) (map[string]secret, error) {
	var names []string
	out := map[string]secret{}
	switch {
	case p.Auth == nil:
	case p.Auth.Password != "":
		if err := checkHeader("Authorization", p.Auth.Password); err != nil {
			return nil, errors.New("auth: the password has a line break or another control character")
		}
		out[passwordKey] = secret{Value: p.Auth.Password}
	default:
		names = append(names, p.Auth.Secret)
	}
	names = append(names, slices.Collect(maps.Values(p.SecretHeaders))...)
	if len(names) == 0 {
		return out, nil
	}
	all, err := h.readSecrets()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s, ok := all[name]
		if !ok {
			variable := secretPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
			if s.Value, ok = os.LookupEnv(variable); !ok {
				return nil, fmt.Errorf("secret %q is neither in %s of this executor nor in its environment as %s",
					name, SecretsFile, variable)
			}
		}
		if err := checkHeader("Authorization", s.Value); err != nil || s.Value == "" {
			return nil, fmt.Errorf("secret %q is empty, or has a line break or another control character", name)
		}
		if !s.allowedFor(p.target.Hostname()) {
			return nil, fmt.Errorf("secret %q may not go to %s: its hosts in %s are %s",
				name, p.target.Hostname(), SecretsFile, strings.Join(s.Hosts, ", "))
		}
		out[name] = s
	}
	return out, nil
}

// readSecrets reads the file of secrets. It fails if other users have access to the file.
func (h *Handler) readSecrets() (map[string]secret, error) {
	data, err := secretfile.Read(h.cfg.Data, SecretsFile)
	if err != nil {
		return nil, err
	}
	var all map[string]secret
	if err := yaml.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: want lines `name: value`", SecretsFile) // the error itself could show a secret
	}
	return all, nil
}

// mask makes a replacer that hides secrets in logs and errors, in all encodings in which a server may echo them.
func mask(user string, keys map[string]secret) *strings.Replacer {
	forms := map[string]bool{}
	for _, k := range keys {
		v := k.Value
		quoted, err := json.Marshal(v)
		if err == nil {
			forms[string(quoted[1:len(quoted)-1])] = true
		}
		for _, form := range []string{
			v, url.QueryEscape(v), url.PathEscape(v), base64.StdEncoding.EncodeToString([]byte(v)),
			base64.StdEncoding.EncodeToString([]byte(user + ":" + v)),
		} {
			forms[form] = true
		}
	}
	longest := slices.SortedFunc(maps.Keys(forms), func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(longest))
	for _, form := range longest {
		pairs = append(pairs, form, "•••")
	}
	return strings.NewReplacer(pairs...)
}
