package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Level is how bad a finding is.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warning Level = "warning" // it works, and a person should look at it
	Fault   Level = "fault"   // it does not work, or not for long
)

// Check is what a finding is about.
type Check string

// The checks, in their order.
const (
	Configuration Check = "configuration"
	ServerCheck   Check = "server"
	Clock         Check = "clock"
	DiskCheck     Check = "disk"
	LogStoreCheck Check = "log store"
	DatabaseCheck Check = "database"
	Executors     Check = "executors"
	Traces        Check = "traces"
	Versions      Check = "versions"
)

// Finding is one line of the answer.
type Finding struct {
	Check  Check  `json:"check"`
	Level  Level  `json:"level"`
	Words  string `json:"words"`
	Remedy string `json:"remedy,omitempty"`
}

// Limits of the judgements.
const (
	warnOffset    = time.Second      // between two clocks
	faultOffset   = 10 * time.Second // the ticker trusts a clock as far as that
	warnFree      = 5                // percent of a disk
	faultFree     = 1
	warnFreeBytes = 1 << 30
	leastFree     = 64 << 20
	certWarning   = 30 * 24 * time.Hour
)

// Judge judges all facts. The findings are in the order of the checks.
func Judge(f *Facts) []Finding {
	j := &judge{facts: f}
	j.configuration()
	j.server()
	j.clock()
	j.disk()
	j.logStore()
	j.database()
	j.executors()
	j.traces()
	j.versions()
	return j.findings
}

// Worst returns the worst level of findings.
func Worst(findings []Finding) Level {
	worst := OK
	for _, f := range findings {
		if f.Level == Fault || f.Level == Warning && worst == OK {
			worst = f.Level
		}
	}
	return worst
}

type judge struct {
	facts    *Facts
	findings []Finding
}

func (j *judge) add(c Check, l Level, words, remedy string) {
	j.findings = append(j.findings, Finding{Check: c, Level: l, Words: words, Remedy: remedy})
}

func (j *judge) configuration() {
	f, before := j.facts, len(j.findings)
	for _, sentence := range f.Refused {
		words, remedy := apart(sentence)
		j.add(Configuration, Fault, words, remedy)
	}
	for _, sentence := range f.Warnings {
		words, remedy := apart(sentence)
		j.add(Configuration, Warning, words, remedy)
	}
	for _, c := range f.Certificates {
		switch left := c.Ends.Sub(f.Now); {
		case c.Err != nil:
			j.add(Configuration, Fault, fmt.Sprintf("%s cannot be used: %v", c.File, c.Err),
				"make another one with `hivego certs`, or name the right files")
		case left <= 0:
			j.add(Configuration, Fault, fmt.Sprintf("the certificate %s has ended on %s", c.File, day(c.Ends)),
				"make another one with `hivego certs`, and start the server again")
		case left < certWarning:
			j.add(Configuration, Warning, fmt.Sprintf("the certificate %s ends on %s", c.File, day(c.Ends)),
				"make another one with `hivego certs` before, and start the server again")
		}
	}
	if k := f.Key; k != nil && k.Err != nil {
		remedy := "put the right key at " + k.Path + ", or name it with --secret-key"
		if k.Listed {
			remedy = "let --secret-key-command or HIVEGO_SEALING_KEY give the right key"
		}
		j.add(Configuration, Fault, k.Err.Error(), remedy)
	}
	if len(j.findings) == before {
		j.add(Configuration, OK, f.Place, "")
	}
}

// apart separates the remedy from a sentence about a setting, which has it after a semicolon.
func apart(sentence string) (words, remedy string) {
	words, remedy, found := strings.Cut(sentence, "; ")
	if !found {
		remedy = "correct the setting; `hivego config print` shows where each comes from"
	}
	return words, remedy
}

func (j *judge) server() {
	s := j.facts.Server
	switch {
	case s == nil:
	case s.Running && s.Err != nil:
		j.add(ServerCheck, Fault, fmt.Sprintf("a server uses the data folder, and %s does not answer: %v", s.URL,
			s.Err),
			"give doctor the settings of that server (--listen, --config); if they are, read its log")
	case s.Running && len(s.Failing) > 0:
		j.add(ServerCheck, Fault, "the server at "+s.URL+" is not ready: "+strings.Join(s.Failing, "; "),
			"the other lines and its log have the reason")
	case s.Running:
		j.add(ServerCheck, OK, "the server at "+s.URL+" is ready", "")
	case s.Err != nil:
		j.add(ServerCheck, Fault, fmt.Sprintf("no server runs, and none can listen at %s: %v", s.URL, s.Err),
			"stop the program that listens there, or choose another --listen")
	default:
		j.add(ServerCheck, OK, "no server runs on this data folder; "+s.URL+" is free for one", "")
	}
}

func (j *judge) clock() {
	f, before := j.facts, len(j.findings)
	const sync = "keep the clocks of both machines right, for example with chrony"
	var far time.Duration
	if d := f.Database; d != nil && d.Err == nil {
		j.offset("the database", d.Offset, sync)
		far = d.Offset.Abs()
		if d.Ahead > 0 {
			j.add(Clock, Fault, fmt.Sprintf("decisions about ticks are later than this machine's clock, in %s",
				counted(d.Ahead, "schedule")),
				"put the clock right. If it is: it was ahead before, and these schedules go on at that time")
		}
	}
	for i := range f.Executors {
		if e := &f.Executors[i]; e.Err == nil && e.OffsetKnown {
			j.offset("executor "+e.Name, e.Offset, sync)
			far = max(far, e.Offset.Abs())
		}
	}
	if len(j.findings) == before {
		words := f.Now.UTC().Format(time.RFC3339)
		if far >= time.Millisecond {
			words += fmt.Sprintf(", at most %s from the clocks of the database and the executors",
				far.Round(time.Millisecond))
		}
		if f.Unsynchronized { // in a container, the machine around it may do so
			words += "; the system does not say that anything keeps it right, as chrony does"
		}
		j.add(Clock, OK, words, "")
	}
}

// offset judges how far this machine's clock is from another one.
func (j *judge) offset(whose string, d time.Duration, remedy string) {
	level := Warning
	switch {
	case d.Abs() < warnOffset:
		return
	case d.Abs() >= faultOffset:
		level = Fault
	}
	direction := "ahead of"
	if d < 0 {
		direction = "behind"
	}
	j.add(Clock, level, fmt.Sprintf("the clock of this machine is %s %s that of %s",
		d.Abs().Round(time.Millisecond), direction, whose), remedy)
}

func (j *judge) disk() {
	for _, f := range j.facts.Folders {
		free := ""
		if f.Total > 0 {
			free = fmt.Sprintf("%s of %s are free for %s in %s", size(f.Free), size(f.Total), f.Name, f.Path)
		}
		room := "make room, or move the folder to a larger disk"
		switch {
		case f.Missing:
			j.add(DiskCheck, Warning, "there is no folder "+f.Path+" for "+f.Name,
				"the first start of the server makes it; if there was one, name the right --data")
		case f.Err != nil:
			j.add(DiskCheck, Fault, fmt.Sprintf("nothing can be written for %s in %s: %v", f.Name, f.Path, f.Err),
				"make room, and give the folder to the user that the server runs as")
		case f.Total == 0:
			j.add(DiskCheck, Warning, fmt.Sprintf("the disk of %s cannot be measured", f.Path), "look at it with df")
		case f.Free < leastFree || f.Free*100 < f.Total*faultFree:
			j.add(DiskCheck, Fault, "only "+free, room)
		case f.Free < warnFreeBytes || f.Free*100 < f.Total*warnFree:
			j.add(DiskCheck, Warning, "only "+free, room)
		default:
			j.add(DiskCheck, OK, free, "")
		}
	}
}

func (j *judge) logStore() {
	s := j.facts.LogStore
	switch {
	case s == nil:
	case s.Err != nil:
		words, remedy := apart(strings.TrimPrefix(s.Err.Error(), "the store of logs, "))
		j.add(LogStoreCheck, Fault, words, remedy)
	case s.Overdue > 0:
		j.add(LogStoreCheck, Warning, fmt.Sprintf("%s is well, and %s in the folder should have moved there long ago",
			s.Place, counted(s.Overdue, "log")), "read the server's log; does it run with the same --logs-s3?")
	default:
		j.add(LogStoreCheck, OK, "logs can be stored, read and deleted in "+s.Place, "")
	}
}

func (j *judge) database() {
	d := j.facts.Database
	switch {
	case d == nil:
		return
	case d.Err != nil:
		j.add(DatabaseCheck, Fault, "it cannot be used: "+strings.TrimPrefix(d.Err.Error(), "open the database: "),
			"does it run, and are --database-url, user and password right? In a new data folder, the first start "+
				"makes it")
		return
	}
	words := fmt.Sprintf("%s, schema version %d", d.Product, d.Have)
	switch {
	case d.Have == 0:
		j.add(DatabaseCheck, Warning, d.Product+", an empty database",
			"the first start of the server makes its tables; if there was one, name the right --database-url")
		return
	case d.Have > d.Want:
		j.add(DatabaseCheck, Fault, fmt.Sprintf("%s; this hivego knows %d only", words, d.Want),
			"start the newer hivego that has changed it")
		return
	case d.Have < d.Want:
		j.add(DatabaseCheck, Warning, fmt.Sprintf("%s; this hivego has %d", words, d.Want),
			"back it up; the next start of this hivego brings it up to date")
		return
	case d.Write != nil:
		j.add(DatabaseCheck, Fault, words+"; nothing can be stored: "+d.Write.Error(),
			"make room on its disk, and see that it is neither read-only nor a standby")
		return
	}
	j.add(DatabaseCheck, OK, words+", writable", "")
}

func (j *judge) executors() {
	list := j.facts.Executors
	if !j.facts.Called {
		j.add(Executors, Warning, "they were not called; see the lines above", "correct that, and run doctor again")
		return
	}
	running := j.facts.Server != nil && j.facts.Server.Running
	var well []string
	for i := range list {
		e := &list[i]
		switch {
		case e.Err == nil:
			well = append(well, e.Name)
		case e.Inside && !running:
			well = append(well, e.Name+" (starts with the server)")
		case e.Offline:
			j.add(Executors, Warning, fmt.Sprintf("%s is offline by hand, and does not answer: %v", e.Name, e.Err),
				"`hivego executors delete "+e.Name+"` if it does not come back")
		case !e.Durable:
			j.add(Executors, Warning, fmt.Sprintf("%s does not answer: %v", e.Name, e.Err),
				"an executor that only offers run answers nothing else while it works; otherwise start it")
		default:
			j.add(Executors, Fault, fmt.Sprintf("%s does not answer at %s: %v", e.Name, e.Address, e.Err),
				"start it, and let this machine reach it; `hivego executors delete "+e.Name+
					"` if it does not come back")
		}
	}
	switch {
	case len(list) == 0:
		j.add(Executors, Warning, "no executor is known, so nothing can run",
			"start the server without --no-executor, or `hivego executor` beside it")
	case len(well) > 0:
		j.add(Executors, OK, "reachable: "+strings.Join(well, ", "), "")
	}
}

// traces judges the collector. Without it batches go on, so it is no fault.
func (j *judge) traces() {
	switch c := j.facts.Collector; {
	case c == nil:
	case c.Err != nil:
		j.add(Traces, Warning, fmt.Sprintf("the collector at %s does not take spans: %v", c.URL, c.Err),
			"start the collector, or correct --otlp-endpoint; it needs OTLP over HTTP, usually at port 4318")
	default:
		j.add(Traces, OK, "the collector at "+c.URL+" takes spans", "")
	}
}

func (j *judge) versions() {
	f := j.facts
	var others []string
	for i := range f.Servers {
		if s := &f.Servers[i]; s.Version != f.Version {
			others = append(others, fmt.Sprintf("the server at %s is %s", s.Address, cmp.Or(s.Version,
				"of no version")))
		}
	}
	var executors []string
	for i := range f.Executors {
		if e := &f.Executors[i]; e.Version != "" && e.Version != f.Version && !e.Inside {
			executors = append(executors, e.Name+" is "+e.Version)
		}
	}
	words := "this hivego is " + f.Version
	if len(executors) > 0 {
		slices.Sort(executors)
		words += "; executors: " + strings.Join(executors, ", ")
	}
	if len(others) > 0 {
		j.add(Versions, Warning, words+"; "+strings.Join(others, ", "),
			"run the same version everywhere; start servers again after an upgrade")
		return
	}
	j.add(Versions, OK, words, "")
}

// counted writes a number of things.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// size writes a number of bytes for people.
func size(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	default:
		return fmt.Sprintf("%d MiB", n>>20)
	}
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
