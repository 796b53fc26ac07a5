package sql

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/internal/secretfile"
	"github.com/rprp/hivego/executor/sdk"
)

// ConnectionsFile is the file in the executor's data folder with the named connections. An entry is `name: URL`.
const ConnectionsFile = "connections.yaml"

// target is the database of a task.
type target struct {
	dialect     dialect
	description string // for the log; never contains a password
	file        string // of SQLite
	open        func() (*sql.DB, error)
}

// errPassword refuses a password where there is no use for it.
var errPassword = errors.New("params: password is for a connection that is a postgres:// or mysql:// URL")

// resolve finds the database that a task names: by its URL, in the executor's own file, or else among the connections
// of the server. The password is for a URL; it may be empty.
func (h *Handler) resolve(t *sdk.Task, name, password string) (target, error) {
	if strings.Contains(name, ":") {
		return inline(t, name, password)
	}
	all, err := h.connections()
	if err != nil {
		return target{}, err
	}
	raw, ok := all[name]
	if !ok {
		c, given, err := t.Connection(name)
		if err != nil {
			return target{}, err
		}
		if raw, ok, err = addressOf(&c), given, checkType(&c); given && err != nil {
			return target{}, err
		}
	}
	if !ok {
		return target{}, message.Errorf(message.SQLConnectionUnknown,
			"connection ‹name› is neither in ‹file› of this executor nor on the server; the file has: ‹known›",
			"name", strconv.Quote(name),
			"file", ConnectionsFile, "known",
			strings.Join(append(slices.Sorted(maps.Keys(all)), "sqlite:FILE"), ", "))
	}
	x, err := parse(t, raw)
	if err != nil {
		return x, fmt.Errorf("connection %q: %w", name, err)
	}
	x.description = name + " (" + x.description + ")"
	return x, nil
}

// checkType returns an error for a connection of the server that this handler cannot use.
func checkType(c *sdk.Connection) error {
	if c.Type != "postgres" && c.Type != "mysql" && c.Type != "sqlite" {
		return message.Errorf(message.SQLConnectionType, "connection ‹name› is of type ‹type›, which sql does not know",
			"name", c.Name, "type", c.Type)
	}
	return nil
}

// addressOf returns a connection of the server as it would stand in the file of an executor.
func addressOf(c *sdk.Connection) string {
	if c.Type == "sqlite" {
		return "sqlite:" + c.Database
	}
	u := url.URL{Scheme: c.Type, Host: c.Host, Path: "/" + c.Database}
	if strings.Contains(c.Host, ":") { // IPv6
		u.Host = "[" + c.Host + "]"
	}
	if c.Port != 0 {
		u.Host = net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
	}
	switch {
	case c.Password != "":
		u.User = url.UserPassword(c.User, c.Password)
	case c.User != "":
		u.User = url.User(c.User)
	}
	options := url.Values{}
	for name, value := range c.Options {
		options.Set(name, value)
	}
	u.RawQuery = options.Encode()
	return u.String()
}

// notConnected returns the error of a connection that does not come about.
func (x *target) notConnected(err error) error {
	return message.Wrap(message.SQLConnect, "connect to ‹place›: ‹words›", err, "place", x.description)
}

// inline reads a connection that is part of the definition. It must not contain a password, which stands beside it.
func inline(t *sdk.Task, raw, password string) (target, error) {
	if err := checkInline(raw); err != nil {
		return target{}, err
	}
	if password != "" {
		u, err := url.Parse(raw)
		if err != nil {
			return target{}, message.Errorf(message.SQLConnectionURL, "connection: the URL cannot be read")
		}
		u.User = url.UserPassword(u.User.Username(), password)
		raw = u.String()
	}
	return parse(t, raw)
}

func checkInline(raw string) error {
	if path, ok := strings.CutPrefix(raw, "sqlite:"); ok {
		return checkFile(path)
	}
	if !isPostgres(raw) && !isMySQL(raw) {
		return message.Errorf(message.SQLConnectionForm,
			"connection: want sqlite:FILE, postgres://…, mysql://…, or a name from ‹file›", "file", ConnectionsFile)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return message.Errorf(message.SQLConnectionURL, "connection: the URL cannot be read")
	}
	if _, has := u.User.Password(); has || u.Query().Has("password") || u.Query().Has("sslpassword") {
		return message.Errorf(message.SQLConnectionPassword,
			"connection: a password has no place in a definition; "+
				"put the URL into ‹file› of the executor and give its name here", "file", ConnectionsFile)
	}
	return nil
}

func isPostgres(raw string) bool {
	return strings.HasPrefix(raw, "postgres://") || strings.HasPrefix(raw, "postgresql://")
}

// checkFile returns an error for a relative path that leaves the schedule's folder, and for a path that is not a file.
func checkFile(path string) error {
	if path == "" || path == ":memory:" || strings.ContainsAny(path, "\x00?#") {
		return message.Errorf(message.SQLFile, "connection: sqlite: needs the name of a file")
	}
	if !filepath.IsAbs(path) && !filepath.IsLocal(path) {
		return message.Errorf(message.SQLPathOut,
			"‹path› leaves the schedule's folder; give an absolute path if that is meant", "path", path)
	}
	return nil
}

func parse(t *sdk.Task, raw string) (target, error) {
	if path, ok := strings.CutPrefix(raw, "sqlite:"); ok {
		if err := checkFile(path); err != nil {
			return target{}, err
		}
		if !filepath.IsAbs(path) {
			dir, err := t.MakeWorkspace()
			if err != nil {
				return target{}, err
			}
			path = filepath.Join(dir, path)
		}
		return target{
			dialect: sqlite, description: "sqlite:" + path, file: path,
			open: func() (*sql.DB, error) { return openSQLite(path) },
		}, nil
	}
	if isMySQL(raw) {
		return parseMySQL(raw)
	}
	if !isPostgres(raw) {
		return target{}, errors.New("want sqlite:FILE, postgres://… or mysql://…")
	}
	conf, err := pgx.ParseConfig(raw)
	if err != nil {
		return target{}, errors.New("the URL cannot be read") // the error itself would show the URL
	}
	// In this mode the server determines the types of the bind values, and no prepared statement stays behind.
	conf.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	return target{
		dialect: postgres, description: fmt.Sprintf("postgres %s:%d/%s", conf.Host, conf.Port, conf.Database),
		open: func() (*sql.DB, error) { return stdlib.OpenDB(*conf), nil },
	}, nil
}

// connections reads the named connections. It fails if other users have access to the file, because it has passwords.
func (h *Handler) connections() (map[string]string, error) {
	data, err := secretfile.Read(h.cfg.Data, ConnectionsFile)
	if err != nil {
		return nil, err
	}
	var all map[string]string
	if err := yaml.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: want lines `name: URL`", ConnectionsFile) // the error itself could show a password
	}
	return all, nil
}
