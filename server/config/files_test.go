package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Of several files the later one wins, setting by setting, below the environment; faults name their file.
func TestSeveralFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	base := file("base.yaml", "slots: 3\nlisten: 127.0.0.1:1\ndata: of-base\n")
	own := file("own.yaml", "slots: 5\ndata: own\n")
	set := func(env map[string]string, args ...string) (*Serve, error) {
		f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		c := BindServe(f)
		if err := f.Parse(args); err != nil {
			t.Fatal(err)
		}
		return c, resolve(f, func(name string) (string, bool) {
			v, ok := env[name]
			return v, ok
		})
	}
	both := map[string]string{"HIVEGO_CONFIG": base + ":" + own}
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want string
	}{
		"the later wins":      {nil, []string{"--config", base, "--config", own}, "5 127.0.0.1:1 own"},
		"in their order":      {nil, []string{"--config", own, "--config", base}, "3 127.0.0.1:1 of-base"},
		"of the environment":  {both, nil, "5 127.0.0.1:1 own"},
		"flags replace those": {both, []string{"--config", own}, "5 127.0.0.1:3000 own"},
		"none":                {map[string]string{"HIVEGO_CONFIG": ""}, nil, "0 127.0.0.1:3000 data"},
		"the environment wins": {
			map[string]string{"HIVEGO_SLOTS": "7"},
			[]string{"--config", base},
			"7 127.0.0.1:1 of-base",
		},
	} {
		got, err := set(c.env, c.args...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if text := fmt.Sprintf("%d %s %s", got.Slots, got.Listen, got.Data); text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
	wrong, bad := file("wrong.yaml", "\nslots: many\n"), file("bad.yaml", "slotz: 1\n")
	_, err := set(nil, "--config", base, "--config", wrong)
	if err == nil || !strings.Contains(err.Error(), wrong+", line 2, slots") {
		t.Errorf("a wrong value: %v", err)
	}
	_, err = set(nil, "--config", bad, "--config", base, "--config", filepath.Join(dir, "missing.yaml"))
	for _, words := range []string{bad + ", line 1", "slotz", "missing.yaml"} {
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("the faults of two files: %v, want %s", err, words)
		}
	}
}
