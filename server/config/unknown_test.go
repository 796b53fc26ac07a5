package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// An unknown variable is reported with the most similar name.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	got := UnknownVariables([]string{
		"PATH=/bin", "HIVEGO_SERVER=x", "HIVEGO_TOKEN=x", "HIVEGO_CA=x", "HIVEGO_CONFIG=x", "HIVEGO_DATABASE_URL=x",
		"HIVEGO_LOGS=x",
		"HIVEGO_TOKEN_FILE=x", "HIVEGO_ATTEMPT=7", "HIVEGO_SHARDS=1", "HIVEGO_TEST_POSTGRES_URL=x",
		"HIVEGO_SECRET_BILLING=x",
		"HIVEGO_SLOT=3", "HIVEGO_LISTN=x", "HIVEGO_COLOUR=x", "HIVEGO_DATABASEURL=secret",
	})
	want := []string{
		"the environment variable HIVEGO_COLOUR means nothing to HiveGo",
		"the environment variable HIVEGO_DATABASEURL means nothing to HiveGo; did you mean HIVEGO_DATABASE_URL?",
		"the environment variable HIVEGO_LISTN means nothing to HiveGo; did you mean HIVEGO_LISTEN?",
		"the environment variable HIVEGO_SLOT means nothing to HiveGo; did you mean HIVEGO_SLOTS?",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// Files of secrets that other users can read are reported.
func TestExposed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open, closed := file("open.token", "x", 0o644), file("closed.token", "x", 0o600)
	for name, c := range map[string]struct {
		got  []string
		want string
	}{
		"token": {
			(&Executor{TokenFile: open}).Exposed(),
			"others can read " + open + ", which holds a token; run: chmod 600 " + open,
		},
		"closed token": {(&Executor{TokenFile: closed}).Exposed(), ""},
		"key": {
			(&Serve{TLSKey: open}).Exposed(),
			"others can read " + open + ", which holds a key; run: chmod 600 " + open,
		},
		"nothing":      {(&Serve{}).Exposed(), ""},
		"no such file": {(&Serve{TLSKey: "/no/file", Files: []string{"/no/file"}}).Exposed(), ""},
		"settings": {
			(&Serve{Files: []string{file("a.yaml", "database-url: postgres://me@db/x", 0o644)}}).Exposed(),
			"",
		},
		"settings, secret": {
			(&Serve{Files: []string{file("b.yaml", "database-url: postgres://me:pw@db/x", 0o640)}}).Exposed(),
			"holds the password of the database",
		},
		"secret, closed": {
			(&Serve{Files: []string{file("c.yaml", "database-url: postgres://me:pw@db/x", 0o600)}}).Exposed(),
			"",
		},
	} {
		if words := strings.Join(c.got, "\n"); (c.want == "") != (words == "") || !strings.Contains(words, c.want) {
			t.Errorf("%s: %q, want %q", name, words, c.want)
		}
	}
}

// An explicit 0 for slots is refused.
func TestNoSlots(t *testing.T) {
	t.Parallel()
	for _, slots := range []string{"0", "-3", "10001"} {
		f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		serve := BindServe(f)
		if err := f.Parse([]string{"--slots=" + slots}); err != nil {
			t.Fatal(err)
		}
		if err := serve.Resolve(f); err == nil ||
			!strings.Contains(err.Error(), "--slots "+slots+": between 1 and 10000") {
			t.Errorf("serve: %v", err)
		}
		f = pflag.NewFlagSet("executor", pflag.ContinueOnError)
		executor := BindExecutor(f)
		if err := f.Parse([]string{"--token-file=x", "--slots=" + slots}); err != nil {
			t.Fatal(err)
		}
		if err := executor.Resolve(f); err == nil ||
			!strings.Contains(err.Error(), "--slots "+slots+": between 1 and 10000") {
			t.Errorf("executor: %v", err)
		}
	}
}
