package supervise

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Identity names a process uniquely. A pid alone is not enough: it is reused after a reboot, in another pid namespace,
// and when pids wrap around.
type Identity struct {
	Boot  string `json:"boot,omitempty"`  // the kernel's boot id
	Space string `json:"space,omitempty"` // pid namespace
	PID   int    `json:"pid"`
	Ticks int64  `json:"ticks,omitempty"` // when the process began, in clock ticks since the boot
}

// localIdentity returns the part of an identity that all processes of this boot and pid namespace share.
func localIdentity() (Identity, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Identity{}, fmt.Errorf("boot id: %w", err)
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return Identity{}, fmt.Errorf("pid namespace: %w", err)
	}
	return Identity{Boot: strings.TrimSpace(string(boot)), Space: space}, nil
}

// withPID completes a local identity to the identity of one process.
func (p Identity) withPID(pid int) Identity {
	p.PID = pid
	if st, err := readStat(pid); err == nil {
		p.Ticks = st.ticks
	}
	return p
}

// stat has the needed fields of /proc/PID/stat.
type stat struct {
	state          byte
	group, session int
	ticks          int64
}

func readStat(pid int) (stat, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, err
	}
	// The second field is the program's name in brackets. The name itself may contain brackets and spaces.
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return stat{}, fmt.Errorf("/proc/%d/stat: unreadable", pid)
	}
	f := strings.Fields(string(data[end+1:]))
	if len(f) < 20 {
		return stat{}, fmt.Errorf("/proc/%d/stat: too short", pid)
	}
	s := stat{state: f[0][0]}
	s.group, _ = strconv.Atoi(f[2])
	s.session, _ = strconv.Atoi(f[3])
	s.ticks, _ = strconv.ParseInt(f[19], 10, 64)
	return s, nil
}

// tokenVariable is the environment variable that marks all processes of a task. It identifies them also after they have
// left the process group or the session.
const tokenVariable = "HIVEGO_PROCESS"

// hasToken reports whether the initial environment of a process has one of the tokens.
func hasToken(pid int, tokens map[string]bool) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if token, ok := bytes.CutPrefix(entry, []byte(tokenVariable+"=")); ok {
			return tokens[string(token)]
		}
	}
	return false
}

// killAll sends SIGKILL to all processes that selected accepts, until no such process is left or the timeout is over.
// It returns the number of killed processes. It never kills this process.
func killAll(timeout time.Duration, selected func(pid int, s stat) bool) int {
	killed := map[int]bool{}
	end := time.Now().Add(timeout)
	for {
		remaining := false
		for _, pid := range processes() {
			s, err := readStat(pid)
			if err != nil || s.state == 'Z' || s.state == 'X' || pid == os.Getpid() || !selected(pid, s) {
				continue
			}
			if unix.Kill(pid, unix.SIGKILL) == nil {
				killed[pid], remaining = true, true
			}
		}
		if !remaining || time.Now().After(end) {
			return len(killed)
		}
		pause(5 * time.Millisecond)
	}
}

func processes() []int {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var out []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	return out
}
