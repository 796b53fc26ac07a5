package config

import (
	"os"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

// Setting is a setting as it is in force.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"` // without secrets
	// Origin is where it comes from: the flag, the environment variable, the file with its line, or "default".
	Origin string `json:"origin"`
}

const byDefault = "default"

// Explain fills in the settings that no flag sets, and lists all of them by name, with their origins. Secrets in their
// values are masked.
func Explain(f *pflag.FlagSet) ([]Setting, error) { return explain(f, os.LookupEnv) }

func explain(f *pflag.FlagSet, getenv func(string) (string, bool)) ([]Setting, error) {
	given := map[string]bool{}
	f.VisitAll(func(f *pflag.Flag) { given[f.Name] = f.Changed }) // another set may have parsed the flags
	origins, err := resolveFrom(f, getenv)
	if err != nil {
		return nil, err
	}
	var out []Setting
	f.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		s := Setting{Name: f.Name, Value: mask(f.Name, value), Origin: byDefault}
		switch where, elsewhere := origins[f.Name]; {
		case given[f.Name]:
			s.Origin = "--" + f.Name
		case elsewhere:
			s.Origin = where
		}
		out = append(out, s)
	})
	return out, nil
}

// masked stands for a secret.
const masked = "***"

// secretParam finds secrets among the parameters of a URL, and in a list of name=value.
var secretParam = regexp.MustCompile(`(?i)((?:^|[?&;\s])[\w-]*(?:pass|secret|token|key)[\w-]*=)[^&;\s]+`)

// mask replaces the secrets in the value of a setting. It rather hides too much than too little: a command may have a
// secret at any place.
func mask(name, value string) string {
	for _, secret := range []string{"password", "secret", "token", "-command"} {
		if strings.HasSuffix(name, secret) && value != "" {
			return masked
		}
	}
	return secretParam.ReplaceAllString(maskUser(value), "${1}"+masked)
}

// maskUser replaces the password before the host of a URL. A password that is not escaped may hold any character, so
// the last @ ends it.
func maskUser(value string) string {
	scheme, rest, isURL := strings.Cut(value, "://")
	if !isURL {
		return value
	}
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return value
	}
	user, _, secret := strings.Cut(rest[:at], ":")
	if !secret {
		return value
	}
	return scheme + "://" + user + ":" + masked + rest[at:]
}
