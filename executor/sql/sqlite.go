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

// openSQLite opens a file that other tasks may write at the same time. Without _txlock, a transaction that reads first
// would fail when it writes. The URI has no option that reads or writes the file, because enterSQLite must check first
// which file it is.
func openSQLite(path string) (*sql.DB, error) {
	return sql.Open("sqlite", fileURI(path)+"?_txlock=immediate")
}

func fileURI(path string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	return u.String()
}

// maxAttached is how many databases a connection may attach while an ATTACH or VACUUM statement runs.
const maxAttached = 10

// enterSQLite checks that the file of a connection is not one of HiveGo's, and then configures the connection. The
// busy_timeout, in ms, is short so that a kill need not wait long.
func (f fence) enterSQLite(ctx context.Context, conn *sql.Conn) error {
	if err := f.checkOpened(conn, "main"); err != nil {
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

// forms match the statements that open another file. Only if a statement has one of these forms, the handler knows
// before it runs which file it opens, and that no other statement follows.
type forms struct{ attach, vacuum *regexp.Regexp }

func fileForms() forms {
	const file, name = `('(?:[^']|'')*'|\?\d+)`, `"?([A-Za-z_][A-Za-z0-9_]*)"?`
	return forms{
		attach: regexp.MustCompile(`(?is)^ATTACH\s+(?:DATABASE\s+)?` + file + `\s+AS\s+` + name + `\s*$`),
		vacuum: regexp.MustCompile(`(?is)^VACUUM(?:\s+` + name + `)??(?:\s+INTO\s+` + file + `)?\s*$`),
	}
}

// runSQLite runs a statement on SQLite. Only ATTACH and VACUUM run with permission to attach databases, so that a
// statement that hides one of them in its text fails.
func (f fence) runSQLite(conn *sql.Conn, text string, args []any, run func() error) error {
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
			if err := f.checkDatabase(path); err != nil {
				return err
			}
		}
	}
	if _, err := driver.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, maxAttached); err != nil {
		return err
	}
	err := run()
	if _, limitErr := driver.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0); err == nil {
		err = limitErr
	}
	if err == nil && schema != "" {
		err = f.checkOpened(conn, schema)
	}
	return err
}

// filePath returns the path that a literal or a placeholder names. It returns "" for a database in memory.
func filePath(token string, args []any) (string, error) {
	value := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(token, "'"), "'"), "''", "'")
	if number, ok := strings.CutPrefix(token, "?"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(args) {
			return "", fmt.Errorf("there is no bind value %s", token)
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

// checkOpened returns an error if a connection has opened a file that a task must not use. It checks the open file,
// because its path may lead to another file now.
func (f fence) checkOpened(conn *sql.Conn, schema string) error {
	return conn.Raw(func(c any) error {
		fd, err := descriptor(c, schema)
		if err != nil || fd < 0 {
			return err
		}
		return f.checkDescriptor(fd)
	})
}

var errUnknownFile = errors.New("which file SQLite has opened cannot be told")

// descriptor returns the file descriptor of a database, and -1 for a database in memory. The driver does not export
// SQLite's handle, so reflection reads it. If another version of the driver has no such field, descriptor fails.
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
		return -1, nil // in memory, or a temporary file that does not exist yet
	}
	vfsName, err := control(tls, db, name, sqlite3.SQLITE_FCNTL_VFSNAME)
	if err != nil {
		return 0, err
	}
	defer sqlite3.Xsqlite3_free(tls, vfsName)
	switch vfs := libc.GoString(vfsName); {
	case strings.HasPrefix(vfs, "unix"):
		return int((*sqlite3.TunixFile)(memory(file)).Fh), nil
	case strings.HasPrefix(vfs, "memdb"):
		return -1, nil
	default:
		return 0, errUnknownFile
	}
}

// control calls sqlite3_file_control with an operation that yields a pointer.
func control(tls *libc.TLS, db, name uintptr, op int32) (uintptr, error) {
	result := libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(uintptr(0))))
	if result == 0 {
		return 0, errUnknownFile
	}
	defer libc.Xfree(tls, result)
	if rc := sqlite3.Xsqlite3_file_control(tls, db, name, op, result); rc != sqlite3.SQLITE_OK {
		return 0, errUnknownFile
	}
	return *(*uintptr)(memory(result)), nil
}

// memory converts an address in SQLite's memory to a pointer. Go's garbage collector does not manage that memory.
func memory(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) } //nolint:gosec // see above
