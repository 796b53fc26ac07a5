package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// restartRules returns the rules of crashes, freezes and stops. They need a program that the check starts itself.
func restartRules() []rule {
	return []rule{
		{
			name: "restart.identity", check: restartIdentity,
			text:   "after kill -9 it starts again, with work in its journal, the same executorId and another bootId",
			remedy: "keep executorId in a file, make bootId at each start, and test the replay of every record",
		},
		{
			name: "restart.started", check: restartStarted, after: []string{"restart.identity"},
			text:   "what was answered STARTED is known after kill -9",
			remedy: "write the attempt down and flush before you answer",
		},
		{
			name: "restart.running", check: restartRunning, after: []string{"restart.identity"},
			text: "what ran at a kill -9 is RUNNING, ENDED or LOST, as the same start of it, and a repeated " +
				"submit starts nothing",
			remedy: "report as LOST what died with the former boot; begin no work at a replay",
		},
		{
			name: "restart.ended", check: restartEnded, after: []string{"restart.identity", "poll.repeats"},
			text:   "an end that was not acknowledged is reported after kill -9, with its seq, outputs and log",
			remedy: "write the outcome down before you report it; keep log and outcome until the release",
		},
		{
			name: "restart.tombstones", check: restartTombstones,
			after: []string{"restart.identity", "release.forgets"},
			text:  "tombstones outlive a kill -9, and what was released does not start again",
			remedy: "write a tombstone down before you answer; keep an attempt in the journal until its release " +
				"is there",
		},
		{
			name: "restart.epochs", check: restartEpochs, after: []string{"restart.identity", "epoch.call"},
			text:   "epochs and the cluster outlive a kill -9",
			remedy: "write the highest epoch of each server, and the cluster, down before you answer",
		},
		{
			name: "restart.answers", check: restartAnswers, after: []string{"restart.identity"},
			text:   "numbers of answers grow over a kill -9",
			remedy: "begin each boot above all numbers before, for example with the clock's microseconds",
		},
		{
			name: "freeze.lease", check: freezeLease, after: []string{"lease.passed"},
			text:   "leases pass while the executor is frozen, and it starts nothing when it thaws",
			remedy: "compare with the monotonic clock at each call and before each kill; count no ticks",
		},
		{
			name: "drain.refuses", check: drainRefuses, after: []string{"restart.identity"},
			text:   "after SIGTERM it ends or says draining, and accepts nothing while it does",
			remedy: "set load.draining, answer DRAINING, and exit when the work has ended or can go on without you",
		},
	}
}

// needStart returns an unchecked error if the check did not start the executor.
func (p *probe) needStart() error {
	if p.program == nil {
		return unchecked("say how to start it (--start CMD)")
	}
	return nil
}

// restarted kills the executor, starts it again, and connects as the same server.
func (s *session) restarted(ctx context.Context) error {
	if err := s.p.program.restart(ctx); err != nil {
		return err
	}
	return s.reconnect(ctx)
}

func (s *session) reconnect(ctx context.Context) error {
	s.link.close()
	l, err := s.p.open(ctx)
	if err != nil {
		return err
	}
	s.link, s.last = l, 0
	d, err := s.p.describe(ctx, s.caller)
	if err != nil {
		return reported(ctx, err)
	}
	s.p.described = d
	return nil
}

func restartIdentity(ctx context.Context, p *probe) error {
	if err := p.needStart(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	if _, err := s.start(ctx, p.lasting()); err != nil {
		return err
	}
	before := p.described
	if err := s.restarted(ctx); err != nil {
		return err
	}
	if from, to := before.GetExecutorId(), p.described.GetExecutorId(); from != to {
		return fmt.Errorf("executorId was %q, and is %q after a restart", from, to)
	}
	if before.GetBootId() == p.described.GetBootId() {
		return fmt.Errorf("bootId is %q before and after a restart", before.GetBootId())
	}
	_, err = s.attach(ctx)
	return err
}

func restartStarted(ctx context.Context, p *probe) error {
	if err := p.needStart(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, err := s.start(ctx, p.lasting())
	if err != nil {
		return err
	}
	if err := s.restarted(ctx); err != nil {
		return err
	}
	_, err = s.survivor(ctx, id)
	return err
}

// survivor returns the report of an attempt that was accepted before a restart.
func (s *session) survivor(ctx context.Context, id ref) (*hivego.AttemptReport, error) {
	r, err := s.state(ctx, id)
	if err != nil {
		return nil, err
	}
	switch r.GetState() {
	case hivego.AttemptState_RUNNING, hivego.AttemptState_ENDED, hivego.AttemptState_LOST:
		return r, nil
	default:
		delete(s.ours, id)
		return nil, fmt.Errorf("it was answered STARTED, and attach says %v after kill -9", r.GetState())
	}
}

// restartGap is how long work runs before the executor is killed.
const restartGap = 800 * time.Millisecond

func restartRunning(ctx context.Context, p *probe) error {
	if err := p.needStart(); err != nil {
		return err
	}
	if err := p.needLong(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	a := p.assignment(p.Work.Long)
	id := refOf(a)
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED); err != nil {
		return err
	}
	if err := pause(ctx, restartGap); err != nil { // another start of the work would be later by this
		return err
	}
	before, err := s.state(ctx, id)
	if err != nil {
		return err
	}
	if err := s.restarted(ctx); err != nil {
		return err
	}
	for range 2 {
		r, err := s.survivor(ctx, id)
		if err != nil {
			return err
		}
		from, to := before.GetStartedAtMillis(), r.GetStartedAtMillis()
		if from != 0 && to > from+restartGap.Milliseconds()/2 {
			return fmt.Errorf("its work was started at %d, and again at %d", from, to)
		}
		if r.GetState() == hivego.AttemptState_LOST {
			if err := s.lost(ctx, id); err != nil {
				return err
			}
		}
		if _, err := s.poll(ctx, pollCall{}); err != nil {
			return err
		}
		if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED); err != nil {
			return fmt.Errorf("a repeated submit after a restart: %w", err)
		}
	}
	return nil
}

// lost checks that polls report the end of an attempt that attach says is lost.
func (s *session) lost(ctx context.Context, id ref) error {
	e, err := s.end(ctx, id)
	if err != nil {
		return err
	}
	return isKind(e.outcome, hivego.OutcomeKind_LOST)
}

func restartEnded(ctx context.Context, p *probe) error {
	if err := p.needStart(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id, e, err := s.runGood(ctx)
	if err != nil {
		return err
	}
	log, err := s.readLog(ctx, id, 0, maxLog)
	if err != nil {
		return err
	}
	if err := s.restarted(ctx); err != nil {
		return err
	}
	if _, err := s.survivor(ctx, id); err != nil {
		return err
	}
	delete(s.ended, id)
	for range 3 {
		if _, err := s.poll(ctx, pollCall{wait: pollWait}); err != nil {
			return err
		}
	}
	again, ok := s.ended[id]
	switch {
	case !ok:
		return errors.New("its end was not acknowledged, and no poll reports it after kill -9")
	case again.seq != e.seq:
		return fmt.Errorf("its ENDED had seq %d, and has %d after kill -9", e.seq, again.seq)
	case !maps.Equal(again.outcome.GetOutputs(), e.outcome.GetOutputs()):
		return errors.New("its ENDED has other outputs after kill -9")
	}
	if err := isKind(again.outcome, hivego.OutcomeKind_SUCCESS); err != nil {
		return err
	}
	after, err := s.readLog(ctx, id, 0, maxLog)
	if err != nil {
		return err
	}
	if !bytes.Equal(log.GetData(), after.GetData()) || !after.GetComplete() {
		return errors.New("its log is not the same after kill -9")
	}
	return nil
}

func restartEpochs(ctx context.Context, p *probe) error {
	if err := p.needStart(); err != nil {
		return err
	}
	old, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer func() { old.link.close() }()
	later, err := old.next(ctx, old.caller.GetServerId())
	if err != nil {
		return err
	}
	defer later.finish()
	if _, err := later.attach(ctx); err != nil {
		return err
	}
	if err := p.program.kill(); err != nil {
		return err
	}
	other, answered := *later.caller, false
	other.ClusterId = new(p.Cluster + "-other")
	err = p.program.startAnd(ctx, func(ctx context.Context) error {
		_, err := p.describe(ctx, &other)
		if answered = err == nil; isA[*hivego.AccessDenied](err) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	if answered {
		return errors.New("the first call after kill -9 was one of another cluster, and it was answered")
	}
	if err := later.reconnect(ctx); err != nil {
		return err
	}
	if err := old.reconnect(ctx); err != nil {
		return err
	}
	return old.checkStale(ctx, old.caller)
}

func restartAnswers(ctx context.Context, p *probe) error {
	if err := p.needStart(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	for range 3 {
		if _, err := s.poll(ctx, pollCall{}); err != nil {
			return err
		}
	}
	before := s.last
	if err := s.restarted(ctx); err != nil {
		return err
	}
	if _, err := s.attach(ctx); err != nil {
		return err
	}
	r, err := s.poll(ctx, pollCall{})
	if err != nil {
		return err
	}
	if r.GetAnswer() <= before {
		return fmt.Errorf("an answer has number %d, after %d before a restart", r.GetAnswer(), before)
	}
	return nil
}
