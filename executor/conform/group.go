package conform

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// groupRuns reports whether a process group has a process that runs. A process that has ended and that nobody has
// reaped still counts as a member for the kernel: what a wrapper leaves behind belongs to process 1 of its container,
// which may reap nothing. On Linux /proc tells such processes apart; elsewhere they count as running.
func groupRuns(id int) bool {
	if err := syscall.Kill(-id, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return true
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		if state, group := readStat(raw); group == id && state != "Z" && state != "X" {
			return true
		}
	}
	return false
}

// readStat returns the state and the process group in a file /proc/PID/stat. The name of the program stands in
// parentheses and may have spaces and parentheses itself.
func readStat(raw []byte) (state string, group int) {
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	if len(fields) < 3 {
		return "", 0
	}
	group, err := strconv.Atoi(string(fields[2]))
	if err != nil {
		return "", 0
	}
	return string(fields[0]), group
}
