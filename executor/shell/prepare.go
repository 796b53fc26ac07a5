package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/supervise"
)

// Files in the folder of an attempt.
const (
	scriptName   = "script"
	outputName   = "output"
	progressName = "progress"
	tmpName      = "tmp"
)

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// prepare makes what a script needs and says how to run it.
func (h *Handler) prepare(t *sdk.Task) (supervise.Spec, error) {
	var spec supervise.Spec
	p, err := read(t)
	if err != nil {
		return spec, err
	}
	dir, err := workdir(t, p.Workdir)
	if err != nil {
		return spec, err
	}
	script := filepath.Join(t.Folder, scriptName)
	if err := os.WriteFile(script, []byte(p.Command), 0o700); err != nil { //nolint:gosec // a script is run
		return spec, fmt.Errorf("script: %w", err)
	}
	if err := os.Mkdir(filepath.Join(t.Folder, tmpName), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return spec, fmt.Errorf("folder for temporary files: %w", err)
	}
	env := environment(t, p)
	program, err := find(p.Interpreter[0], env["PATH"], dir)
	if err != nil {
		return spec, err
	}
	return supervise.Spec{
		Ref: supervise.Ref(t.Attempt), Path: program, Args: append(slices.Clone(p.Interpreter),
			script), Env: list(env), Dir: dir,
		Log: t.LogPath(), LogLimit: t.LogLimit, OutputFile: filepath.Join(t.Folder, outputName), Server: t.Lease,
		Opening:  fmt.Sprintf("shell begins on executor %s, attempt %d (id %s)", h.cfg.Executor, t.Number, t.Attempt),
		Deadline: t.Deadline, Grace: t.Grace,
	}, nil
}

// workdir makes the folder in which the script runs. A relative one stays inside the schedule's folder, symbolic links
// included.
func workdir(t *sdk.Task, dir string) (string, error) {
	workspace, err := t.MakeWorkspace()
	if err != nil {
		return "", err
	}
	if dir == "" {
		return workspace, nil
	}
	if filepath.IsAbs(dir) {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", fmt.Errorf("workdir: %s is not a folder on this executor", dir)
		}
		return dir, nil
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("workdir: %w", err)
	}
	return filepath.Join(workspace, dir), nil
}

// environment is clean, plus what the schedule gives.
func environment(t *sdk.Task, p params) map[string]string {
	env := map[string]string{
		"PATH": or(os.Getenv("PATH"), defaultPath), "HOME": or(os.Getenv("HOME"), "/"), "LANG": "C.UTF-8",
		"TMPDIR": filepath.Join(t.Folder, tmpName),
	}
	for name, value := range t.Values {
		if variable(name) {
			env[name] = text(value)
		}
	}
	maps.Copy(env, map[string]string{
		"HIVEGO_BATCH": strconv.FormatInt(t.Batch, 10), "HIVEGO_SCHEDULE": t.Schedule, "HIVEGO_JOB": t.Job,
		"HIVEGO_TASK": t.Name, "HIVEGO_ROUND": strconv.Itoa(t.Round),
	})
	if !t.Moment.IsZero() {
		env["HIVEGO_MOMENT"] = t.Moment.Format(time.RFC3339)
	}
	if t.Shards > 0 {
		env["HIVEGO_SHARD"], env["HIVEGO_SHARDS"] = strconv.Itoa(t.Shard), strconv.Itoa(t.Shards)
	}
	for _, more := range []map[string]string{t.Env, p.Env} {
		for name, value := range more {
			if name != "" && !strings.ContainsAny(name, "=\x00") && !strings.ContainsRune(value, 0) {
				env[name] = value
			}
		}
	}
	env["HIVEGO_ATTEMPT"] = t.Attempt.String()
	env["HIVEGO_WORKSPACE"] = t.Workspace
	env["HIVEGO_OUTPUT"] = filepath.Join(t.Folder, outputName)
	env["HIVEGO_PROGRESS"] = filepath.Join(t.Folder, progressName)
	return env
}

// variable says that a parameter's name may be an environment variable: lower case, so it cannot hide PATH and the
// like.
func variable(name string) bool {
	for i, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != ""
}

// text is a parameter as a program sees it.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return strings.ReplaceAll(v, "\x00", "")
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	default:
		data, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(data)
	}
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func list(env map[string]string) []string {
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// find finds a program as a shell would, with the task's own PATH.
func find(program, path, dir string) (string, error) {
	if strings.Contains(program, "/") {
		if !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		if !executable(program) {
			return "", fmt.Errorf("interpreter: %s is not a program on this executor", program)
		}
		return program, nil
	}
	for _, folder := range filepath.SplitList(path) {
		if full := filepath.Join(folder, program); filepath.IsAbs(full) && executable(full) {
			return full, nil
		}
	}
	return "", fmt.Errorf("interpreter: %s is not on this executor (PATH %s)", program, path)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
