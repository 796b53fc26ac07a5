package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/internal/plainfile"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/supervise"
)

// outcome makes the outcome of an attempt from the end of its process. If a part of the log is missing and the log does
// not say so, the outcome's error does.
func outcome(folder string, e supervise.End) sdk.Outcome {
	o := outcomeOf(folder, e)
	o.AddError(e.Exit.Missing)
	return o
}

func outcomeOf(folder string, e supervise.End) sdk.Outcome {
	x := e.Exit
	o := sdk.Outcome{StartedAt: x.Started, FinishedAt: x.Finished, LogBytes: x.LogBytes}
	if e.Lost.Words != "" {
		o.SetError(sdk.Lost, e.Lost.Err())
		return o
	}
	if x.Failed != "" {
		o.SetError(sdk.Failure, message.Wrap(message.NotStarted, "not started: ‹words›", errors.New(x.Failed)))
		return o
	}
	o.ExitCode = &x.Code
	switch {
	case x.Why == supervise.WhyTimeout:
		o.SetError(sdk.Timeout, message.Errorf(message.TimedOut, "its timeout is over"))
	case x.Code == 0: // the script succeeded before a kill reached it
		return succeed(folder, o)
	case x.Why == supervise.WhyLease:
		o.SetError(sdk.Lost, message.Errorf(message.KilledSilent,
			"killed: its server was silent for longer than the orphan timeout"))
	case x.Why == supervise.WhyKill:
		o.Kind, o.Error = sdk.Killed, "killed: "+x.Reason
	case x.Why != supervise.WhyNone:
		o.Kind, o.Error = sdk.Lost, "killed: "+x.Reason
	default:
		o.Kind, o.Error = sdk.Failure, failure(folder, x)
	}
	return o
}

// succeed reads the script's outputs. If they cannot be read, the outcome is a failure, because later tasks need them.
func succeed(folder string, o sdk.Outcome) sdk.Outcome {
	outputs, err := readOutputs(filepath.Join(folder, outputName))
	if err != nil {
		o.Kind, o.Error = sdk.Failure, "exit code 0, but $HIVEGO_OUTPUT: "+err.Error()
		return o
	}
	o.Kind, o.Outputs = sdk.Success, outputs
	return o
}

// failure describes a failed exit: the exit code or signal, and the last line of the log, which usually has the cause.
func failure(folder string, x supervise.Exit) string {
	text := fmt.Sprintf("exit code %d", x.Code)
	if x.Signal != 0 {
		text = fmt.Sprintf("ended by signal %d (%s)", x.Signal, syscall.Signal(x.Signal))
	}
	if line := lastLine(filepath.Join(folder, "log")); line != "" {
		text += ": " + line
	}
	return text
}

const (
	lastBytes = 64 << 10
	lastRunes = 300
)

// escapes matches the escape sequences of terminals. Logs have them, but errors must not. (In a log, U+FFFD replaces
// the bell that ends some of them.)
var escapes = regexp.MustCompile(`\x1b(\[[0-?]*[\x20-/]*[\x40-\x7e]|\][^\x07\x1b\x{FFFD}\n]*(\x07|\x{FFFD}|\x1b\\)?)?`)

// lastLine returns the last line that the script wrote to standard error, or else to standard output.
func lastLine(path string) string {
	f, err := plainfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > lastBytes {
		_, _ = f.Seek(-lastBytes, io.SeekEnd)
	}
	data, _ := io.ReadAll(io.LimitReader(f, lastBytes))
	last := map[string]string{} // by stream
	for line := range strings.Lines(escapes.ReplaceAllString(string(data), "")) {
		if parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3); len(parts) == 3 &&
			strings.TrimSpace(parts[2]) != "" {
			last[parts[1]] = strings.TrimSpace(parts[2])
		}
	}
	text := []rune(last["err"])
	if len(text) == 0 {
		text = []rune(last["out"])
	}
	if len(text) > lastRunes {
		return string(text[:lastRunes]) + "…"
	}
	return string(text)
}

// readOutputs reads lines of the form name=value.
func readOutputs(path string) (map[string]string, error) {
	f, err := plainfile.Open(path, os.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, sdk.MaxOutputs+1))
	if err != nil {
		return nil, err
	}
	if len(data) > sdk.MaxOutputs {
		return nil, sdk.ErrOutputs
	}
	var t sdk.Task
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d is not name=value", number)
		}
		if err := t.Output(name, value); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return t.Outputs(), nil
}

// readProgress reads a number from 0 to 1. It returns false if the file has no such number.
func readProgress(path string) (float64, bool) {
	f, err := plainfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	buf := make([]byte, 64)
	n, _ := f.Read(buf)
	lines := strings.Fields(string(buf[:n]))
	if len(lines) == 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(lines[0], 64)
	return v, err == nil && v >= 0 && v <= 1
}
