package config

import (
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// file is a file's owner and mode.
type file struct {
	fs.FileInfo

	mode     fs.FileMode
	uid, gid uint32
}

func (f file) Mode() fs.FileMode { return f.mode }
func (f file) Sys() any          { return &syscall.Stat_t{Uid: f.uid, Gid: f.gid} }

func TestPrivate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file  file
		group int
		want  bool
	}{
		"of the owner alone":            {file{mode: 0o600, uid: 7, gid: 7}, 7, true},
		"a secret of a pod":             {file{mode: 0o440, uid: 0, gid: 7}, 7, true},
		"root's, for the group":         {file{mode: 0o640, uid: 0, gid: 7}, 7, true},
		"root's, for another group":     {file{mode: 0o440, uid: 0, gid: 8}, 7, false},
		"root's, and the group is root": {file{mode: 0o440, uid: 0, gid: 0}, 0, false},
		"root's, the group may write":   {file{mode: 0o460, uid: 0, gid: 7}, 7, false},
		"root's, for everybody":         {file{mode: 0o444, uid: 0, gid: 7}, 7, false},
		"a user's, for the group":       {file{mode: 0o640, uid: 7, gid: 7}, 7, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, Private(tt.file, tt.group))
		})
	}
}
