package config

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/server/hive"
)

const envPrefix = "HIVEGO_"

// UnknownVariables returns a sentence for each HIVEGO_ variable of an environment (entries are NAME=value) that no
// command reads.
func UnknownVariables(environ []string) []string {
	known := knownEnv()
	var words []string
	for _, e := range environ {
		variable, _, _ := strings.Cut(e, "=")
		name, ours := strings.CutPrefix(variable, envPrefix)
		if !ours || slices.Contains(known, name) || strings.HasPrefix(name, "TEST_") ||
			strings.HasPrefix(name, "SECRET_") {
			continue
		}
		text := fmt.Sprintf("the environment variable %s means nothing to HiveGo", variable)
		if near := hive.Nearest(name, known); near != "" {
			text += fmt.Sprintf("; did you mean %s?", envPrefix+near)
		}
		words = append(words, text)
	}
	slices.Sort(words)
	return words
}

// knownEnv lists the variables, without their prefix, that a command reads or that tasks get. Tasks are included
// because a task may start a server.
func knownEnv() []string {
	known := []string{
		"CA", "TOKEN", "EXECUTOR_TOKEN", "SEALING_KEY", "LOGS_S3_ACCESS_KEY",
		"LOGS_S3_SECRET_KEY",
		"ATTEMPT", "BATCH", "JOB", "MOMENT", "OUTPUT", "PROCESS", "PROGRESS", "ROUND", "SCHEDULE", "SHARD",
		"SHARD_INDEX", "SHARD_ITEM", "SHARD_TOTAL", "SHARDS", "TASK", "WORKSPACE",
	}
	serve, executor := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	BindServe(serve)
	BindExecutor(executor)
	for _, flags := range []*pflag.FlagSet{serve, executor} {
		flags.VisitAll(func(f *pflag.Flag) { known = append(known, strings.TrimPrefix(envName(f.Name), envPrefix)) })
	}
	return known
}

// Exposed lists the files of secrets that other users of the machine can read, one sentence each.
func (c *Serve) Exposed() []string {
	return slices.Concat(exposed(c.TLSKey, "a key"), exposed(c.MetricsTokenFile, "a token"),
		exposed(c.ExecutorTokenFile, "a token"), exposed(c.LogsS3.KeyFile, "a key"), exposedSettings(c.Files))
}

// Exposed lists the files of secrets that other users of the machine can read, one sentence each.
func (c *Executor) Exposed() []string {
	return slices.Concat(exposed(c.TokenFile, "a token"), exposed(c.TLSKey, "a key"))
}

func exposed(file, what string) []string {
	info, err := os.Stat(file)
	if file == "" || err != nil || !info.Mode().IsRegular() || Private(info, os.Getegid()) {
		return nil
	}
	return []string{fmt.Sprintf("others can read %s, which holds %s; run: chmod 600 %s", file, what, file)}
}

// exposedSettings checks files of settings, which hold a secret if their database URL has a password.
func exposedSettings(files []string) (words []string) {
	for _, file := range files {
		words = append(words, exposedSetting(file)...)
	}
	return words
}

func exposedSetting(file string) []string {
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
