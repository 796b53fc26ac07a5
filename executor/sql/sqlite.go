package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unsafe"

	"modernc.org/libc"
	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// openSQLite opens a file that other tasks may write at the same time. _txlock: without it a transaction that reads
// first fails when it writes. Nothing that reads or writes the file stands here: enterSQLite looks first which file it
// is.
func openSQLite(path string) (*sql.DB, error) {
	return sql.Open("sqlite", fileURI(path)+"?_txlock=immediate")
}

func fileURI(path string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	return u.String()
}

// attachable are how many databases a connection may attach while a statement runs that may do so.
const attachable = 10

// enterSQLite makes a connection ready, once it is known that its file is none of HiveGo's. busy_timeout is in ms, and
// short so that a kill is not kept waiting.
func (f fence) enterSQLite(ctx context.Context, conn *sql.Conn) error {
	if err := f.opened(conn, "main"); err != nil {
		return err
	}
	if _, err := driver.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, "PRAGMA busy_timeout(2000)")
	if err == nil {
		_, err = conn.ExecContext(ctx, "PRAGMA journal_mode(WAL)")
	}
	return err
}

// forms are the statements that open another file. Only in these forms it is known beforehand which one, and that the
// text has nothing after it.
type forms struct{ attach, vacuum *regexp.Regexp }

func fileForms() forms {
	const file, name = `('(?:[^']|'')*'|\?\d+)`, `"?([A-Za-z_][A-Za-z0-9_]*)"?`
	return forms{
		attach: regexp.MustCompile(`(?is)^ATTACH\s+(?:DATABASE\s+)?` + file + `\s+AS\s+` + name + `\s*$`),
		vacuum: regexp.MustCompile(`(?is)^VACUUM(?:\s+` + name + `)??(?:\s+INTO\s+` + file + `)?\s*$`),
	}
}

// around runs a statement on SQLite. All but ATTACH and VACUUM runs with a limit of no attached databases, so that
// neither does, whatever the text hides.
func (f fence) around(conn *sql.Conn, text string, args []any, run func() error) error {
	word, _, _ := strings.Cut(strings.ToUpper(strings.Join(strings.Fields(text), " ")), " ")
	if word != "ATTACH" && word != "VACUUM" {
		return run()
	}
	var schema, file string
	if m := fileForms().attach.FindStringSubmatch(text); m != nil {
		file, schema = m[1], m[2]
	} else if m := fileForms().vacuum.FindStringSubmatch(text); m != nil {
		file = m[2]
	} else {
		return fmt.Errorf("%s: write ATTACH 'FILE' AS name, VACUUM, or VACUUM INTO 'FILE', "+
			"where :parameter may stand for 'FILE'; "+
			"anything else is refused, since it must be known beforehand which file is meant",
			word)
	}
	if file != "" {
		path, err := filePath(file, args)
		if err != nil {
			return err
		}
		if path != "" {
			if err := f.database(path); err != nil {
				return err
			}
		}
	}
	if _, err := driver.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, attachable); err != nil {
		return err
	}
	err := run()
	if _, again := driver.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0); err == nil {
		err = again
	}
	if err == nil && schema != "" {
		err = f.opened(conn, schema)
	}
	return err
}

// filePath is the path that a literal or a bind value names; "" for a database in memory.
func filePath(word string, args []any) (string, error) {
	value := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(word, "'"), "'"), "''", "'")
	if number, ok := strings.CutPrefix(word, "?"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(args) {
			return "", fmt.Errorf("there is no bind value %s", word)
		}
		value, ok = args[n-1].(string)
		if !ok {
			return "", errors.New("the name of the file is no text")
		}
	}
	if !strings.HasPrefix(value, "file:") {
		if value == ":memory:" {
			value = ""
		}
		return value, nil
	}
	u, err := url.Parse(value)
	if err != nil {
		return "", fmt.Errorf("the file's URI cannot be read: %w", err)
	}
	path := u.Path
	if u.Opaque != "" {
		path, err = url.PathUnescape(u.Opaque)
	}
	if path == ":memory:" {
		path = ""
	}
	return path, err
}

// opened refuses the file that a database of a connection has open: the open one, and not what its path leads to by
// now.
func (f fence) opened(conn *sql.Conn, schema string) error {
	return conn.Raw(func(c any) error {
		fd, err := descriptor(c, schema)
		if err != nil || fd < 0 {
			return err
		}
		return f.descriptor(fd)
	})
}

var errUnknownFile = errors.New("which file SQLite has opened cannot be told")

// descriptor is that of a database's file; -1 for a database in memory. The driver keeps SQLite's handle to itself, so
// it is read by reflection: a driver that names it otherwise gets no connection.
func descriptor(c any, schema string) (int, error) {
	v := reflect.Indirect(reflect.ValueOf(c))
	if v.Kind() != reflect.Struct {
		return 0, errUnknownFile
	}
	field := v.FieldByName("db")
	if !field.IsValid() || field.Kind() != reflect.Uintptr || field.Uint() == 0 {
		return 0, errUnknownFile
	}
	db, tls := uintptr(field.Uint()), libc.NewTLS()
	defer tls.Close()
	name, err := libc.CString(schema)
	if err != nil {
		return 0, err
	}
	defer libc.Xfree(tls, name)
	file, err := control(tls, db, name, sqlite3.SQLITE_FCNTL_FILE_POINTER)
	if err != nil {
		return 0, err
	}
	if file == 0 || (*sqlite3.Tsqlite3_file)(memory(file)).FpMethods == 0 {
		return -1, nil // in memory, or a temporary file that is not there yet
	}
	word, err := control(tls, db, name, sqlite3.SQLITE_FCNTL_VFSNAME)
	if err != nil {
		return 0, err
	}
	defer sqlite3.Xsqlite3_free(tls, word)
	switch vfs := libc.GoString(word); {
	case strings.HasPrefix(vfs, "unix"):
		return int((*sqlite3.TunixFile)(memory(file)).Fh), nil
	case strings.HasPrefix(vfs, "memdb"):
		return -1, nil
	default:
		return 0, errUnknownFile
	}
}

// control asks SQLite for a pointer.
func control(tls *libc.TLS, db, name uintptr, op int32) (uintptr, error) {
	place := libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(uintptr(0))))
	if place == 0 {
		return 0, errUnknownFile
	}
	defer libc.Xfree(tls, place)
	if rc := sqlite3.Xsqlite3_file_control(tls, db, name, op, place); rc != sqlite3.SQLITE_OK {
		return 0, errUnknownFile
	}
	return *(*uintptr)(memory(place)), nil
}

// memory is SQLite's own memory, which Go's collector neither moves nor frees.
func memory(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) } //nolint:gosec // see above
