package find

import (
	"bytes"
	"regexp"
	"strings"
)

// weight tells how much a line looks like the error that made an attempt fail.
type weight int

const (
	none    weight = iota
	closing        // the executor's line about the end
	noise          // written to standard error
	hint           // it mentions a failure
	follows        // an error caused by an earlier one
	fault          // an error in the form in which programs print it
	verdict        // the executor's reason to end or refuse the attempt
)

// rules describe the output of failing programs. The first rule that fits a line decides its weight.
type rules struct {
	colours *regexp.Regexp
	quiet   *regexp.Regexp // lines that mention errors and are none
	follows *regexp.Regexp
	fault   *regexp.Regexp
	hint    *regexp.Regexp
	verdict *regexp.Regexp
	well    *regexp.Regexp
	ended   *regexp.Regexp
	marks   [][]byte // a line without any of these, in lower case, fits no expression except those of the stream sys
}

func newRules() *rules {
	return &rules{
		colours: regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]?`),
		quiet:   quietLines(),
		follows: followingErrors(),
		fault:   faults(),
		hint: oneOf(
			`(?i)\b(errors?|failed|failure|fatal|exception)\b`,
			`(?i)\b(cannot|can't|could not|couldn't|unable to)\b`,
			`(?i)\b(refused|denied|aborted|timed out|killed)\b`,
		),
		verdict: oneOf(`^asked to end: `, `^not started: `),
		well:    oneOf(`^exit code 0 after [^:]*$`, `^done after `, `^succeeded`),
		ended:   oneOf(`^exit code \d`, `^ended by signal `, `^failed after `, `^refused`, `^killed `),
		marks: marks(
			"err", "exception", "fail", "fatal", "panic", "denied", "refused", "not found", "no such", "cannot",
			"can't", "could", "unable", "abort", "timed out", "kill", "curl: (", "wget: ", ": line ", "fault", "dumped",
			"interrupt", "systemexit", "caused by", "uncaught", "unhandled", "directory", "no space", "memory",
			"critical", "severe", "goroutine ", "exit ",
		),
	}
}

// oneOf compiles an expression that fits if any of the parts fits.
func oneOf(parts ...string) *regexp.Regexp {
	return regexp.MustCompile("(?:" + strings.Join(parts, ")|(?:") + ")")
}

func marks(texts ...string) [][]byte {
	out := make([][]byte, len(texts))
	for i, t := range texts {
		out[i] = []byte(t)
	}
	return out
}

func quietLines() *regexp.Regexp {
	return oneOf(
		`(?i)^(\S+ ){0,3}\[?(warn|warning|notice|info|debug|trace)\b\]?:?`,
		`^(HINT|DETAIL|CONTEXT|STATEMENT|LINE \d+):`,
		`(?i)\b(no|0|without|zero)( \w+)? (error|failure|exception)s?\b`,
		`(?i)\b(error|failure|exception)s?[ =:]+0\b`,
		`(?i)\b\w*warning: `,
		`^\+ `, // a line of sh -x
		`(?i)retry`,
	)
}

func followingErrors() *regexp.Regexp {
	return oneOf(
		`current transaction is aborted`, // PostgreSQL, of every statement after the one that failed
		`^(npm (ERR!|error))`,
		`^(g?make|ninja)(\[\d+\])?: `,
		`^(exit status|exit code|error Command failed|error: Process completed)`,
		`CalledProcessError`,
		`^(rm|rmdir|kill|mv|cp): `,
		`^Traceback \(most recent call last\)`,
		`^goroutine \d+ `,
		`(?i)^(\S+ ){0,3}(done\.|completed with \d+ error)`,
		`^During handling of the above`,
		`BUILD FAILURE`,
		`^\[ERROR\] (-> |To see|Re-run|For more|$)`,
	)
}

func faults() *regexp.Regexp {
	return oneOf(
		`^Exception in thread `,
		`^Caused by: `,
		`^panic: `,
		`^fatal error: `,
		`^fatal: `,
		`^FATAL\b`,
		`^(\S+: )?(ERROR|FATAL|PANIC): `,
		`^([A-Za-z_$][\w$]*\.)*[A-Z][\w$]*(Error|Exception|Interrupt|Exit)(:| \[|$)`, // Python, Java, Node
		`^(Uncaught |Unhandled )`,
		`^(Parse error|Runtime error|Error)\b`,
		`^error(\[\w+\])?: `,
		`^\S+: (error|fatal|Fatal|Error): `,
		`^curl: \(\d+\) `,
		`^wget: `,
		`^statement \d+, line \d+: `,
		`: (command not found|not found|Permission denied|No such file or directory|cannot execute)$`,
		`: Is a directory$`,
		`^\S+: line \d+: `, // bash
		`^\S+: \d+: \S+: `, // dash
		`\b(Database|Compilation|Runtime|Parsing|Validation|Dependency) Error\b`, // dbt
		`no such (column|table)`,
		`Segmentation fault`,
		`core dumped`,
		`OutOfMemoryError`,
		`No space left on device`,
		`Cannot allocate memory`,
		`^\[ERROR\]`,
		`^E +\S*(Error|Exception)\b`,
		`\b(ERROR|FATAL|CRITICAL|SEVERE)\b`,
	)
}

// weigh returns the weight of one line. In a traceback, the first line that is not indented is the error itself.
func (r *rules) weigh(line []byte, traceback *bool) weight {
	s, mark := parse(line)
	text := line[mark:]
	if bytes.IndexByte(text, 0x1b) >= 0 {
		text = r.colours.ReplaceAll(text, nil)
	}
	if s == sys {
		switch {
		case r.verdict.Match(text):
			return verdict
		case r.ended.Match(text) && !r.well.Match(text):
			return closing
		default:
			return none
		}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return none
	}
	indented := text[0] == ' ' || text[0] == '\t'
	switch {
	case bytes.HasPrefix(text, []byte("Traceback (most recent call last)")):
		*traceback = true
		return follows
	case *traceback && !indented:
		*traceback = false
		return fault
	}
	return r.words(bytes.TrimLeft(text, " \t"), s == bad, indented)
}

// words returns the weight of a text. An indented line belongs to a line before it.
func (r *rules) words(text []byte, loud, indented bool) weight {
	suspicious := r.suspicious(text)
	switch {
	case suspicious && r.quiet.Match(text):
		return none
	case suspicious && r.follows.Match(text):
		return follows
	case suspicious && !indented && r.fault.Match(text):
		return fault
	case suspicious && r.hint.Match(text):
		return hint
	case loud:
		return noise
	default:
		return none
	}
}

// suspicious reports whether a line may be more than noise. Most lines are not, and then the slow expressions are not
// needed.
func (r *rules) suspicious(text []byte) bool {
	text = lower(text)
	for _, w := range r.marks {
		if bytes.Contains(text, w) {
			return true
		}
	}
	return false
}

// first returns where the first line that is an error begins, or the last one; -1 if there is none.
func (r *rules) first(block []byte, last bool) int {
	at, traceback := -1, false
	for begin := 0; begin < len(block); {
		line := lineAt(block, begin)
		if w := r.weigh(line, &traceback); w >= fault {
			if at = begin; !last {
				return at
			}
		}
		begin += len(line) + 1
	}
	return at
}
