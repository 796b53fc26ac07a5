package sql

import (
	"strings"
)

// dialect is the SQL dialect of a database.
type dialect int

const (
	sqlite dialect = iota
	postgres
	mysql // also MariaDB
)

// statement is one statement of a script.
type statement struct {
	text      string   // without the delimiter
	line      int      // of its first word, from 1
	words     []string // its first keywords, in upper case
	returning bool     // it has the keyword RETURNING, not within quotes
	binds     []bind
}

// bind is a :name in a statement, or a placeholder of the database.
type bind struct {
	name      string // empty for a placeholder
	number    int    // of a placeholder: which value of args it stands for, from 1
	from, to  int    // byte positions in text; includes the colon
	uncertain bool   // it may be the end of an array slice, so it is a bind only if a parameter has its name
}

// maxWords limits statement.words. CREATE OR REPLACE TEMPORARY TRIGGER needs five.
const maxWords = 6

// split splits a script into statements. Semicolons in strings, quoted names, comments, dollar quotes and the bodies of
// triggers and functions do not end a statement. In MySQL, a line `DELIMITER //` changes the delimiter, like in its
// client. The last statement needs no delimiter.
func split(script string, d dialect) []statement {
	x := splitter{src: script, dialect: d, line: 1, delimiter: ";"}
	x.reset(0)
	for x.pos < len(x.src) {
		x.step()
	}
	x.end(len(x.src))
	return x.out
}

type splitter struct {
	src       string
	dialect   dialect
	delimiter string // between statements
	pos       int
	line      int
	out       []statement

	start     int // of the current statement; -1 before its first token
	startLine int
	words     []string
	returning bool
	binds     []bind
	depth     int // of BEGIN and CASE in a body
	brackets  int
}

func (x *splitter) reset(pos int) {
	x.pos, x.start, x.words, x.binds, x.depth, x.brackets, x.returning = pos, -1, nil, nil, 0, 0, false
}

// begin records the start of the current statement at its first token.
func (x *splitter) begin() {
	if x.start < 0 {
		x.start, x.startLine = x.pos, x.line
	}
}

func (x *splitter) end(pos int) {
	if x.start >= 0 {
		text := strings.TrimRight(x.src[x.start:pos], " \t\r\n")
		for i := range x.binds {
			x.binds[i].from -= x.start
			x.binds[i].to -= x.start
		}
		x.out = append(x.out,
			statement{text: text, line: x.startLine, words: x.words, returning: x.returning, binds: x.binds})
	}
	x.reset(min(pos+len(x.delimiter), len(x.src)))
}

// skip advances by n bytes.
func (x *splitter) skip(n int) {
	n = min(n, len(x.src)-x.pos)
	x.line += strings.Count(x.src[x.pos:x.pos+n], "\n")
	x.pos += n
}

// step reads one token.
func (x *splitter) step() {
	rest := x.src[x.pos:]
	c := rest[0]
	if number, length := x.placeholder(rest); length > 0 {
		x.begin()
		x.addPlaceholder(number, length)
		x.skip(length)
		return
	}
	switch n := x.space(rest); {
	case n > 0:
		x.skip(n)
	case strings.HasPrefix(rest, x.delimiter) && x.depth == 0:
		x.end(x.pos)
	case c == '\'':
		x.begin()
		x.skip(quoteEnd(rest, c, x.dialect == mysql))
	case c == '"' || c == '`' && x.dialect != postgres:
		x.begin()
		x.skip(quoteEnd(rest, c, x.dialect == mysql && c == '"'))
	case c == '[' && x.dialect == sqlite:
		x.begin()
		x.skip(bracketEnd(rest))
	case c == '$' && x.dialect == postgres:
		x.begin()
		x.skip(dollarEnd(rest))
	case c == ':':
		x.begin()
		x.colon(rest)
	case wordStart(c):
		x.begin()
		x.word(rest)
	default:
		x.begin()
		x.bracket(c)
		x.skip(numberEnd(rest))
	}
}

// space returns the length of the white space, comment or DELIMITER line at the start of rest, and 0 if there is none.
func (x *splitter) space(rest string) int {
	switch c := rest[0]; {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == ';' && x.start < 0 && x.delimiter == ";":
		return 1
	case strings.HasPrefix(rest, x.delimiter):
		return 0
	case x.dialect == mysql:
		return x.mysqlSpace(rest)
	case strings.HasPrefix(rest, "--"):
		return lineEnd(rest)
	case strings.HasPrefix(rest, "/*"):
		return commentEnd(rest, x.dialect == postgres)
	default:
		return 0
	}
}

// mysqlSpace is space for MySQL: -- begins a comment only before white space, # begins one, and /*! does not.
func (x *splitter) mysqlSpace(rest string) int {
	switch {
	case rest[0] == '#', strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
		return lineEnd(rest)
	case strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M!"):
		x.begin()
		return 3
	case strings.HasPrefix(rest, "/*"):
		return commentEnd(rest, false)
	case x.start < 0 && len(rest) > len("DELIMITER") && strings.EqualFold(rest[:len("DELIMITER")], "DELIMITER"):
		line := rest[:lineEnd(rest)]
		if words := strings.Fields(line[len("DELIMITER"):]); len(words) > 0 && line[len("DELIMITER")] <= ' ' {
			x.delimiter = words[0]
			return len(line)
		}
	}
	return 0
}

func (x *splitter) bracket(c byte) {
	switch c {
	case '[':
		x.brackets++
	case ']':
		x.brackets = max(0, x.brackets-1)
	}
}

// colon reads a bind, a cast (::) or an assignment (:=).
func (x *splitter) colon(rest string) {
	if len(rest) > 1 && (rest[1] == ':' || rest[1] == '=') {
		x.skip(2)
		return
	}
	if len(rest) < 2 || !wordStart(rest[1]) {
		x.skip(1)
		return
	}
	n := 1 + wordEnd(rest[1:])
	x.binds = append(x.binds, bind{name: rest[1:n], from: x.pos, to: x.pos + n, uncertain: x.brackets > 0})
	x.skip(n)
}

// word reads a keyword or a name, and counts the nesting of bodies.
func (x *splitter) word(rest string) {
	n := wordEnd(rest)
	if i := strings.Index(rest[:n], x.delimiter); i > 0 { // END$$
		n = i
	}
	w := strings.ToUpper(rest[:n])
	if x.dialect == postgres && n < len(rest) && rest[n] == '\'' && (w == "E" || w == "B" || w == "X" || w == "N") {
		x.skip(n + quoteEnd(rest[n:], '\'', w == "E"))
		return
	}
	if len(x.words) < maxWords {
		x.words = append(x.words, w)
	}
	x.returning = x.returning || w == "RETURNING"
	if x.hasBody() {
		switch {
		case w == "BEGIN" && (x.dialect == sqlite || strings.EqualFold(firstWord(rest[n:]), "ATOMIC")),
			w == "CASE" && x.depth > 0:
			x.depth++
		case w == "END" && x.depth > 0:
			x.depth--
		}
	}
	x.skip(n)
}

// hasBody reports whether the statement may have a body with semicolons: CREATE TRIGGER in SQLite, and CREATE FUNCTION
// and PROCEDURE with BEGIN ATOMIC in PostgreSQL.
func (x *splitter) hasBody() bool {
	if len(x.words) == 0 || x.words[0] != "CREATE" {
		return false
	}
	for _, w := range x.words {
		if w == "TRIGGER" && x.dialect == sqlite || (w == "FUNCTION" || w == "PROCEDURE") && x.dialect == postgres {
			return true
		}
	}
	return false
}

func firstWord(s string) string {
	s = strings.TrimLeft(s, " \t\r\n")
	return s[:wordEnd(s)]
}

func wordStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func wordEnd(s string) int {
	i := 0
	for i < len(s) && (wordStart(s[i]) || i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '$')) {
		i++
	}
	return i
}

// numberEnd finds the end of a number, so that the letters in 1e5 or 0x1F are not read as a word. It returns 1 for
// anything else.
func numberEnd(s string) int {
	if s[0] < '0' || s[0] > '9' {
		return 1
	}
	i := 1
	for i < len(s) &&
		(s[i] == '.' || s[i] == '_' || s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
		i++
	}
	return i
}

func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// commentEnd finds the end of /* … */. In PostgreSQL, comments may be nested.
func commentEnd(s string, nested bool) int {
	depth := 0
	for i := 0; i+1 < len(s); {
		switch {
		case s[i:i+2] == "/*" && (nested || depth == 0):
			depth++
			i += 2
		case s[i:i+2] == "*/":
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(s)
}

// quoteEnd finds the end of a quoted text. A doubled quote does not end it, and with backslash neither does \'.
func quoteEnd(s string, quote byte, backslash bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && backslash:
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

func bracketEnd(s string) int {
	if i := strings.IndexByte(s, ']'); i >= 0 {
		return i + 1
	}
	return len(s)
}

// dollarEnd finds the end of $tag$ … $tag$. It returns 1 for a $ that begins no such quote.
func dollarEnd(s string) int {
	n := 1 + wordEnd(strings.ReplaceAll(s[1:min(len(s), 130)], "$", " "))
	if n >= len(s) || s[n] != '$' {
		return 1
	}
	tag := s[:n+1]
	if i := strings.Index(s[n+1:], tag); i >= 0 {
		return n + 1 + i + len(tag)
	}
	return len(s)
}
