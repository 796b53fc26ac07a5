// Package mariadbtest gives tests a real MariaDB, which it starts itself.
package mariadbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/rprp/hivego/e2e/keep"
)

// EnvURL is the environment variable with the URL of a MariaDB or MySQL that tests use instead of starting one:
// mysql://user:password@host:port. Its user needs the right to create databases.
const EnvURL = "HIVEGO_TEST_MYSQL_URL"

var errNone = errors.New("the tests need MariaDB: install it with " +
	"\"apt-get install --no-install-recommends mariadb-server-core mariadb-client-core\", or give the URL of one in " +
	EnvURL)

// The first test of a process that needs the server starts it.
var shared = sync.OnceValues(func() (*server, error) {
	if given := os.Getenv(EnvURL); given != "" {
		return &server{url: given}, nil
	}
	return start()
})

// server is a MariaDB for tests.
type server struct {
	url   string
	place *keep.Place
}

// URL makes an empty database and returns its URL. It drops the database when the test ends. The server is the one of
// EnvURL, or it is started from the installed binaries and ends with the test process, however that ends. If neither
// exists, the test fails and says what to install.
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

// start starts a server in a temporary folder. It listens on a unix socket only, so it needs no free port.
func start() (*server, error) {
	program, install, err := find()
	if err != nil {
		return nil, err
	}
	place, err := keep.New("mariadb", "mysql")
	if err != nil {
		return nil, err
	}
	s, err := startIn(place, program, install)
	if err != nil {
		return nil, errors.Join(err, place.Remove())
	}
	return s, nil
}

func startIn(place *keep.Place, program, install string) (*server, error) {
	file := func(name string) string { return filepath.Join(place.Dir, name) }
	// Tests kill programs but never the machine, so the server need not wait for the disk.
	settings := []string{"--datadir=" + file("data"), "--innodb-flush-log-at-trx-commit=0", "--innodb-log-file-size=8M"}
	err := place.Run(install, append([]string{
		"--no-defaults", "--skip-test-db", "--skip-name-resolve", "--auth-root-authentication-method=normal",
	}, settings...)...)
	if err != nil {
		return nil, err
	}
	err = place.Start("KILL", program, append([]string{
		"--no-defaults", "--socket=" + file("socket"), "--pid-file=" + file("pid"), "--skip-networking",
	}, settings...)...)
	if err != nil {
		return nil, err
	}
	u := &url.URL{
		Scheme: "mysql", User: url.User("root"), Host: "localhost", Path: "/",
		RawQuery: url.Values{"socket": {file("socket")}}.Encode(),
	}
	return &server{url: u.String(), place: place}, await(u, place)
}

// await waits until the server answers.
func await(u *url.URL, place *keep.Place) error {
	for end := time.Now().Add(5 * time.Minute); ; <-time.After(20 * time.Millisecond) {
		err := execute(u, "SELECT 1")
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("MariaDB did not start: %w: %s", err, place.Log())
		}
	}
}

// find finds the programs. On Debian, the server is only in root's PATH.
func find() (program, install string, err error) {
	install, err = exec.LookPath("mariadb-install-db")
	if err != nil {
		return "", "", errNone
	}
	for _, name := range []string{
		"mariadbd", "/usr/sbin/mariadbd", "/usr/local/sbin/mariadbd",
		"/usr/libexec/mariadbd",
	} {
		if program, err = exec.LookPath(name); err == nil {
			return program, install, nil
		}
	}
	return "", "", errNone
}
