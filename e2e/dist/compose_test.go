package dist

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/e2e/harness"
)

// composeService is the part of a service that the tests read.
type composeService struct {
	Image       string            `yaml:"image"`
	User        string            `yaml:"user"`
	ReadOnly    bool              `yaml:"read_only"`
	CapDrop     []string          `yaml:"cap_drop"`
	Network     string            `yaml:"network_mode"`
	Ports       []string          `yaml:"ports"`
	Environment map[string]string `yaml:"environment"`
	Entrypoint  []string          `yaml:"entrypoint"`
	Command     []string          `yaml:"command"`
	Volumes     []string          `yaml:"volumes"`
}

func compose(t *testing.T) map[string]composeService {
	t.Helper()
	var file struct {
		Services map[string]composeService `yaml:"services"`
		Volumes  map[string]any            `yaml:"volumes"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "compose.yaml")), &file))
	used := map[string]bool{}
	for name, s := range file.Services {
		for _, v := range s.Volumes {
			volume, _, _ := strings.Cut(v, ":")
			require.Contains(t, file.Volumes, volume, name)
			used[volume] = true
		}
	}
	require.Len(t, used, len(file.Volumes))
	return file.Services
}

// TestCompose holds what nobody may open or loosen.
func TestCompose(t *testing.T) {
	t.Parallel()
	services := compose(t)
	require.Len(t, services, 4)
	for name, s := range services {
		if name != "database" {
			require.Equal(t, "10001:10001", s.User, name)
			require.True(t, s.ReadOnly, name)
			require.Equal(t, []string{"ALL"}, s.CapDrop, name)
		}
		for variable, value := range s.Environment {
			require.NotRegexp(t, `://[^@]*:[^@]*@`, value, "a password in %s of %s", variable, name)
			if strings.Contains(variable, "PASSWORD") {
				require.True(t, strings.HasSuffix(variable, "_FILE"), "%s of %s is no file", variable, name)
			}
		}
	}
	require.Equal(t, "none", services["setup"].Network)
	require.Equal(t, "none", services["database"].Network, "the database has no network")
	require.Regexp(t, `^postgres:\d+\.\d+-`, services["database"].Image)
	for _, name := range []string{"setup", "database", "executor"} {
		require.Empty(t, services[name].Ports, name)
	}
	require.Equal(t, []string{"${HIVEGO_ADDRESS:-127.0.0.1}:${HIVEGO_PORT:-3000}:3000"}, services["server"].Ports)
	for _, name := range []string{"server", "executor"} {
		e := services[name].Environment
		require.NotEmpty(t, e["HIVEGO_TLS_CERT"], name)
		require.NotContains(t, e, "HIVEGO_BEHIND_PROXY")
		require.NotContains(t, strings.Join(services[name].Volumes, " "), "authority", "the key of the authority")
	}
	require.NotContains(t, strings.Join(services["executor"].Volumes, " "), "database")
}

// TestComposeSetup runs the script of the first start, cut off in its middle, to its end, and again.
func TestComposeSetup(t *testing.T) {
	t.Parallel()
	s := compose(t)["setup"]
	dir := t.TempDir()
	for _, name := range []string{"authority", "server", "executor", "database"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	bin := t.TempDir()
	require.NoError(t, os.Symlink(harness.Binary(t), filepath.Join(bin, "hivego")))
	script := strings.ReplaceAll(s.Command[0], "$$", "$")
	setup := func(script string) {
		command(t, []string{"SETUP=" + dir, "NAMES=hivego.example,localhost", "PATH=" + bin + ":" + os.Getenv("PATH")},
			s.Entrypoint[0], s.Entrypoint[1], script)
	}
	content := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(raw)
	}
	begin, _, found := strings.Cut(script, "place \"$SETUP/server/executor.token\"")
	require.True(t, found)
	setup(begin)
	token := content("server/executor.token")
	setup(script)
	password := content("database/password")
	setup(script)

	require.Regexp(t, `^[0-9a-f]{64}$`, password)
	require.Regexp(t, `^[0-9a-f]{64}$`, token)
	require.NotEqual(t, token, password)
	require.Equal(t, password, content("database/password"), "a second run keeps secrets")
	require.Equal(t, token, content("server/executor.token"))
	require.Equal(t, token, content("executor/executor.token"))
	require.Equal(t, "*:*:*:hivego:"+password+"\n", content("server/pgpass"))

	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(content("server/ca.crt"))))
	require.Equal(t, content("server/ca.crt"), content("executor/ca.crt"))
	for folder, names := range map[string][]string{
		"server": {"server", "localhost", "hivego.example"}, "executor": {"executor"},
	} {
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, folder, "tls.crt"), filepath.Join(dir, folder, "tls.key"))
		require.NoError(t, err)
		for _, name := range names {
			_, err = pair.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: roots})
			require.NoError(t, err, name)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, err)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.NotEqual(t, ".new", filepath.Ext(file))
		if name := strings.TrimPrefix(file, dir); name != "/database/password" {
			require.Zero(t, info.Mode().Perm()&0o077, name)
		}
	}
	require.NoFileExists(t, filepath.Join(dir, "server", "ca.key"))
	require.NoFileExists(t, filepath.Join(dir, "executor", "ca.key"))
}

// TestDockerfile holds what makes the image safe to start: exact bases, a user by number, a check without a shell.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text := read(t, "Dockerfile")
	bases := regexp.MustCompile(`(?m)^FROM (?:--platform=\S+ )?(\S+)`).FindAllStringSubmatch(text, -1)
	require.Len(t, bases, 3)
	for _, base := range bases {
		require.Regexp(t, `^[a-z]+:\d+\.\d+[.\d]*-`, base[1], "a version and a variant")
	}
	_, final, found := strings.Cut(text, "FROM debian")
	require.True(t, found)
	require.Contains(t, final, "\nUSER 10001:10001\n")
	require.Regexp(t, `(?m)^HEALTHCHECK .* CMD \["hivego", "health"\]$`, final)
	require.Contains(t, final, "\nENTRYPOINT [\"hivego\"]\n")
	require.NotRegexp(t, `(?m)^ENV .*(PASSWORD|TOKEN|SECRET)`, text)

	// What the build copies is not left out of its context.
	ignored := read(t, ".dockerignore")
	require.Contains(t, ignored, "\n*\n")
	for _, folder := range []string{"assets", "db", "docs/examples", "executor", "frontend", "internal", "server", "thrift"} {
		require.Contains(t, ignored, "\n!"+folder+"\n")
	}
}
