// Package secretfile reads the files that store an executor's secrets.
package secretfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Read reads a file in a folder, and returns nil if there is none. It returns an error if users other than the owner
// have access to the file.
func Read(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, name)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by others; run: chmod 600 %s", name, path)
	}
	return io.ReadAll(f)
}
