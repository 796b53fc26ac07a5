// Package keep runs the database servers of tests: as a user other than root, in a temporary folder, until the test
// process ends in any way.
package keep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// Place is a folder with a server in it.
type Place struct {
	Dir string

	what string
	who  *syscall.Credential // nil: the user of the test
	hold *os.File            // the keeper's input; open for as long as the server is to run
}

// New makes a folder for a server (what names it in errors). The folder belongs to the user who will run the server: if
// the tests run as root, which such servers refuse, that is `as`, or nobody.
func New(what, as string) (*Place, error) {
	who, err := unprivileged(what, as)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "hivego-"+what+"-") // not $TMPDIR: a socket's path has at most 107 bytes
	if err != nil {
		return nil, fmt.Errorf("make a folder for %s: %w", what, err)
	}
	p := &Place{Dir: dir, what: what, who: who}
	if who != nil {
		if err := os.Chown(dir, int(who.Uid), int(who.Gid)); err != nil {
			return nil, errors.Join(fmt.Errorf("give %s its folder: %w", what, err), p.Remove())
		}
	}
	return p, nil
}

// Run runs a program to its end, as the server's user in its folder. The error contains what the program printed.
func (p *Place) Run(program string, args ...string) error {
	out, err := p.command(nil, program, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(out))
	}
	return nil
}

// keeper runs the server for as long as its standard input is open. The test process holds the other end. The kernel
// closes it when that process ends in any way; the keeper then stops the server and removes its folder.
const keeper = `
dir=$1 stop=$2
shift 2
"$@" >"$dir/log" 2>&1 &
server=$!
read -r _
kill -"$stop" $server
wait $server
rm -rf "$dir"
`

// Start starts the server, and keeps it until the end of this process or of the place. stop is the signal that ends it
// at once, for example KILL.
func (p *Place) Start(stop, program string, args ...string) error {
	input, hold, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make the pipe that holds %s: %w", p.what, err)
	}
	cmd := p.command(input, "/bin/sh", append([]string{"-c", keeper, "sh", p.Dir, stop, program}, args...)...)
	err = cmd.Start()
	_ = input.Close()
	if err != nil {
		return errors.Join(fmt.Errorf("start %s: %w", p.what, err), hold.Close())
	}
	p.hold = hold
	return nil
}

// Log returns the server's output so far.
func (p *Place) Log() []byte {
	text, _ := os.ReadFile(p.Dir + "/log")
	return bytes.TrimSpace(text)
}

// Remove ends the server, if it was started, and removes its folder.
func (p *Place) Remove() error {
	if p.hold != nil {
		return p.hold.Close() // the keeper does it
	}
	return os.RemoveAll(p.Dir)
}

func (p *Place) command(input io.Reader, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = p.Dir, input
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.who, Setpgid: true} // Ctrl-C reaches the test only
	return cmd
}

func unprivileged(what, as string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{as, "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			continue
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			continue
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, fmt.Errorf("the tests run as root, which %s refuses, and there is neither a user %s nor nobody: "+
		"run them as another user", what, as)
}
