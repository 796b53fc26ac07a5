package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rprp/hivego/server/hive"
)

const (
	// probeEvery is how long a listening connection may be quiet before it must prove that it still gets messages.
	probeEvery = 10 * time.Second
	// probeWithin is how long that proof may take.
	probeWithin = 3 * time.Second
	// listensAfter is how long after the end of its lease a server is still taken for one that listens.
	listensAfter = time.Minute
	// probe begins a message by which a server tests its own connection. No server id has a space.
	probe = "probe "
)

// ErrNoMessages reports that the database cannot send messages between servers. Only one server can use SQLite.
var ErrNoMessages = errors.New("this database sends no messages between servers")

// Send sends a message of at most 7,900 bytes to all servers that listen, this one included. It sends nothing if no
// other server has a session.
//
// A message is not part of the transaction that it is about: PostgreSQL lets transactions with a message commit one by
// one, in all databases, and each holds its lock until the disk has the commit. A message by itself waits for no disk.
func (s *Store) Send(ctx context.Context, me, message string) error {
	if s.file != "" {
		return ErrNoMessages
	}
	return s.fault("send a message to other servers", s.send(ctx, message, "EXISTS (SELECT 1 FROM servers "+
		"WHERE id <> ? AND NOT taken AND lease_until > "+s.kind.now()+" - ?)", text(me), listensAfter.Milliseconds()))
}

func (s *Store) send(ctx context.Context, message, condition string, args ...any) error {
	_, err := s.w.NewRaw("SELECT set_config('synchronous_commit', 'off', true), pg_notify(?, ?) WHERE "+condition,
		append([]any{s.channel, text(message)}, args...)...).Exec(ctx)
	return err
}

// Listen passes messages to got until ctx ends or the connection fails. It calls ready once the connection has proved
// that it gets messages: through some poolers it does not. Both are called from this goroutine.
func (s *Store) Listen(ctx context.Context, ready func(), got func(message string)) error {
	if s.file != "" {
		return ErrNoMessages
	}
	conn, err := pgx.ConnectConfig(ctx, s.direct)
	if err != nil {
		return s.fault("listen for messages of other servers", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeWithin)
		defer cancel()
		_ = conn.Close(closing)
	}()
	limited, cancel := context.WithTimeout(ctx, probeWithin) // the server may have gone since the connection was made
	defer cancel()
	if _, err := conn.Exec(limited, "LISTEN "+quoteName(s.channel)); err != nil {
		return s.fault("listen for messages of other servers", err)
	}
	l := &listening{store: s, conn: conn, ready: ready, got: got}
	return s.fault("listen for messages of other servers", l.run(ctx))
}

// listening is one connection that gets messages.
type listening struct {
	store *Store
	conn  *pgx.Conn
	ready func()
	got   func(message string)
}

func (l *listening) run(ctx context.Context) error {
	if err := l.prove(ctx); err != nil {
		return err
	}
	l.ready()
	for {
		n, err := l.next(ctx, probeEvery)
		switch {
		case err == nil:
			l.pass(n)
		case pgconn.Timeout(err) && ctx.Err() == nil && !l.conn.IsClosed():
			if err := l.prove(ctx); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// next waits for a message.
func (l *listening) next(ctx context.Context, within time.Duration) (*pgconn.Notification, error) {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return l.conn.WaitForNotification(limited)
}

func (l *listening) pass(n *pgconn.Notification) {
	if !strings.HasPrefix(n.Payload, probe) {
		l.got(n.Payload)
	}
}

// prove sends a message over another connection, and waits until it comes. A connection that is dead without a sign, or
// that a pooler has given to somebody else, gets none.
func (l *listening) prove(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	mine := fmt.Sprintf("%s%d %d", probe, l.conn.PgConn().PID(), time.Now().UnixNano())
	if err := l.store.send(limited, mine, "TRUE"); err != nil {
		return err
	}
	for {
		n, err := l.conn.WaitForNotification(limited)
		if err != nil {
			return hive.Errorf(hive.CodeUnavailable, "the connection gets no messages; a pooler must be in the mode "+
				"session: %w", err)
		}
		if n.Payload == mine {
			return nil
		}
		l.pass(n)
	}
}
