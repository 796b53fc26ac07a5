package sql

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

const mysqlPort = "3306"

func isMySQL(raw string) bool {
	return strings.HasPrefix(raw, "mysql://") || strings.HasPrefix(raw, "mariadb://")
}

// parseMySQL reads mysql://user:password@host:port/database. Its query may have socket (a path instead of host and
// port), tls (true, skip-verify, preferred) and timezone (of the session, such as +08:00).
func parseMySQL(raw string) (target, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return target{}, errors.New("the URL cannot be read") // the error itself would show the URL
	}
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return target{}, errors.New("what stands after the question mark of the URL cannot be read")
	}
	conf := driver.NewConfig()
	conf.User, conf.Net = u.User.Username(), "tcp"
	conf.Addr = net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), mysqlPort))
	conf.Passwd, _ = u.User.Password()
	conf.DBName = strings.TrimPrefix(u.Path, "/")
	conf.Timeout = connectWait
	conf.Logger = &driver.NopLogger{} // all problems are in the returned errors
	address := conf.Addr
	for name, values := range options {
		value := values[0]
		switch name {
		case "socket":
			conf.Net, conf.Addr, address = "unix", value, value
		case "tls":
			if !slices.Contains([]string{"true", "false", "skip-verify", "preferred"}, value) {
				return target{}, errors.New("tls: want true, false, skip-verify or preferred")
			}
			conf.TLSConfig = value
		case "timezone":
			if !timezone.MatchString(value) {
				return target{}, errors.New("timezone: want a zone such as +08:00 or Asia/Shanghai")
			}
			conf.Params = map[string]string{"time_zone": "'" + value + "'"}
		default:
			return target{}, fmt.Errorf("the URL has %q after its question mark; it takes socket, tls and timezone",
				name)
		}
	}
	connector, err := driver.NewConnector(conf)
	if err != nil {
		return target{}, errors.New("the URL cannot be used: check user, host and database")
	}
	return target{
		dialect: mysql, description: "mysql " + address + "/" + conf.DBName,
		open: func() (*sql.DB, error) { return sql.OpenDB(connector), nil },
	}, nil
}

// timezone matches the allowed values of a session's time_zone. The value becomes part of a statement.
var timezone = regexp.MustCompile(`^[A-Za-z0-9_+:/-]+$`)

// killTimeout limits the call that ends a connection on the server.
const killTimeout = 10 * time.Second

// killOnStop ends a connection on the server when ctx ends. The driver by itself would only close the socket, and the
// server would go on with the statement. The caller calls release when it does not use the connection any more.
func killOnStop(ctx context.Context, db *sql.DB, conn *sql.Conn) (release func(), err error) {
	var id int64
	if err := conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		return nil, err
	}
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killTimeout)
		defer cancel()
		// an error means that the connection has ended already
		_, _ = db.ExecContext(ctx, "KILL CONNECTION "+strconv.FormatInt(id, 10))
	})
	return func() {
		if !stop() {
			<-killed
		}
	}, nil
}

// commitsImplicitly reports whether MySQL commits by itself before this statement, so that the statements before it
// cannot be rolled back.
func (s statement) commitsImplicitly() bool {
	if len(s.words) == 0 {
		return false
	}
	switch s.words[0] {
	case "CREATE", "DROP":
		return len(s.words) < 2 || s.words[1] != "TEMPORARY" && (len(s.words) < 4 || s.words[3] != "TEMPORARY")
	case "ALTER", "RENAME", "TRUNCATE", "GRANT", "REVOKE", "LOCK", "UNLOCK", "INSTALL", "UNINSTALL", "ANALYZE",
		"OPTIMIZE", "REPAIR":
		return true
	default:
		return false
	}
}

var atLine = regexp.MustCompile(` at line ([0-9]+)$`)

// mysqlFault returns the text of an error of MySQL, and its line relative to the first line of the statement.
func mysqlFault(err *driver.MySQLError) (text string, line int) {
	message := err.Message
	if m := atLine.FindStringSubmatch(message); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			line, message = n-1, strings.TrimSuffix(message, m[0])
		}
	}
	return fmt.Sprintf("%s (error %d, SQLSTATE %s)", message, err.Number, err.SQLState[:]), line
}
