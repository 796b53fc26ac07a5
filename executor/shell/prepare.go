package shell

import (
	"cmp"
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

	"github.com/rprp/hivego/executor/internal/message"
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

// prepare makes the files and folders of a script, and returns how to run it.
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
	program, err := findProgram(p.Interpreter[0], env["PATH"], dir)
	if err != nil {
		return spec, err
	}
	return supervise.Spec{
		Ref: supervise.Ref(t.Attempt), Path: program, Args: append(slices.Clone(p.Interpreter), script),
		Env: entries(env), Dir: dir,
		Log: t.LogPath(), LogLimit: t.LogLimit, OutputFile: filepath.Join(t.Folder, outputName), Lease: t.Lease,
		Opening:  fmt.Sprintf("shell begins on executor %s, attempt %d (id %s)", h.cfg.Executor, t.Number, t.Attempt),
		Deadline: t.Deadline, Grace: t.Grace, Secrets: t.Secrets,
	}, nil
}

// workdir makes the folder in which the script runs. A relative path cannot leave the schedule's folder, not even
// through symbolic links.
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
			return "", message.Errorf(message.ShellWorkdirNone, "workdir: ‹path› is not a folder on this executor",
				"path", dir)
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

// environment makes the script's environment: a few basic variables, the parameters, and the schedule's variables. It
// does not contain the executor's own variables.
func environment(t *sdk.Task, p params) map[string]string {
	env := map[string]string{
		"PATH": cmp.Or(os.Getenv("PATH"), defaultPath), "HOME": cmp.Or(os.Getenv("HOME"), "/"), "LANG": "C.UTF-8",
		"TMPDIR": filepath.Join(t.Folder, tmpName),
	}
	for name, value := range t.Values {
		if isVariable(name) {
			env[name] = variableText(value)
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
	for _, variables := range []map[string]string{t.Env, p.Env} {
		for name, value := range variables {
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

// isVariable reports whether a parameter may become an environment variable. Its name must be lower case, so that it
// cannot replace a variable such as PATH.
func isVariable(name string) bool {
	for i, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != ""
}

// variableText formats a parameter as the value of an environment variable.
func variableText(value any) string {
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

// entries formats an environment as entries name=value, sorted by name.
func entries(env map[string]string) []string {
	out := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// findProgram finds a program like a shell does, in the task's PATH.
func findProgram(program, path, dir string) (string, error) {
	if strings.Contains(program, "/") {
		if !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		if !executable(program) {
			return "", message.Errorf(message.ShellProgramNone,
				"interpreter: ‹program› is not a program on this executor", "program", program)
		}
		return program, nil
	}
	for _, folder := range filepath.SplitList(path) {
		if full := filepath.Join(folder, program); filepath.IsAbs(full) && executable(full) {
			return full, nil
		}
	}
	return "", message.Errorf(message.ShellProgramPath, "interpreter: ‹program› is not on this executor (PATH ‹path›)",
		"program", program, "path", path)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
