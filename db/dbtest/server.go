package dbtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

var errNoPostgres = errors.New("the tests need PostgreSQL: install it with \"apt-get install postgresql\", " +
	"or give the URL of one in " + EnvPostgres)

// keeper runs the server for as long as its standard input is open. The test process holds the other end, so the
// kernel closes it when that process ends in whatever way: then the server is stopped and its folder removed.
const keeper = `
"$1/postgres" -D "$2/data" >"$2/log" 2>&1 &
server=$!
read -r _
kill -QUIT $server
wait $server
rm -rf "$2"
`

// startPostgres makes a cluster in a temporary folder and starts it. It listens on a unix socket only, which no
// other process can take and no port has to be found for.
func startPostgres() (*server, error) {
	bin, err := findBinaries()
	if err != nil {
		return nil, err
	}
	who, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "hivego-pg-") // not $TMPDIR: a socket's path has at most 107 bytes
	if err != nil {
		return nil, fmt.Errorf("make a folder for PostgreSQL: %w", err)
	}
	s, err := start(bin, dir, who)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func start(bin, dir string, who *syscall.Credential) (*server, error) {
	if who != nil {
		if err := os.Chown(dir, int(who.Uid), int(who.Gid)); err != nil {
			return nil, fmt.Errorf("give PostgreSQL its folder: %w", err)
		}
	}
	run := func(input io.Reader, name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stdin = dir, input
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who, Setpgid: true} // Ctrl-C reaches the test only
		return cmd
	}
	initdb := run(nil, filepath.Join(bin, "initdb"), "--pgdata", filepath.Join(dir, "data"), "--username", "hivego",
		"--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(out))
	}
	settings := fmt.Sprintf("listen_addresses = ''\nunix_socket_directories = '%s'\nmax_connections = 400\n", dir)
	if err := appendFile(filepath.Join(dir, "data", "postgresql.conf"), settings); err != nil {
		return nil, err
	}
	input, hold, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make the pipe that holds PostgreSQL: %w", err)
	}
	cmd := run(input, "/bin/sh", "-c", keeper, "sh", bin, dir)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	_ = input.Close()
	s := &server{hold: hold, url: (&url.URL{
		Scheme: "postgres", User: url.User("hivego"), Path: "/postgres", RawQuery: url.Values{"host": {dir}}.Encode(),
	}).String()}
	if err := awaitServer(s.url, filepath.Join(dir, "log")); err != nil {
		return nil, errors.Join(err, hold.Close())
	}
	return s, nil
}

func appendFile(name, what string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("configure PostgreSQL: %w", err)
	}
	_, err = f.WriteString(what)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("configure PostgreSQL: %w", err)
	}
	return nil
}

// awaitServer tries until the server answers.
func awaitServer(server, log string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, server)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			text, _ := os.ReadFile(log)
			return fmt.Errorf("PostgreSQL did not start: %w: %s", err, bytes.TrimSpace(text))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// findBinaries is the folder of the newest PostgreSQL: Debian's place for them, else that of initdb on the PATH.
func findBinaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", fmt.Errorf("look for PostgreSQL: %w", err)
	}
	best, newest := "", -1.0
	for _, name := range found {
		bin := filepath.Dir(name)
		version, err := strconv.ParseFloat(filepath.Base(filepath.Dir(bin)), 64)
		if err == nil && version > newest {
			best, newest = bin, version
		}
	}
	if best != "" {
		return best, nil
	}
	name, err := exec.LookPath("initdb")
	if err != nil {
		return "", errNoPostgres
	}
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return "", errNoPostgres
	}
	return filepath.Dir(name), nil
}

// unprivileged is who the server runs as: PostgreSQL refuses root. nil is the user of the test.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
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
	return nil, errors.New("the tests run as root, which PostgreSQL refuses, and there is neither a user postgres nor nobody: " +
		"run them as another user, or give the URL of a PostgreSQL in " + EnvPostgres)
}
