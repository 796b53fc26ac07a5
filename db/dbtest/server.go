package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rprp/hivego/e2e/keep"
)

var errNoPostgres = errors.New("the tests need PostgreSQL: install it with \"apt-get install postgresql\", " +
	"or give the URL of one in " + EnvPostgres)

// startPostgres makes a cluster in a temporary folder and starts it. It listens on a unix socket only, which no
// other process can take and no port has to be found for. Only a durable one waits for the disk: what tests kill are
// programs, never the machine.
func startPostgres(durable bool) (*server, error) {
	bin, err := findBinaries()
	if err != nil {
		return nil, err
	}
	place, err := keep.New("postgres", "postgres")
	if err != nil {
		return nil, err
	}
	s, err := start(place, bin, durable)
	if err != nil {
		return nil, errors.Join(err, place.Remove())
	}
	return s, nil
}

func start(place *keep.Place, bin string, durable bool) (*server, error) {
	data := filepath.Join(place.Dir, "data")
	err := place.Run(filepath.Join(bin, "initdb"), "--pgdata", data, "--username", "hivego",
		"--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync")
	if err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("listen_addresses = ''\nunix_socket_directories = '%s'\n"+
		"max_connections = 400\nfsync = %t\n", place.Dir, durable)
	if err := appendFile(filepath.Join(data, "postgresql.conf"), settings); err != nil {
		return nil, err
	}
	if err := place.Start("QUIT", filepath.Join(bin, "postgres"), "-D", data); err != nil {
		return nil, err
	}
	s := &server{place: place, url: (&url.URL{
		Scheme: "postgres", User: url.User("hivego"), Path: "/postgres",
		RawQuery: url.Values{"host": {place.Dir}}.Encode(),
	}).String()}
	return s, awaitServer(s.url, place)
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
func awaitServer(server string, place *keep.Place) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, server)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL did not start: %w: %s", err, place.Log())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// findBinaries returns the folder of the newest PostgreSQL: Debian's place for them, else that of initdb on the PATH.
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
