package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/server/hive"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	build := cli.Build{
		Version: "v1.2.3", Commit: "abc", Go: "go1.26.0", Platform: "linux/arm64", Schema: 20, Contract: 2,
		WebInterface: true,
	}
	show := func(b cli.Build, args ...string) string {
		var out bytes.Buffer
		code := cli.Main(t.Context(), cli.Root(cli.Config{Build: b}), args, strings.NewReader(""), &out, &out)
		require.Zero(t, code, out.String())
		return out.String()
	}
	require.Equal(t, "hivego version v1.2.3\n", show(build, "--version"))
	require.Equal(t, `HiveGo v1.2.3

commit             abc
go                 go1.26.0
platform           linux/arm64
database schema    20
executor contract  2
web interface      built in
`, show(build, "version"))
	var read cli.Build
	require.NoError(t, json.Unmarshal([]byte(show(build, "version", "-o", "json")), &read))
	require.Equal(t, build, read)
	require.Contains(t, show(cli.Build{Version: "dev"}, "version"), "\nweb interface      not built in")
}

func TestHealth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.token = "" // none is needed
	w.ReadyF = nil
	health := func(args ...string) outcome {
		return run(t.Context(), nil, "", append([]string{"health", "--server", w.server}, args...)...)
	}
	w.want(health(), 0, "ready\n", "")
	w.want(health("--alive"), 0, "alive\n", "")

	w.ReadyF = func() []hive.Check {
		return []hive.Check{
			{Name: "database", Err: hive.Errorf(hive.CodeUnavailable, "the database is damaged").
				WithReason(hive.ErrorDamaged)},
			{Name: "engine"},
		}
	}
	w.want(health(), 1, "", "not ready: database the database is damaged\n")
	w.want(health("--alive"), 0, "alive\n", "")

	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer other.Close()
	for _, flag := range []string{"", "--alive"} {
		args := strings.Fields("health --server " + other.URL + " " + flag)
		w.want(run(t.Context(), nil, "", args...), 1, "", "not ready: "+other.URL+" answers 200 OK\n")
	}
	other.Close()
	w.want(run(t.Context(), nil, "", "health", "--server", other.URL), 1, "", "cannot be reached")
	w.want(run(t.Context(), nil, "", "health", "--server", "ftp://x"), 2, "", "no address of a server")
	w.want(run(t.Context(), nil, "", "health", "--ca", "/nowhere"), 2, "", "read the authority's certificate")
}
