package assets

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestFilesHaveAFirstPage(t *testing.T) {
	t.Parallel()
	page, err := fs.ReadFile(Files(), Index)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(page), "<!doctype html>"))
}

func TestPickPrefersWhatWasBuilt(t *testing.T) {
	t.Parallel()
	fallback := fstest.MapFS{Index: {Data: []byte("placeholder")}}
	tests := map[string]struct {
		built fstest.MapFS
		want  string
	}{
		"nothing was built":     {fstest.MapFS{".gitkeep": {}}, "placeholder"},
		"a build with its page": {fstest.MapFS{Index: {Data: []byte("built")}}, "built"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := fs.ReadFile(pick(tt.built, fallback), Index)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(page))
		})
	}
}
