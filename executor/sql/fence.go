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

// fence keeps tasks away from the files of HiveGo itself: who may change the server's database may make administrators.
// Files are told apart by device and inode, since one file has many names.
type fence struct {
	protected []string // files, and folders with all that is in them
	open      string   // a folder in one of those that is the tasks' own
}

// sideFiles are what SQLite keeps beside a database.
func sideFiles() []string { return []string{"-wal", "-shm", "-journal"} }

// database refuses to open a database by this path, or to make one.
func (f fence) database(path string) error {
	for _, suffix := range append(sideFiles(), "") {
		if err := f.path(path + suffix); err != nil {
			return err
		}
	}
	return nil
}

// path refuses a file by its path. The file need not be there.
func (f fence) path(path string) error {
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

// descriptor refuses an open file. Unlike a path it cannot become another file after the check.
func (f fence) descriptor(fd int) error {
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

// check takes a path without symbolic links, and what the file is if there is one.
func (f fence) check(full string, info fs.FileInfo) error {
	refused := fmt.Errorf("%s belongs to HiveGo itself, and tasks may not use it; "+
		"keep data of your own in the schedule's folder, or outside of HiveGo's data folders", full)
	if info != nil && f.holds(info) || f.inside(filepath.Dir(full)) {
		return refused
	}
	if info == nil {
		return nil
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink < 2 {
		return nil // it has no other name
	}
	found, err := f.linked(info)
	if err != nil {
		return err
	}
	if found {
		return refused
	}
	return nil
}

// holds says that a file is itself one of the protected.
func (f fence) holds(info fs.FileInfo) bool {
	for _, p := range f.protected {
		if own, err := os.Stat(p); err == nil && os.SameFile(own, info) {
			return true
		}
	}
	return false
}

// inside says that a folder is protected, by itself or by one that it lies in.
func (f fence) inside(dir string) bool {
	open, _ := os.Stat(f.open) // nil if nobody has needed it yet
	for {
		if info, err := os.Stat(dir); err == nil {
			if open != nil && os.SameFile(open, info) {
				return false
			}
			if f.holds(info) {
				return true
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// linked says that a file that has several names has one of them in a protected folder.
func (f fence) linked(info fs.FileInfo) (bool, error) {
	found := false
	open, _ := os.Stat(f.open)
	for _, root := range f.protected {
		root, err := filepath.EvalSymlinks(root) // a walk does not follow a link, not at its beginning either
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		err = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					return nil // it has just been deleted
				}
				return err
			}
			other, err := d.Info()
			switch {
			case err != nil: // it has just been deleted
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

const maxLinks = 40 // symbolic links that are followed, as the kernel does

// resolvePath is an absolute path without symbolic links. The last part need not be there, also not as the target of a
// link: SQLite would make it there.
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
			return path, nil //nolint:nilerr // it is no link, so it is not there
		}
		if path = target; !filepath.IsAbs(target) {
			path = filepath.Join(dir, target)
		}
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}
