package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Each setting names its origin, and the origin that wins.
func TestExplain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hivego.yaml")
	text := "# mine\ndata: /var/lib/hivego\nslots: 3\nlog-level: debug\ndatabase-url: postgres://h:geheim@db/x\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	BindServe(f)
	if err := f.Parse([]string{"--listen=127.0.0.1:9", "--log-level=info"}); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HIVEGO_CONFIG": path, "HIVEGO_SLOTS": "5", "HIVEGO_LISTEN": "127.0.0.1:1"}
	all, err := explain(f, func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Setting{
		{"listen", "127.0.0.1:9", "--listen"},
		{"slots", "5", "HIVEGO_SLOTS"},
		{"data", "/var/lib/hivego", path + ", line 2"},
		{"log-level", "info", "--log-level"}, // given at its default
		{"log-format", "text", "default"},
		{"config", path, "HIVEGO_CONFIG"},
		{"database-url", "postgres://h:***@db/x", path + ", line 5"},
	} {
		if !slices.Contains(all, want) {
			t.Errorf("%v is not in %v", want, all)
		}
	}
	names := 0
	f.VisitAll(func(*pflag.Flag) { names++ })
	if len(all) != names {
		t.Errorf("%d settings of %d", len(all), names)
	}
}

func TestExplainRefuses(t *testing.T) {
	t.Parallel()
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	BindServe(f)
	_, err := explain(f, func(name string) (string, bool) { return "many", name == "HIVEGO_SLOTS" })
	if err == nil || !strings.Contains(err.Error(), "HIVEGO_SLOTS") {
		t.Errorf("error %v", err)
	}
}

// No form of a secret is printed.
func TestMask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, value, want string }{
		{"database-url", "postgres://hivego@db.example/hivego", "postgres://hivego@db.example/hivego"},
		{"database-url", "postgres://u:geheim@db/x", "postgres://u:***@db/x"},
		{"database-url", "postgres://u:ge/he@im?@db/x", "postgres://u:***@db/x"},
		{"database-url", "postgres://u:ge?heim@db/x", "postgres://u:***@db/x"},
		{"database-url", "postgres://:geheim@db/x", "postgres://:***@db/x"},
		{
			"database-url", "postgres://db/x?user=u&password=geheim&sslmode=require",
			"postgres://db/x?user=u&password=***&sslmode=require",
		},
		{"database-url", "postgres://db/x?sslPassword=geheim", "postgres://db/x?sslPassword=***"},
		{"database-url", "host=db password=geheim user=u", "host=db password=*** user=u"},
		{"database-url", "postgres://u:geheim@db/x?password=geheim", "postgres://u:***@db/x?password=***"},
		{"database-url", "sqlite:a b.db", "sqlite:a b.db"},
		{"smtp-password", "geheim", "***"},
		{"smtp-password", "", ""},
		{"token-file", "/etc/token", "/etc/token"},
		{"secret-key", "/etc/secret.key", "/etc/secret.key"},
		{"secret-key-command", "curl -H 'X-Vault: geheim' https://vault", "***"},
		{"label", "zone=a,disk=ssd", "zone=a,disk=ssd"},
	} {
		got := mask(c.name, c.value)
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.name, c.value, got, c.want)
		}
		if strings.Contains(got, "geheim") {
			t.Errorf("%s tells the secret", got)
		}
	}
}
