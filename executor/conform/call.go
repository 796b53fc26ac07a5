package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Task is a task for Call.
type Task struct {
	Handler string
	Params  string        // a JSON object
	Timeout time.Duration // 0: none
}

// Call lets an executor run one task, like a server, and returns its outcome. With a durable executor, it submits the
// task and polls, copies the task's log to log while it grows, and kills the task when ctx ends. With any other
// executor, it calls run, and the log comes with the outcome.
func Call(ctx context.Context, t Target, task Task, log io.Writer) (*hivego.Outcome, error) {
	d, err := Describe(ctx, t)
	if err != nil {
		return nil, err
	}
	p := &probe{Options: Options{Target: t.complete(), Work: Work{Handler: task.Handler}}, described: d}
	p.ids.Store(time.Now().UnixMicro())
	a := p.assignment(task.Params)
	a.TimeoutMillis = new(task.Timeout.Milliseconds())
	if !d.GetDurable() {
		return p.callOnce(ctx, a, log)
	}
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s, err := p.attached(calls)
	if err != nil {
		return nil, err
	}
	defer s.link.close()
	return s.call(calls, ctx.Done(), a, log)
}

// callOnce runs one attempt with a single call of run.
func (p *probe) callOnce(ctx context.Context, a *hivego.Assignment, log io.Writer) (*hivego.Outcome, error) {
	l, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	r, err := l.Run(ctx, &hivego.RunCall{Caller: p.caller(), Assignment: a})
	if err != nil {
		return nil, fmt.Errorf("run: %w", reported(ctx, err))
	}
	if _, err := io.WriteString(log, r.GetLog()); err != nil {
		return nil, fmt.Errorf("write the log: %w", err)
	}
	if !outcomeOf(r).IsSetKind() {
		return nil, errors.New("run: the answer has no outcome")
	}
	return r.GetOutcome(), nil
}

// call submits one attempt and follows it to its end. It kills the attempt once kill is closed; ctx limits the calls.
func (s *session) call(
	ctx context.Context, kill <-chan struct{}, a *hivego.Assignment, log io.Writer,
) (*hivego.Outcome, error) {
	if _, err := s.poll(ctx, pollCall{}); err != nil { // submit needs the number of a recent answer
		return nil, err
	}
	id := refOf(a)
	if err := s.expectReceipt(ctx, a, hivego.ReceiptCode_STARTED); err != nil {
		return nil, err
	}
	read := int64(0)
	for {
		e, ended := s.ended[id]
		n, err := s.copyLog(ctx, id, read, log)
		if err != nil {
			return nil, err
		}
		read += n
		if ended {
			if !e.outcome.IsSetKind() {
				return nil, errors.New("its ENDED has no outcome")
			}
			_, err = s.poll(ctx, pollCall{acks: []*hivego.Ack{ack(id, e.seq)}, releases: []ref{id}})
			return e.outcome, err
		}
		select {
		case <-kill:
			if _, err := s.kill(ctx, id); err != nil {
				return nil, err
			}
			kill = nil
		default:
		}
		if _, err := s.poll(ctx, pollCall{wait: followWait}); err != nil {
			return nil, err
		}
	}
}

// copyLog copies a log from an offset to its end, and returns the number of copied bytes.
func (s *session) copyLog(ctx context.Context, id ref, offset int64, to io.Writer) (int64, error) {
	for n := int64(0); ; {
		r, err := s.readLog(ctx, id, offset+n, maxLog)
		if err != nil || len(r.GetData()) == 0 {
			return n, err
		}
		n += int64(len(r.GetData()))
		if _, err := to.Write(r.GetData()); err != nil {
			return n, fmt.Errorf("write the log: %w", err)
		}
	}
}

// followWait is how often the log is copied while no event comes.
const followWait = 300 * time.Millisecond
