package db

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestPostgresConfig(t *testing.T) {
	t.Parallel()
	c, err := postgresConfig(Config{URL: "postgres://u@h/d?application_name=mine", Schema: "Own-1"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"application_name": "mine", "search_path": `"Own-1"`, "standard_conforming_strings": "on", "jit": "off",
		"idle_in_transaction_session_timeout": "5000",
	} {
		if got := c.RuntimeParams[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if c.DefaultQueryExecMode != pgx.QueryExecModeExec || c.ConnectTimeout != connectWait {
		t.Errorf("exec mode %s, connect timeout %s", c.DefaultQueryExecMode, c.ConnectTimeout)
	}
	if _, err := postgresConfig(Config{URL: "postgres://u@h:port/d"}); err == nil {
		t.Error("a port that is no number is taken")
	}
}
