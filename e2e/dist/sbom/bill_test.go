package main

import (
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const lock = `{"lockfileVersion": 3, "packages": {
	"": {"name": "hivego", "version": "1.0.0"},
	"node_modules/react": {"version": "19.3.1", "license": "MIT", "integrity": "sha512-AAEC"},
	"node_modules/@mantine/core": {"version": "9.7.4", "license": "MIT"},
	"node_modules/a/node_modules/react": {"version": "19.3.1", "license": "MIT", "integrity": "sha512-AAEC"},
	"node_modules/vite": {"version": "8.3.8", "dev": true},
	"node_modules/csstype": {"version": "3.2.3", "devOptional": true},
	"node_modules/fsevents": {"version": "2.3.3", "optional": true}}}`

func TestBill(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{
		GoVersion: "go1.26.0", Main: debug.Module{Path: "github.com/rprp/hivego"},
		Deps: []*debug.Module{
			{Path: "modernc.org/sqlite", Version: "v1.60.0", Sum: "h1:abc="},
			{Path: "old.example/m", Version: "v1.0.0", Replace: &debug.Module{Path: "new.example/m", Version: "v1.1.0+x"}},
		},
		Settings: []debug.BuildSetting{{Key: "GOARCH", Value: "arm64"}, {Key: "-ldflags", Value: "-X main.version=x"}},
	}
	doc, err := bill(info, []byte(lock), "v1.2.3")
	require.NoError(t, err)
	require.Equal(t, []string{
		"pkg:golang/modernc.org/sqlite@v1.60.0", "pkg:golang/new.example/m@v1.1.0%2Bx", "pkg:golang/std@1.26.0",
		"pkg:npm/%40mantine/core@9.7.4", "pkg:npm/react@19.3.1",
	}, doc.Dependencies[0].DependsOn)
	require.Equal(t, "pkg:golang/github.com/rprp/hivego@v1.2.3", doc.Dependencies[0].Ref)
	require.Equal(t, []hash{{"SHA-512", "000102"}}, doc.Components[4].Hashes)
	require.Equal(t, []property{{"hivego:build:go", "go1.26.0"}, {"hivego:build:GOARCH", "arm64"}},
		doc.Metadata.Component.More)

	first, err := json.Marshal(doc)
	require.NoError(t, err)
	again, err := bill(info, []byte(lock), "v1.2.3")
	require.NoError(t, err)
	second, err := json.Marshal(again)
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))

	for _, bad := range []string{"", "{}", strings.ReplaceAll(lock, "sha512-AAEC", "sha512-!")} {
		_, err := bill(info, []byte(bad), "v1")
		require.ErrorContains(t, err, "package-lock.json")
	}
}

// The bill of this repository names what its pages import.
func TestOwnPackages(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../package-lock.json")
	require.NoError(t, err)
	parts, err := npmComponents(raw)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, c := range parts {
		names[c.Name] = true
		require.NotEmpty(t, c.Licenses, c.Name)
	}
	for _, name := range []string{"react", "@mantine/core", "@codemirror/view", "scheduler"} {
		require.True(t, names[name], name)
	}
	for _, name := range []string{"vite", "typescript", "eslint"} {
		require.False(t, names[name], name)
	}
}
