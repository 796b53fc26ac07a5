package config

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

const envPrefix = "HIVEGO_"

// Stray says which HIVEGO_ variables of an environment (NAME=value each) mean nothing to any command, one sentence each.
func Stray(environ []string) []string {
	known := knownEnv()
	var words []string
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, envPrefix) || slices.Contains(known, name) ||
			strings.HasPrefix(name, "HIVEGO_TEST_") || strings.HasPrefix(name, "HIVEGO_SECRET_") {
			continue
		}
		text := fmt.Sprintf("the environment variable %s means nothing to HiveGo", name)
		if near := nearest(name, known); near != "" {
			text += fmt.Sprintf("; did you mean %s?", near)
		}
		words = append(words, text)
	}
	slices.Sort(words)
	return words
}

// knownEnv are the variables that some command reads, or that tasks get: a server may be started by one.
func knownEnv() []string {
	known := []string{"HIVEGO_CA", "HIVEGO_TOKEN", "HIVEGO_EXECUTOR_TOKEN"}
	for _, task := range []string{
		"ATTEMPT", "BATCH", "JOB", "MOMENT", "OUTPUT", "PROCESS", "PROGRESS", "ROUND", "SCHEDULE", "SHARD", "SHARDS", "TASK", "WORKSPACE",
	} {
		known = append(known, envPrefix+task)
	}
	serve, executor := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	BindServe(serve)
	BindExecutor(executor)
	for _, flags := range []*pflag.FlagSet{serve, executor} {
		flags.VisitAll(func(f *pflag.Flag) { known = append(known, envName(f.Name)) })
	}
	return known
}

// nearest is the name that is written most like another one; "" if none is much like it.
func nearest(name string, known []string) string {
	best, least := "", 1+len(strings.TrimPrefix(name, envPrefix))/4
	for _, k := range known {
		if d := distance(name, k); d <= least {
			best, least = k, d-1
		}
	}
	return best
}

// distance is the number of letters to change, add or take away (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Exposed says which files of secrets others on the machine can read, one sentence each.
func (c *Serve) Exposed() []string {
	return slices.Concat(exposed(c.TLSKey, "a key"), exposedSettings(c.File))
}

// Exposed says which files of secrets others on the machine can read, one sentence each.
func (c *Executor) Exposed() []string {
	return slices.Concat(exposed(c.TokenFile, "a token"), exposed(c.TLSKey, "a key"))
}

func exposed(file, what string) []string {
	info, err := os.Stat(file)
	if file == "" || err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return []string{fmt.Sprintf("others can read %s, which holds %s; run: chmod 600 %s", file, what, file)}
}

// exposedSettings looks at a file of settings, which holds a secret if its database's URL has a password.
func exposedSettings(file string) []string {
	raw, err := os.ReadFile(file)
	var settings struct {
		DatabaseURL string `yaml:"database-url"`
	}
	if err != nil || yaml.Unmarshal(raw, &settings) != nil {
		return nil
	}
	u, err := url.Parse(settings.DatabaseURL)
	if err != nil {
		return nil
	}
	if _, secret := u.User.Password(); !secret && !strings.Contains(u.RawQuery, "password=") {
		return nil
	}
	return exposed(file, "the password of the database")
}
