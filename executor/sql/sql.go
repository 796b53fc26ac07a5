// Package sql is the handler that runs SQL statements on SQLite, PostgreSQL, MySQL and MariaDB, in the executor's
// process.
package sql

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/sdk"
)

//go:embed schema.json
var schema string

// Config configures the handler.
type Config struct {
	Data string // the executor's data folder
	// Protected are files and folders that no task may open: the server's database, and data folders. The handler also
	// protects Data, except the folders of the schedules in it.
	Protected []string
}

// Handler runs SQL.
type Handler struct {
	cfg   Config
	fence fence
}

var (
	_ sdk.Handler = (*Handler)(nil)
	_ sdk.Checker = (*Handler)(nil)
)

// New makes the handler.
func New(cfg Config) *Handler {
	return &Handler{cfg: cfg, fence: fence{
		protected: append(slices.Clone(cfg.Protected), cfg.Data), open: filepath.Join(cfg.Data, "workspace"),
	}}
}

// Info describes the handler.
func (h *Handler) Info() sdk.Info {
	return sdk.Info{
		Name: "sql", Title: "SQL", ParamsSchema: schema,
		Description: "Runs statements on SQLite, PostgreSQL, MySQL or MariaDB, " +
			"in one transaction unless told otherwise.",
	}
}

// params are the handler's parameters.
type params struct {
	Connection  string     `json:"connection"`
	Password    string     `json:"password"`
	Statement   string     `json:"statement"`
	File        string     `json:"file"`
	Args        bindValues `json:"args"`
	Transaction *bool      `json:"transaction"`
	Output      string     `json:"output"`
}

func read(t *sdk.Task) (params, error) {
	var p params
	if err := t.Decode(&p); err != nil {
		return p, err
	}
	if p.Connection == "" {
		return p, message.Errorf(message.SQLConnection, "params: connection is missing")
	}
	if (p.Statement == "") == (p.File == "") {
		return p, message.Errorf(message.SQLSource, "params: give either statement or file")
	}
	if p.File != "" && !filepath.IsAbs(p.File) && !filepath.IsLocal(p.File) {
		return p, message.Errorf(message.SQLFileOut,
			"params: file ‹path› leaves the schedule's folder; give an absolute path if that is meant",
			"path", p.File)
	}
	return p, p.Args.check()
}

// Check returns an error for params that can never work.
func (h *Handler) Check(t *sdk.Task) error {
	p, err := read(t)
	if err == nil && strings.Contains(p.Connection, ":") {
		err = checkInline(p.Connection)
	}
	if err == nil && p.Password != "" && !isPostgres(p.Connection) && !isMySQL(p.Connection) {
		err = errPassword
	}
	return err
}

// Limits of scripts, of the shown results, and of waits.
const (
	maxScript    = 16 << 20 // bytes
	maxRows      = 100      // of a result, in the log
	maxCell      = 200      // characters
	maxHeadline  = 120      // characters of a statement, in the log
	beginWait    = time.Minute
	beginPause   = 100 * time.Millisecond
	connectWait  = 30 * time.Second
	shownColumns = 50
)

// runner executes the statements of one task.
type runner struct {
	task   *sdk.Task
	params params
	target target
	fence  fence
	file   string // for messages
	result *firstRow
	// committed is the last statement before which MySQL has committed by itself.
	committed string
}

// firstRow is the first row of the last query.
type firstRow struct {
	columns []string
	values  []string
}

// Run runs the statements.
func (h *Handler) Run(ctx context.Context, t *sdk.Task) error {
	p, err := read(t)
	if err != nil {
		return err
	}
	script, err := h.loadScript(t, p)
	if err != nil {
		return err
	}
	target, err := h.resolve(t, p.Connection, p.Password)
	if err != nil {
		return err
	}
	statements := split(script, target.dialect)
	if len(statements) == 0 {
		return message.Errorf(message.SQLNone, "there is no statement")
	}
	r := &runner{task: t, params: p, target: target, fence: h.fence, file: p.File}
	if err := r.checkTransaction(statements); err != nil {
		return err
	}
	if err := r.number(statements); err != nil {
		return err
	}
	if target.dialect == sqlite {
		if err := h.fence.checkDatabase(target.file); err != nil {
			return target.notConnected(err)
		}
	}
	db, err := target.open()
	if err != nil {
		return target.notConnected(err)
	}
	defer db.Close()
	t.Printf("connected to %s; %s", target.description, count(len(statements)))
	if err := r.run(ctx, db, statements); err != nil {
		return err
	}
	return r.output()
}

func (r *runner) inTransaction() bool { return r.params.Transaction == nil || *r.params.Transaction }

func count(statements int) string {
	if statements == 1 {
		return "1 statement"
	}
	return fmt.Sprintf("%d statements", statements)
}

// checkTransaction returns an error for a statement that would end the transaction around all statements.
func (r *runner) checkTransaction(list []statement) error {
	if !r.inTransaction() {
		return nil
	}
	for i, s := range list {
		if len(s.words) == 0 {
			continue
		}
		switch w := s.words[0]; {
		case w == "ROLLBACK" && len(s.words) > 1 && (s.words[1] == "TO" || len(s.words) > 2 && s.words[2] == "TO"):
		case w == "BEGIN", w == "COMMIT", w == "ROLLBACK", w == "END", w == "ABORT", w == "START":
			return r.fault(i, s, fmt.Errorf("%s, but all statements run in one transaction; "+
				"leave it out, or set transaction: false", w))
		}
	}
	return nil
}

// executor runs statements: a transaction, or a connection without one.
type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (r *runner) run(ctx context.Context, db *sql.DB, list []statement) error {
	connecting, cancel := context.WithTimeout(ctx, connectWait)
	conn, err := db.Conn(connecting)
	cancel()
	if err != nil {
		return r.target.notConnected(err)
	}
	defer func() { _ = conn.Close() }()
	if r.target.dialect == mysql {
		release, err := killOnStop(ctx, db, conn)
		if err != nil {
			return r.target.notConnected(err)
		}
		defer release()
	}
	if r.target.dialect == sqlite {
		if err := r.fence.enterSQLite(ctx, conn); err != nil {
			return r.target.notConnected(err)
		}
	}
	if !r.inTransaction() {
		return r.all(ctx, conn, conn, list)
	}
	tx, err := begin(ctx, conn)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	if err := r.all(ctx, conn, tx, list); err != nil {
		_ = tx.Rollback()
		r.task.Printf("%s", r.rolledBack())
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	r.task.Printf("committed")
	return nil
}

// rolledBack makes the log line after a rollback.
func (r *runner) rolledBack() string {
	if r.committed == "" {
		return "rolled back: nothing was changed"
	}
	return fmt.Sprintf("rolled back, but MySQL had committed everything up to %s by itself", r.committed)
}

// begin begins a transaction. If another task writes the same SQLite file, begin waits for it.
func begin(ctx context.Context, conn *sql.Conn) (*sql.Tx, error) {
	for end := time.Now().Add(beginWait); ; {
		tx, err := conn.BeginTx(ctx, nil)
		if err == nil || !strings.Contains(err.Error(), "SQLITE_BUSY") || time.Now().After(end) {
			return tx, err
		}
		select {
		case <-time.After(beginPause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// all runs the statements one after another.
func (r *runner) all(ctx context.Context, conn *sql.Conn, x executor, list []statement) error {
	for i, s := range list {
		commits := r.target.dialect == mysql && r.inTransaction() && s.commitsImplicitly()
		if commits {
			r.committed = fmt.Sprintf("statement %d (%s)", i+1, s.words[0])
		}
		err := r.one(ctx, conn, x, i, len(list), s)
		if err == nil && commits { // the statement has ended the transaction
			_, err = x.ExecContext(ctx, "START TRANSACTION")
		}
		if err != nil {
			return r.fault(i, s, err)
		}
		r.task.Progress(float64(i+1) / float64(len(list)))
	}
	return nil
}

// one runs statement i of n.
func (r *runner) one(ctx context.Context, conn *sql.Conn, x executor, i, n int, s statement) error {
	text, args, err := s.prepare(r.target.dialect, r.task.Values, r.params.Args)
	if err != nil {
		return err
	}
	head := fmt.Sprintf("[%d/%d] %s", i+1, n, headline(s.text))
	if r.target.dialect == sqlite {
		return r.fence.runSQLite(conn, text, args, func() error { return r.execute(ctx, x, s, head, text, args) })
	}
	return r.execute(ctx, x, s, head, text, args)
}

func (r *runner) execute(ctx context.Context, x executor, s statement, head, text string, args []any) error {
	began := time.Now()
	if !s.returnsRows(r.target.dialect) {
		result, err := x.ExecContext(ctx, text, args...)
		if err != nil {
			r.task.Printf("%s", head)
			return err
		}
		rows, _ := result.RowsAffected()
		r.task.Printf("%s: %s, %s", head, rowCount(rows), took(began))
		return nil
	}
	rows, err := x.QueryContext(ctx, text, args...)
	if err != nil {
		r.task.Printf("%s", head)
		return err
	}
	defer rows.Close()
	r.task.Printf("%s", head)
	for more := true; more; more = rows.NextResultSet() { // a procedure may return several results
		count, err := r.print(rows)
		if err != nil {
			return err
		}
		r.task.Printf("%s, %s", rowCount(int64(count)), took(began))
	}
	return rows.Err()
}

func rowCount(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

func took(began time.Time) time.Duration { return time.Since(began).Round(time.Millisecond) }

// returnsRows reports whether a statement returns rows.
func (s statement) returnsRows(d dialect) bool {
	if s.returning || len(s.words) == 0 {
		return true
	}
	switch s.words[0] {
	case "SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN", "PRAGMA", "FETCH", "CALL":
		return true
	case "DESCRIBE", "DESC", "CHECK", "CHECKSUM", "ANALYZE", "OPTIMIZE", "REPAIR", "HELP", "EXECUTE":
		return d == mysql
	default:
		return false
	}
}

// headline returns the beginning of a statement on one line.
func headline(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > maxHeadline {
		return string([]rune(text)[:maxHeadline]) + "…"
	}
	return text
}

// fault adds the position to an error: the number of the statement, and the line in the script.
func (r *runner) fault(i int, s statement, err error) error {
	line, words := s.line, message.Of(err)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		parts := slices.DeleteFunc([]string{pg.Message, pg.Detail, pg.Hint}, func(s string) bool { return s == "" })
		words = message.Plain(strings.Join(parts, "; ") + " (SQLSTATE " + pg.Code + ")")
		if at := int(pg.Position) - 1; at > 0 && at <= utf8.RuneCountInString(s.text) {
			line += strings.Count(string([]rune(s.text)[:at]), "\n")
		}
	}
	if my, ok := errors.AsType[*driver.MySQLError](err); ok {
		text, below := mysqlFault(my)
		words, line = message.Plain(text), line+below
	}
	words = r.hide(words)
	if r.file == "" {
		return &message.Error{Text: message.Quote(message.SQLStatement,
			"statement ‹number›, line ‹line›: ‹words›", words, "number", i+1, "line", line)}
	}
	return &message.Error{Text: message.Quote(message.SQLStatementFile,
		"‹file›, statement ‹number›, line ‹line›: ‹words›", words, "file", r.file, "number", i+1, "line", line)}
}
