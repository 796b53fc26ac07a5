package logs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// inArchive begins the places of a list that are in the archive. Others are names of folders.
const inArchive = "archive:"

// List lists logs in the folder, and then those in the archive, in parts of about a thousand. from is where the part
// begins, as the last call returned it in next; empty: the beginning, and the end.
func (s *Store) List(ctx context.Context, from string) (logs []hive.StoredLog, next string, err error) {
	if after, ok := strings.CutPrefix(from, inArchive); ok {
		if s.mover.archive == nil {
			return nil, "", nil
		}
		logs, next, err = s.mover.archive.List(ctx, after, removeMany)
		if next != "" {
			next = inArchive + next
		}
		return logs, next, err
	}
	groups, err := os.ReadDir(s.cfg.Dir)
	if err != nil {
		return nil, "", fmt.Errorf("read the folder of logs: %w", err)
	}
	for _, g := range groups {
		if _, err := strconv.ParseUint(g.Name(), 10, 63); err != nil || !g.IsDir() || g.Name() <= from {
			continue
		}
		logs, err := s.listGroup(g.Name())
		return logs, g.Name(), err
	}
	if s.mover.archive == nil {
		return nil, "", nil
	}
	return nil, inArchive, nil
}

// listGroup lists the logs in one folder of the folder.
func (s *Store) listGroup(name string) (logs []hive.StoredLog, err error) {
	files, err := os.ReadDir(filepath.Join(s.cfg.Dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read a folder of logs: %w", err)
	}
	for _, file := range files {
		complete := strings.TrimSuffix(file.Name(), partLog)
		if complete != file.Name() {
			complete += wholeLog
		}
		attempt, ok := hive.AttemptOfLog(complete)
		if !ok || !file.Type().IsRegular() {
			continue
		}
		if info, err := file.Info(); err == nil { // with an error, it was removed meanwhile
			logs = append(logs, hive.StoredLog{Attempt: attempt, Size: info.Size(), At: info.ModTime()})
		}
	}
	return logs, nil
}
