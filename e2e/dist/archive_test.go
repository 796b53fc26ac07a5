package dist

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/e2e/harness"
)

// TestArchive packs the program twice. The archives are equal, and contain what the page of installation needs.
func TestArchive(t *testing.T) {
	t.Parallel()
	native := harness.Binary(t)
	binary := filepath.Join(t.TempDir(), "program") // a small one, because the real one takes long to compress
	require.NoError(t, os.WriteFile(binary, []byte("#!/bin/sh\necho packed\n"), 0o600))
	var packed [2][]byte
	for i, umask := range []string{"022", "077"} { // the user's umask must not matter
		dir := t.TempDir()
		command(t, []string{"SOURCE_DATE_EPOCH=1700000000", "HIVEGO_DATA=/elsewhere"}, "bash", "-c",
			`umask "$0" && scripts/pack "$@"`, umask, binary, native, "hivego_1.2.3_linux_test", dir)
		var err error
		packed[i], err = os.ReadFile(filepath.Join(dir, "hivego_1.2.3_linux_test.tar.gz"))
		require.NoError(t, err)
	}
	require.Equal(t, packed[0], packed[1], "two archives of the same program")

	dir := t.TempDir()
	files := unpack(t, packed[0], dir)
	for _, name := range []string{
		"LICENSE", "README.md", "CHANGELOG.md", "bin/hivego", "completions/hivego.bash", "completions/_hivego",
		"completions/hivego.fish", "man/man1/hivego.1", "man/man1/hivego-serve.1", "man/man1/hivego-token-create.1",
		"systemd/hivego.service", "systemd/hivego-executor.service", "systemd/hivego-sysusers.conf", "etc/server.yaml",
		"etc/executor.yaml",
	} {
		require.Contains(t, files, "hivego_1.2.3_linux_test/"+name)
	}
	top := filepath.Join(dir, "hivego_1.2.3_linux_test")
	out, err := exec.CommandContext(t.Context(), filepath.Join(top, "bin", "hivego")).Output()
	require.NoError(t, err)
	require.Equal(t, "packed\n", string(out))
	page, err := os.ReadFile(filepath.Join(top, "man", "man1", "hivego-certs.1"))
	require.NoError(t, err)
	require.NotContains(t, string(page), "/elsewhere", "settings of the builder in a page")
}

// unpack writes the files of an archive and returns their names. It checks owner, time and mode.
func unpack(t *testing.T, raw []byte, dir string) []string {
	t.Helper()
	zipped, err := gzip.NewReader(strings.NewReader(string(raw)))
	require.NoError(t, err)
	archive := tar.NewReader(zipped)
	var names []string
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		require.NoError(t, err)
		require.True(t, filepath.IsLocal(h.Name), h.Name)
		require.Equal(t, time.Unix(1_700_000_000, 0).UTC(), h.ModTime.UTC(), h.Name)
		require.Zero(t, h.Uid+h.Gid, h.Name)
		place := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			require.EqualValues(t, 0o755, h.Mode&0o777, h.Name)
			require.NoError(t, os.MkdirAll(place, 0o700))
			continue
		}
		mode := int64(0o644)
		if strings.HasSuffix(h.Name, "/bin/hivego") {
			mode = 0o755
		}
		require.Equal(t, mode, h.Mode&0o777, h.Name)
		text, err := io.ReadAll(archive)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(place, text, os.FileMode(mode)))
		names = append(names, h.Name)
	}
}
