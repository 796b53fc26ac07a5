package db

import (
	"log/slog"
	"os"
	"sync"

	"github.com/rprp/hivego/server/hive"
)

// files are the files of an open SQLite database. SQLite does not notice when somebody deletes or replaces one of them:
// it continues with the deleted file, and everything that it writes is lost when the process ends.
type files struct {
	mu       sync.Mutex
	names    []string
	seen     map[string]os.FileInfo // by name, as of the first look
	reported bool
	log      *slog.Logger
}

// watchFiles watches the database and its write-ahead log. Both must be there.
func watchFiles(file string, log *slog.Logger) *files {
	f := &files{names: []string{file, file + "-wal"}, seen: map[string]os.FileInfo{}, log: log}
	_ = f.intact() // the first call only remembers the files
	return f
}

// intact returns an error if a file is not the one that was opened, and logs it once.
func (f *files) intact() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range f.names {
		now, err := os.Stat(name)
		first := f.seen[name]
		switch {
		case first == nil && err == nil:
			f.seen[name] = now
		case first == nil, err == nil && os.SameFile(first, now), err != nil && !os.IsNotExist(err):
		default:
			lost := hive.Errorf(hive.CodeUnavailable,
				"%s was deleted or replaced under the running server; stop the server now with "+
					"SIGTERM (never kill -9), so that it writes what it still holds into the database, then look "+
					"whether all is there", name)
			if !f.reported {
				f.reported = true
				f.log.Error("a file of the database is gone", "error", lost)
			}
			return lost
		}
	}
	return nil
}
