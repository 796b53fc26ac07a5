package app

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// Executors join the default group with the embedded executor's token or with a given one, and with no other.
func TestGroupOf(t *testing.T) {
	t.Parallel()
	a := newApp(t, settings(t.TempDir(), true))
	given := strings.Repeat("g", 40)
	for name, tt := range map[string]struct {
		registrar registrar
		token     string
		want      string
	}{
		"its own":                  {registrar{own: "own"}, "own", hive.DefaultGroup},
		"the given one":            {registrar{own: "own", given: given}, given, hive.DefaultGroup},
		"a part of the given one":  {registrar{own: "own", given: given}, given[1:], ""},
		"none, and none is known":  {registrar{}, "", ""},
		"one that nobody has made": {registrar{}, given, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.registrar.Store, tt.registrar.auth = a.store, a.auth
			group, err := tt.registrar.GroupOf(t.Context(), tt.token)
			require.Equal(t, tt.want, group)
			require.Equal(t, tt.want == "", err != nil)
		})
	}
}
