package sql

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// fence denies tasks access to the files of HiveGo itself: a task that could write the server's database could make
// administrators. Files are compared by device and inode, because one file can have many names.
type fence struct {
	protected []string // files, and folders with everything in them
	open      string   // a folder within a protected folder that tasks may use
}

// sideFiles returns the suffixes of the files that SQLite makes beside a database.
func sideFiles() []string { return []string{"-wal", "-shm", "-journal"} }

// checkDatabase returns an error if a task must not open or create a database at this path.
func (f fence) checkDatabase(path string) error {
	for _, suffix := range append(sideFiles(), "") {
		if err := f.checkPath(path + suffix); err != nil {
			return err
		}
	}
	return nil
}

// checkPath returns an error if a task must not use the file at a path. The file need not exist.
func (f fence) checkPath(path string) error {
	full, err := resolvePath(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(full)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.check(full, info)
}

// checkDescriptor returns an error if a task must not use an open file. Unlike a path, a descriptor cannot refer to
// another file after the check.
func (f fence) checkDescriptor(fd int) error {
	name := "/proc/self/fd/" + strconv.Itoa(fd)
	full, err := os.Readlink(name)
	if err != nil {
		return fmt.Errorf("which file is open cannot be told: %w", err)
	}
	info, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("which file is open cannot be told: %w", err)
	}
	return f.check(strings.TrimSuffix(full, " (deleted)"), info)
}

// check returns an error if a task must not use a file. full is a path without symbolic links; info is nil if the file
// does not exist.
func (f fence) check(full string, info fs.FileInfo) error {
	refused := fmt.Errorf("%s belongs to HiveGo itself, and tasks may not use it; "+
		"keep data of your own in the schedule's folder, or outside of HiveGo's data folders", full)
	if info != nil && f.isProtected(info) || f.inProtected(filepath.Dir(full)) {
		return refused
	}
	if info == nil {
		return nil
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink < 2 {
		return nil // it has no other name
	}
	linked, err := f.hasProtectedLink(info)
	if err != nil {
		return err
	}
	if linked {
		return refused
	}
	return nil
}

// isProtected reports whether a file or folder is itself in the protected list.
func (f fence) isProtected(info fs.FileInfo) bool {
	for _, p := range f.protected {
		if protected, err := os.Stat(p); err == nil && os.SameFile(protected, info) {
			return true
		}
	}
	return false
}

// inProtected reports whether a folder or one of its parents is protected.
func (f fence) inProtected(dir string) bool {
	open, _ := os.Stat(f.open) // nil if no task has needed it yet
	for {
		if info, err := os.Stat(dir); err == nil {
			if open != nil && os.SameFile(open, info) {
				return false
			}
			if f.isProtected(info) {
				return true
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

// hasProtectedLink reports whether a file with several hard links has one in a protected folder.
func (f fence) hasProtectedLink(info fs.FileInfo) (bool, error) {
	found := false
	open, _ := os.Stat(f.open)
	for _, root := range f.protected {
		root, err := filepath.EvalSymlinks(root) // WalkDir does not follow links, not even at its root
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		err = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					return nil // deleted during the walk
				}
				return err
			}
			other, err := d.Info()
			switch {
			case err != nil: // deleted during the walk
			case d.IsDir() && open != nil && os.SameFile(open, other):
				return fs.SkipDir
			case !d.IsDir() && os.SameFile(other, info):
				found = true
				return fs.SkipAll
			}
			return nil //nolint:nilerr // see above
		})
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

const maxLinks = 40 // how many symbolic links are followed; the kernel has the same limit

// resolvePath returns the absolute path without symbolic links. The file need not exist, not even if a link points to
// it: SQLite would create the target of the link.
func resolvePath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range maxLinks {
		full, err := filepath.EvalSymlinks(path)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return full, err
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, filepath.Base(path))
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // the path is not a link, so the file does not exist
		}
		if path = target; !filepath.IsAbs(target) {
			path = filepath.Join(dir, target)
		}
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}
