// Package mariadbtest gives tests a real MariaDB, which it starts itself.
package mariadbtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// EnvURL names a MariaDB or MySQL that tests shall use instead of starting one: mysql://user:password@host:port, with
// the right to create databases.
const EnvURL = "HIVEGO_TEST_MYSQL_URL"

var errNone = errors.New("the tests need MariaDB: install it with " +
	"\"apt-get install --no-install-recommends mariadb-server-core mariadb-client-core\", or give the URL of one in " + EnvURL)

// The server is started once for each test process, by the first test that needs it.
var shared = sync.OnceValues(func() (*server, error) {
	if given := os.Getenv(EnvURL); given != "" {
		return &server{url: given}, nil
	}
	return start()
})

// server is one that tests may use.
type server struct {
	url  string
	hold *os.File // the keeper's input; open as long as the server shall run
}

// URL makes an empty database and answers its URL. The database goes with the test. The server is the one of EnvURL, or
// one that is started from the installed binaries, and ends with the test process, however that ends. Without either the
// test fails, saying what to install.
func URL(t testing.TB) string {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(s.url)
	if err != nil {
		t.Fatalf("%s cannot be read", EnvURL)
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	name := "hivego_test_" + hex.EncodeToString(b[:])
	if err := execute(u, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := execute(u, "DROP DATABASE "+name); err != nil {
			t.Errorf("clean the test's database up: %v", err)
		}
	})
	own := *u
	own.Path = "/" + name
	return own.String()
}

// execute runs a statement over a new connection.
func execute(u *url.URL, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conf := mysql.NewConfig()
	conf.User, conf.Net, conf.Addr = u.User.Username(), "tcp", u.Host
	conf.Passwd, _ = u.User.Password()
	conf.Logger = &mysql.NopLogger{}
	if socket := u.Query().Get("socket"); socket != "" {
		conf.Net, conf.Addr = "unix", socket
	}
	connector, err := mysql.NewConnector(conf)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// keeper runs the server for as long as its standard input is open. The test process holds the other end, so the kernel
// closes it when that process ends in whatever way: then the server is stopped and its folder removed.
const keeper = `
"$1" --no-defaults --datadir="$2/data" --socket="$2/socket" --pid-file="$2/pid" --skip-networking \
  --innodb-flush-log-at-trx-commit=0 --innodb-log-file-size=8M >"$2/log" 2>&1 &
server=$!
read -r _
kill -KILL $server
wait $server
rm -rf "$2"
`

// start makes a server in a temporary folder. It listens on a unix socket only, which no other process can take and no
// port has to be found for.
func start() (*server, error) {
	program, install, err := find()
	if err != nil {
		return nil, err
	}
	who, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "hivego-mariadb-") // not $TMPDIR: a socket's path has at most 107 bytes
	if err != nil {
		return nil, fmt.Errorf("make a folder for MariaDB: %w", err)
	}
	s, err := startIn(dir, program, install, who)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func startIn(dir, program, install string, who *syscall.Credential) (*server, error) {
	if who != nil {
		if err := os.Chown(dir, int(who.Uid), int(who.Gid)); err != nil {
			return nil, fmt.Errorf("give MariaDB its folder: %w", err)
		}
	}
	run := func(input io.Reader, name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stdin = dir, input
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who, Setpgid: true} // Ctrl-C reaches the test only
		return cmd
	}
	made, err := run(nil, install, "--no-defaults", "--datadir="+filepath.Join(dir, "data"), "--skip-test-db", "--skip-name-resolve",
		"--auth-root-authentication-method=normal", "--innodb-flush-log-at-trx-commit=0", "--innodb-log-file-size=8M").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w: %s", err, bytes.TrimSpace(made))
	}
	input, hold, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make the pipe that holds MariaDB: %w", err)
	}
	cmd := run(input, "/bin/sh", "-c", keeper, "sh", program, dir)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start MariaDB: %w", err)
	}
	_ = input.Close()
	u := &url.URL{
		Scheme: "mysql", User: url.User("root"), Host: "localhost", Path: "/",
		RawQuery: url.Values{"socket": {filepath.Join(dir, "socket")}}.Encode(),
	}
	if err := await(u, filepath.Join(dir, "log")); err != nil {
		return nil, errors.Join(err, hold.Close())
	}
	return &server{url: u.String(), hold: hold}, nil
}

// await tries until the server answers.
func await(u *url.URL, logged string) error {
	for end := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		err := execute(u, "SELECT 1")
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			text, _ := os.ReadFile(logged)
			return fmt.Errorf("MariaDB did not start: %w: %s", err, bytes.TrimSpace(text))
		}
	}
}

// find finds the programs. Debian keeps the server out of the PATH of everybody but root.
func find() (program, install string, err error) {
	install, err = exec.LookPath("mariadb-install-db")
	if err != nil {
		return "", "", errNone
	}
	for _, name := range []string{"mariadbd", "/usr/sbin/mariadbd", "/usr/local/sbin/mariadbd", "/usr/libexec/mariadbd"} {
		if program, err = exec.LookPath(name); err == nil {
			return program, install, nil
		}
	}
	return "", "", errNone
}

// unprivileged is who the server runs as: MariaDB refuses root. Nil is the user of the test.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"mysql", "nobody"} {
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
	return nil, errors.New("the tests run as root, which MariaDB refuses, and there is neither a user mysql nor nobody: " +
		"run them as another user, or give the URL of a server in " + EnvURL)
}
