package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Places are the places of a server's files. An empty one is left out.
type Places struct {
	Data string // certificates, and the settings of the embedded executor
	Logs string // logs of attempts
	Key  string // file of the key of secrets; former keys are beside it
}

// Names of files in a backup.
const (
	keyName     = "secret.key"
	certsFolder = "certs"
	logsFolder  = "logs"
)

// executorFiles are the settings of the embedded executor. Its journal and its identity are left out on purpose: an
// executor that went back to an earlier state would not know what it runs.
func executorFiles() []string { return []string{"executor/connections.yaml", "executor/secrets.yaml"} }

// The ends of names of logs: complete, and one that may still grow.
const (
	wholeLog = ".log"
	partLog  = ".part"
)

func isKey(name string) bool { return name == keyName || strings.HasPrefix(name, keyName+".") }

// allowed reports whether a backup may have a file of this name.
func allowed(name string) bool {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	folder, _, below := strings.Cut(name, "/")
	return !below && isKey(name) || below && (folder == certsFolder || folder == logsFolder) ||
		slices.Contains(executorFiles(), name)
}

// each calls f with the name in the backup and the path of each file.
func (p Places) each(f func(name, path string) error) error {
	if err := p.keys(f); err != nil {
		return err
	}
	if p.Data != "" {
		for _, name := range executorFiles() {
			path := filepath.Join(p.Data, filepath.FromSlash(name))
			if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if err := f(name, path); err != nil {
				return err
			}
		}
		if err := walk(certsFolder, filepath.Join(p.Data, certsFolder), f); err != nil {
			return err
		}
	}
	if p.Logs == "" {
		return nil
	}
	return walk(logsFolder, p.Logs, f)
}

// keys calls f with each key. A change of the key renames files meanwhile: the next one takes the place of the present
// one, which gets a name of its own. So the next one comes first, and new names are looked for at the end.
func (p Places) keys(f func(name, path string) error) error {
	if p.Key == "" {
		return nil
	}
	done := map[string]bool{}
	for range 2 {
		keys, err := filepath.Glob(globQuote(p.Key) + "*")
		if err != nil {
			return fmt.Errorf("look for keys: %w", err)
		}
		for _, path := range slices.Backward(keys) { // the file without an ending is the last one
			name := keyName + strings.TrimPrefix(path, p.Key)
			if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || !isKey(name) || done[name] {
				continue
			}
			done[name] = true
			if err := f(name, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// walk calls f with the regular files below a folder, if it exists.
func walk(name, dir string, f func(name, path string) error) error {
	dir, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the files: %w", err)
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the files: %w", err)
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), temporary) {
			return err
		}
		return f(name+"/"+filepath.ToSlash(rel), path)
	})
}

// openWhole opens the complete log that has replaced a growing one. The file is nil if there is none.
func openWhole(name, path string) (*os.File, string, error) {
	stem, growing := strings.CutSuffix(path, partLog)
	if !growing {
		return nil, name, nil
	}
	f, err := os.Open(stem + wholeLog)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, name, nil
	}
	return f, strings.TrimSuffix(name, partLog) + wholeLog, err
}

// path returns where a file of a backup belongs; empty for a file that is left out.
func (p Places) path(name string) string {
	switch {
	case isKey(name):
		if p.Key == "" {
			return ""
		}
		return p.Key + strings.TrimPrefix(name, keyName)
	case strings.HasPrefix(name, logsFolder+"/"):
		if p.Logs == "" {
			return ""
		}
		return filepath.Join(p.Logs, filepath.FromSlash(strings.TrimPrefix(name, logsFolder+"/")))
	case p.Data == "":
		return ""
	default:
		return filepath.Join(p.Data, filepath.FromSlash(name))
	}
}
