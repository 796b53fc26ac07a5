package config

import (
	"io/fs"
	"syscall"
)

// Private reports whether a file of a secret is closed to other users: only its owner has rights, or it belongs to root
// and the given group, the primary group of this process, may only read it. Kubernetes mounts secrets in this way, and
// root may give a service a file so.
func Private(info fs.FileInfo, group int) bool {
	perm := info.Mode().Perm()
	if perm&0o077 == 0 {
		return true
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == 0 && group != 0 && int(st.Gid) == group && perm&0o037 == 0
}
