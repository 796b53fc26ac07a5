package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Task is what an executor is asked to do once.
type Task struct {
	Handler string
	Params  string        // a JSON object
	Timeout time.Duration // 0: none
}

// Call has an executor do one task, as a server would, and answers its outcome. A durable one is submitted to and
// polled; its log is copied to log while it grows, and when ctx ends the task is killed. Any other one just runs it,
// and its log comes with the outcome.
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
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s, err := p.attached(own)
	if err != nil {
		return nil, err
	}
	defer s.link.close()
	return s.call(ctx, own, a, log)
}

// callOnce runs one attempt while it waits.
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

// call follows one attempt to its end. asked ends when it is to be killed, ctx when nothing is to be called any more.
func (s *session) call(asked, ctx context.Context, a *hivego.Assignment, log io.Writer) (*hivego.Outcome, error) {
	if _, err := s.poll(ctx, pollCall{}); err != nil { // the number of an answer makes the submit safe against delay
		return nil, err
	}
	id := refOf(a)
	if err := s.receipt(ctx, a, hivego.ReceiptCode_STARTED); err != nil {
		return nil, err
	}
	kill := asked.Done()
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

// copyLog copies what a log has from an offset on, and answers how much that was.
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

// followWait is how long the log may lag behind while nothing else happens.
const followWait = 300 * time.Millisecond
