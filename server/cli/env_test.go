package cli_test

import (
	"strings"
	"testing"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/cli"
)

// TestEnvironment runs alone: the environment belongs to the process.
func TestEnvironment(t *testing.T) {
	w := newWorld(t)
	t.Setenv("HIVEGO_SERVER", strings.TrimPrefix(w.server, "http://")+"/")
	t.Setenv("HIVEGO_TOKEN", apitest.Token+"\n")
	w.want(run(t.Context(), nil, "", "run", "warehouse"), 0, "7\n", "")
	t.Setenv("HIVEGO_TOKEN", "")
	w.want(run(t.Context(), nil, "", "run", "warehouse"), 2, "", "HIVEGO_TOKEN")
	t.Setenv("HIVEGO_TOKEN_FILE", write(t, "token", apitest.Token+"\n"))
	w.want(run(t.Context(), nil, "", "run", "warehouse"), 0, "7\n", "")
	t.Setenv("HIVEGO_TOKEN_FILE", write(t, "empty", "\n"))
	w.want(run(t.Context(), nil, "", "run", "warehouse"), 2, "", "empty is empty")
	t.Setenv("HIVEGO_TOKEN_FILE", "/nowhere/token")
	w.want(run(t.Context(), nil, "", "run", "warehouse"), 2, "", "/nowhere/token")
	f := &fakeLocal{}
	t.Setenv("HIVEGO_DATA", "there")
	t.Setenv("HIVEGO_DATABASE_URL", "postgres://x")
	run(t.Context(), f.open, "", "token", "create", "--user", "ada")
	if f.place != (cli.Place{Data: "there", DatabaseURL: "postgres://x"}) {
		t.Errorf("%+v", f)
	}
}
