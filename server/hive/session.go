package hive

import "time"

// Session is a person who is logged in with a browser.
type Session struct {
	ID        int64
	UserID    int64
	Hash      string // hex SHA-256 of the cookie's text; the text itself is never stored
	CreatedAt time.Time
	SeenAt    time.Time // to the minute
	IdleAt    time.Time // when it ends without use
	EndsAt    time.Time // when it ends even if it is used
	Address   string    // from where the person logged in
	Agent     string    // the user agent of their browser
}

// Live reports whether a session has not ended yet.
func (s *Session) Live(now time.Time) bool { return now.Before(s.IdleAt) && now.Before(s.EndsAt) }

// Visitor is the origin of an attempt to log in.
type Visitor struct {
	Address string // IP address of the person, as far as it can be known
	Agent   string // the user agent of their browser
	Local   bool   // the person is at the server's machine: a loopback connection, and no proxy in between
}
