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

// Identity names a process beyond reuse of its number: numbers come again after a reboot, in another pid namespace, and
// when they wrap around.
type Identity struct {
	Boot  string `json:"boot,omitempty"`  // the kernel's boot id
	Space string `json:"space,omitempty"` // pid namespace
	PID   int    `json:"pid"`
	Ticks int64  `json:"ticks,omitempty"` // when it began, in clock ticks since the boot
}

// place is the part of an identity that all processes here share.
func place() (Identity, error) {
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

// with is the identity of a process of this place.
func (p Identity) with(pid int) Identity {
	p.PID = pid
	if st, err := readStat(pid); err == nil {
		p.Ticks = st.ticks
	}
	return p
}

// stat is what /proc tells about a process.
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
	// The second field is the program's name in brackets, and may itself have brackets and spaces.
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

// tokenVariable marks everything that a task starts, so that it is found again wherever it goes.
const tokenVariable = "HIVEGO_PROCESS"

// marked says that a process was started with one of the tokens in its environment.
func marked(pid int, tokens map[string]bool) bool {
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

// killAll sends SIGKILL to each process that is wanted, until none is left or patience ends, and counts them. It
// never touches this process.
func killAll(patience time.Duration, wanted func(pid int, s stat) bool) int {
	killed := map[int]bool{}
	end := time.Now().Add(patience)
	for {
		left := false
		for _, pid := range processes() {
			s, err := readStat(pid)
			if err != nil || s.state == 'Z' || s.state == 'X' || pid == os.Getpid() || !wanted(pid, s) {
				continue
			}
			if unix.Kill(pid, unix.SIGKILL) == nil {
				killed[pid], left = true, true
			}
		}
		if !left || time.Now().After(end) {
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
