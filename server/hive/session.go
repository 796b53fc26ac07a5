package hive

import "time"

// Session is a person who is logged in with a browser.
type Session struct {
	ID        int64
	UserID    int64
	Hash      string // hex SHA-256 of the cookie's text; the text itself is never stored
	CreatedAt time.Time
	SeenAt    time.Time // to the minute
	IdleAt    time.Time // it ends then unless it is used before
	EndsAt    time.Time // it ends then however much it is used
	Address   string    // from where the person logged in
	Agent     string    // what their browser calls itself
}

// Live says whether a session has not ended yet.
func (s *Session) Live(now time.Time) bool { return now.Before(s.IdleAt) && now.Before(s.EndsAt) }

// Visitor is from where somebody asks to be let in.
type Visitor struct {
	Address string // IP address of the person, as far as it can be known
	Agent   string // what their browser calls itself
	Local   bool   // they sit at the server's machine: a loopback connection, and no proxy in between
}
