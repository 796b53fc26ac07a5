package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// Administrators change secrets; what others may do is list them. No answer repeats a value, not even a refusal.
func TestSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got hive.SecretChange
	w.SetSecretF = func(c hive.SecretChange) (hive.Secret, error) {
		got = c
		return hive.Secret{Name: c.Name}, nil
	}
	for _, c := range []struct {
		body   string
		status int
	}{
		{`{"value":"hidden thing","groups":[]}`, http.StatusOK},
		{`{"value":["hidden thing"]}`, http.StatusBadRequest},
		{`{"value":"hidden thing\u0000"}`, http.StatusBadRequest},
		{`{"value":"hidden thing","value":"hidden"}`, http.StatusBadRequest},
		{`{"valeu":"hidden thing"}`, http.StatusBadRequest},
		{`{"value":"hidden thing`, http.StatusBadRequest},
	} {
		a := w.do(call{http.MethodPut, "/api/v1/secrets/DW", c.body, nil})
		if a.StatusCode != c.status || strings.Contains(string(a.body), "hidden") {
			t.Errorf("%s: %d %s", c.body, a.StatusCode, a.body)
		}
	}
	w.AuthF = func(string) (hive.Identity, error) { return hive.Identity{User: hive.User{ID: 2, Name: "bob"}}, nil }
	for name, c := range secretSamples() {
		want := http.StatusForbidden
		if name == "listSecrets" || name == "listConnections" {
			want = http.StatusOK
		}
		w.SecretsF = func() ([]hive.Secret, error) { return nil, nil }
		if a := w.do(c); a.StatusCode != want {
			t.Errorf("%s by a user: %d %s", name, a.StatusCode, a.body)
		}
	}
	if got.Name != "DW" || *got.Value != "hidden thing" || got.Groups == nil || got.By == "" {
		t.Errorf("set %+v", got)
	}
}
