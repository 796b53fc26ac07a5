package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// lifeRules returns the rules of one attempt's life at a durable executor, from its receipt to its release.
func lifeRules() []rule {
	return []rule{
		{
			name: "end.times", check: endTimes,
			text: "ENDED has startedAtMillis and finishedAtMillis on the executor's clock; logBytes, if it is set, " +
				"is the size of the log",
			remedy: "set them where the work begins and ends, in milliseconds, and logBytes after the last line " +
				"or not at all",
		},
		{
			name: "end.outputs", check: endOutputs,
			text:   "ENDED has the outputs of the work, whole",
			remedy: "put all outputs into the outcome, in poll; only the reports of attach leave them out",
		},
		{
			name: "end.quiet", check: endQuiet,
			text: "after ENDED nothing of the work goes on: its log is complete and does not grow",
			remedy: "wait for the work and what it has started before you report its end; for a process, " +
				"for its process group",
		},
		{
			name: "log.lines", check: logLines,
			text:   "each line of a log has the time in UTC with milliseconds, the stream and the text",
			remedy: "write 2026-11-21T03:22:58.131Z out TEXT; streams are out, err and sys",
		},
		{
			name: "log.grows", check: logGrows,
			text:   "the log of a running attempt is not complete, and only gets longer",
			remedy: "set complete after the last line; append, and change nothing that was read before",
		},
		{
			name: "log.whole", check: logWhole,
			text:   "the log has every line that the work writes, in order",
			remedy: "read the work's output to its end before you close the log",
		},
		{
			name: "kill.late", check: killLate,
			text:   "a kill after the end changes nothing: the first outcome stays",
			remedy: "answer ENDED, and keep the outcome that is there",
		},
		{
			name: "kill.grace", check: killGraceKept,
			text:   "work that ignores the request to end is forced after the grace, and not before",
			remedy: "for a process: SIGTERM to its group, wait for graceMillis, then SIGKILL",
		},
	}
}

// wholeLifeRules returns the rule on which all others for durable executors rely.
func wholeLifeRules() []rule {
	return []rule{{
		name: wholeLife, check: lifeWhole,
		text:   "after attach and poll, work is submitted, ends, is acknowledged and released",
		remedy: "begin with this: one attempt, one server, one answer after another",
	}}
}

func lifeWhole(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	if _, err := s.poll(ctx, pollCall{}); err != nil {
		return err
	}
	id, e, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	if _, err := s.poll(ctx, pollCall{acks: []*hivego.Ack{ack(id, e.seq)}}); err != nil {
		return err
	}
	_, err = s.poll(ctx, pollCall{releases: []ref{id}})
	return err
}

// clockSlack is how far times of one clock may be apart, because each is taken at another moment.
const clockSlack = time.Second

func endTimes(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	before, err := p.describe(ctx, s.caller)
	if err != nil {
		return reported(ctx, err)
	}
	id, e, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	if err := checkTimes(e.outcome); err != nil {
		return err
	}
	after, err := p.describe(ctx, s.caller)
	if err != nil {
		return reported(ctx, err)
	}
	from, to := before.GetNowMillis()-clockSlack.Milliseconds(), after.GetNowMillis()+clockSlack.Milliseconds()
	if o := e.outcome; o.GetStartedAtMillis() < from || o.GetFinishedAtMillis() > to {
		return fmt.Errorf("the work ran between %d and %d by the clock of describe, and the outcome says %d to %d",
			before.GetNowMillis(), after.GetNowMillis(), o.GetStartedAtMillis(), o.GetFinishedAtMillis())
	}
	log, err := s.readLog(ctx, id, 0, 1)
	if err != nil {
		return err
	}
	if got := e.outcome.GetLogBytes(); e.outcome.IsSetLogBytes() && got != log.GetSize() {
		return fmt.Errorf("logBytes is %d, and the log has %d", got, log.GetSize())
	}
	return nil
}

func endOutputs(ctx context.Context, p *probe) error {
	if len(p.Work.Outputs) == 0 {
		return unchecked("name what the work puts out (--expect-output name=value)")
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	_, e, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	return p.checkOutputs(e.outcome)
}

// checkOutputs compares the outputs of an outcome with those that the work should have.
func (p *probe) checkOutputs(o *hivego.Outcome) error {
	for _, name := range slices.Sorted(maps.Keys(p.Work.Outputs)) {
		got, ok := o.GetOutputs()[name]
		if want := p.Work.Outputs[name]; !ok || got != want {
			return fmt.Errorf("output %s is %.80q, not %.80q", name, got, want)
		}
	}
	return nil
}

// pause waits for a while, or until the time of the rule is over.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return errors.New("no time is left")
	}
}

// logLine is a line of a log.
var logLine = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (out|err|sys) `)

// goodLog runs the work that succeeds, and returns the lines of its log.
func (s *session) goodLog(ctx context.Context) ([]string, error) {
	id, _, err := s.runGood(ctx)
	if err != nil {
		return nil, err
	}
	r, err := s.readLog(ctx, id, 0, maxLog)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(string(r.GetData()), "\n")
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), nil
}

func logLines(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	lines, err := s.goodLog(ctx)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return unchecked("the work writes no log")
	}
	for i, line := range lines {
		if !logLine.MatchString(line) {
			return fmt.Errorf("line %d is %.120q", i+1, line)
		}
	}
	return nil
}

func logWhole(ctx context.Context, p *probe) error {
	if len(p.Work.Lines) == 0 {
		return unchecked("name lines that the work writes (--expect-line TEXT)")
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	lines, err := s.goodLog(ctx)
	if err != nil {
		return err
	}
	for _, want := range p.Work.Lines {
		i := slices.IndexFunc(lines, func(line string) bool { return strings.HasSuffix(line, want) })
		if i < 0 {
			return fmt.Errorf("the log has no line that ends with %.80q, or not after those before it", want)
		}
		lines = lines[i+1:]
	}
	return nil
}

func logGrows(ctx context.Context, p *probe) error {
	if err := p.needLong(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, err := s.start(ctx, p.Work.Long)
	if err != nil {
		return err
	}
	var before []byte
	for range 3 {
		r, err := s.readLog(ctx, id, 0, maxLog)
		if err != nil {
			return err
		}
		if r.GetComplete() {
			return errors.New("complete is set while it runs")
		}
		if !bytes.HasPrefix(r.GetData(), before) {
			return errors.New("what was read before is not there any more")
		}
		before = r.GetData()
		if err := pause(ctx, askAgain); err != nil {
			return err
		}
	}
	return nil
}

func killLate(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, _, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	if err := s.expectKill(ctx, id, hivego.KillCode_ENDED); err != nil {
		return err
	}
	r, err := s.state(ctx, id)
	if err != nil {
		return err
	}
	if err := isKind(outcomeOf(r), hivego.OutcomeKind_SUCCESS); err != nil {
		return fmt.Errorf("to attach after a late kill %w", err)
	}
	if _, err := s.poll(ctx, pollCall{}); err != nil {
		return err
	}
	return isKind(s.ended[id].outcome, hivego.OutcomeKind_SUCCESS)
}

// The grace of kill.grace, and how long after it the work must have ended. The work itself goes on for a minute.
const (
	stubbornGrace = 4 * time.Second
	forcedWithin  = 30 * time.Second
)

// stubbornStarts returns how long stubborn work gets to begin, before it is killed. On a slow machine it may not ignore
// the request to end yet when that comes, and then ends before the grace. With more time it does not.
func stubbornStarts() []time.Duration {
	return []time.Duration{time.Second, 3 * time.Second, 9 * time.Second}
}

func killGraceKept(ctx context.Context, p *probe) error {
	if p.Work.Stubborn == "" {
		return unchecked("name params with which the work ignores the request to end (--stubborn-params-json)")
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	for _, start := range stubbornStarts() {
		took, err := s.killStubborn(ctx, start)
		switch {
		case err != nil:
			return err
		case took > stubbornGrace+forcedWithin:
			return fmt.Errorf("with a grace of %s it ended after %s", stubbornGrace, took.Round(time.Millisecond))
		case took >= stubbornGrace*3/4:
			return nil
		}
	}
	return fmt.Errorf("with a grace of %s it ended before that, each time", stubbornGrace)
}

// killStubborn starts work that ignores the request to end, lets it begin, and kills it. It returns how long the work
// took to end.
func (s *session) killStubborn(ctx context.Context, start time.Duration) (time.Duration, error) {
	id, err := s.start(ctx, s.p.Work.Stubborn)
	if err != nil {
		return 0, err
	}
	if err := pause(ctx, start); err != nil {
		return 0, err
	}
	began := time.Now()
	code, err := s.killAfter(ctx, id, stubbornGrace)
	if err != nil {
		return 0, err
	}
	if code != hivego.KillCode_KILLING {
		return 0, fmt.Errorf("kill answers %v, not %v", code, hivego.KillCode_KILLING)
	}
	e, err := s.end(ctx, id)
	if err != nil {
		return 0, err
	}
	return time.Since(began), isKind(e.outcome, hivego.OutcomeKind_KILLED)
}
