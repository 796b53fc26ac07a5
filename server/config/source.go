// Package config reads the settings of long-running commands: flags first, then HIVEGO_ environment variables, then
// a YAML file, then defaults. Every setting has one name: the flag --database-url is HIVEGO_DATABASE_URL and the
// file's key database-url.
package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/server/hive"
)

// fileFlag is the name of the flag for the YAML file.
const fileFlag = "config"

// envName returns the environment variable of a flag.
func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// resolve sets the flags that were not given, from the environment and from the file.
func resolve(flags *pflag.FlagSet, getenv func(string) (string, bool)) error {
	_, err := resolveFrom(flags, getenv)
	return err
}

// resolveFrom is resolve. It returns where each flag comes from that neither the command line nor a default has set.
func resolveFrom(flags *pflag.FlagSet, getenv func(string) (string, bool)) (origins map[string]string, err error) {
	origins = map[string]string{}
	if f := flags.Lookup(fileFlag); f != nil && !f.Changed {
		if _, ok := getenv(envName(fileFlag)); ok {
			origins[fileFlag] = envName(fileFlag)
		}
	}
	values, err := readFiles(flags, getenv)
	if err != nil {
		return nil, err
	}
	var errs []error
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == fileFlag || f.Name == "help" {
			return
		}
		where := envName(f.Name)
		value, ok := getenv(where)
		origins[f.Name] = where
		if !ok {
			switch v, inFile := values[f.Name]; {
			case inFile:
				where, value = fmt.Sprintf("%s, line %d, %s", v.file, v.line, f.Name), v.text
				origins[f.Name] = fmt.Sprintf("%s, line %d", v.file, v.line)
			default:
				where = standardEnv(f.Name)
				if value, _ = getenv(where); value == "" {
					delete(origins, f.Name)
					return
				}
				origins[f.Name] = where
			}
		}
		if err := flags.Set(f.Name, value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %q cannot be read as %s", where, value, typeWords(f.Value.Type())))
		}
	})
	return origins, errors.Join(errs...)
}

// typeWords describes the kind of value that a flag takes.
func typeWords(kind string) string {
	switch kind {
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	case "duration":
		return "a duration; write one such as 30s, 10m, 2h or 1d"
	default:
		return kind
	}
}

type setting struct {
	text string
	file string
	line int
}

// bindFiles declares the flag for YAML files.
func bindFiles(f *pflag.FlagSet, files *[]string) {
	f.StringArrayVar(files, fileFlag, nil,
		"YAML file of these settings, by the names of the flags; of several, a later one wins")
}

// readFiles reads the files that the flags name, or else those that the environment names, separated by colons. Of
// several files with one setting, the last one wins. The faults of all files are reported.
func readFiles(flags *pflag.FlagSet, getenv func(string) (string, bool)) (map[string]setting, error) {
	f := flags.Lookup(fileFlag)
	if f == nil {
		return nil, nil //nolint:nilnil // no file, no settings
	}
	list, ok := f.Value.(pflag.SliceValue)
	if !ok {
		return nil, fmt.Errorf("the flag --%s takes no list", fileFlag)
	}
	if v, ok := getenv(envName(fileFlag)); ok && !f.Changed {
		if err := list.Replace(filepath.SplitList(v)); err != nil {
			return nil, fmt.Errorf("%s: %w", envName(fileFlag), err)
		}
	}
	all := map[string]setting{}
	var errs []error
	for _, name := range list.GetSlice() {
		values, err := readFile(name, flags)
		errs = append(errs, err)
		maps.Copy(all, values)
	}
	return all, errors.Join(errs...)
}

// readFile reads the YAML file: a flat map from flag names to scalars, or to lists of them. Unknown keys are refused.
func readFile(name string, flags *pflag.FlagSet) (map[string]setting, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no file, no settings
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(doc.Content) == 0 {
		return nil, nil //nolint:nilnil // an empty file has no settings
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s, line %d: write settings as `name: value`", name, top.Line)
	}
	values := map[string]setting{}
	var errs []error
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		text, ok := scalar(value)
		switch {
		case flags.Lookup(key.Value) == nil || key.Value == fileFlag:
			errs = append(errs, fmt.Errorf("%s, line %d: there is no setting %q; the flags of --help are the settings",
				name, key.Line, key.Value))
		case !ok:
			errs = append(errs, fmt.Errorf("%s, line %d: %s takes a single value", name, value.Line, key.Value))
		default:
			if _, twice := values[key.Value]; twice {
				errs = append(errs, fmt.Errorf("%s, line %d: %s is set twice", name, key.Line, key.Value))
			}
			values[key.Value] = setting{text: text, file: name, line: key.Line}
		}
	}
	return values, errors.Join(errs...)
}

// scalar returns a value as the text of a flag. The items of a list are joined by commas.
func scalar(n *yaml.Node) (string, bool) {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value, true
	case yaml.SequenceNode:
		parts := make([]string, 0, len(n.Content))
		for _, c := range n.Content {
			if c.Kind != yaml.ScalarNode {
				return "", false
			}
			parts = append(parts, c.Value)
		}
		return strings.Join(parts, ","), true
	default:
		return "", false
	}
}

// duration is the flag type of a duration such as 30s, 10m or 1d. 0 is allowed.
type duration struct{ d *hive.Duration }

func (v duration) String() string {
	if v.d == nil {
		return "0s"
	}
	return v.d.String()
}

func (v duration) Set(s string) error {
	d, err := hive.ParseDuration(s)
	if err != nil {
		return err
	}
	*v.d = d
	return nil
}

func (v duration) Type() string { return "duration" }
