package app

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/db/migration"
)

func TestStamped(t *testing.T) {
	t.Parallel()
	installed := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}
	local := &debug.BuildInfo{
		Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}},
	}
	for name, tt := range map[string]struct {
		version, commit         string
		info                    *debug.BuildInfo
		wantVersion, wantCommit string
	}{
		"of make":         {"v2", "def", local, "v2", "def"},
		"of go install":   {"", "", installed, "v1.2.3", ""},
		"of go build":     {"", "", local, "dev", "abc"},
		"without a stamp": {"", "", nil, "dev", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			version, commit := stamped(tt.version, tt.commit, tt.info)
			require.Equal(t, tt.wantVersion, version)
			require.Equal(t, tt.wantCommit, commit)
		})
	}
}

func TestBuild(t *testing.T) {
	t.Parallel()
	b := Build("v2", "def")
	require.Equal(t, migration.Latest(), b.Schema)
	require.Positive(t, b.Schema)
	require.Positive(t, b.Contract)
	require.NotEmpty(t, b.Go)
	require.Contains(t, b.Platform, "/")
}
