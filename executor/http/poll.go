package http

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/sdk"
)

// pollFields are the parameters of polling for the work that the first request has submitted.
type pollFields struct {
	URL         string            `json:"url"`
	Method      string            `json:"method"`
	JSON        string            `json:"json"`
	Done        string            `json:"done"`
	Failed      string            `json:"failed"`
	Progress    string            `json:"progress"`
	Outputs     map[string]string `json:"outputs"`
	Interval    *duration         `json:"interval"`
	Backoff     *float64          `json:"backoff"`
	MaxInterval *duration         `json:"maxInterval"`
	Patience    *duration         `json:"patience"`
	Cancel      *cancelFields     `json:"cancel"`
}

type cancelFields struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	JSON   string `json:"json"`
}

// poll is a checked pollFields.
type poll struct {
	*pollFields

	done, failed, progress *expression
	outputs                map[string]*expression
	wait, maxWait          time.Duration // between two polls
	patience               time.Duration // how long an outage may last
	backoff                float64
}

const (
	minInterval = 100 * time.Millisecond
	cancelWait  = 10 * time.Second // longest timeout of the request that cancels the work
)

func (f *pollFields) compile(p *params) (*poll, error) {
	x := &poll{pollFields: f, wait: 5 * time.Second, maxWait: time.Minute, patience: 5 * time.Minute, backoff: 1.5}
	if f.Interval != nil {
		x.wait = time.Duration(*f.Interval)
	}
	if f.MaxInterval != nil {
		x.maxWait = time.Duration(*f.MaxInterval)
	}
	if f.Patience != nil {
		x.patience = time.Duration(*f.Patience)
	}
	if f.Backoff != nil {
		x.backoff = *f.Backoff
	}
	x.maxWait = max(x.maxWait, x.wait)
	if f.Method == "" {
		f.Method = http.MethodGet
	}
	switch {
	case x.wait < minInterval:
		return nil, fmt.Errorf("poll.interval: at least %s", minInterval)
	case !(x.backoff >= 1 && x.backoff <= 10):
		return nil, errors.New("poll.backoff: want 1 to 10")
	case f.Method != http.MethodGet && f.Method != http.MethodPost:
		return nil, fmt.Errorf("poll.method %q: want GET or POST", f.Method)
	case f.JSON != "" && f.Method == http.MethodGet:
		return nil, errors.New("poll: a GET has no body; use POST")
	case f.URL == "" || f.Done == "":
		return nil, errors.New("poll: url and done are needed")
	}
	if err := f.checkPlaceholders(p); err != nil {
		return nil, err
	}
	if err := x.compileAll(); err != nil {
		return nil, err
	}
	return x, nil
}

func (f *pollFields) checkPlaceholders(p *params) error {
	if err := checkPlaceholders("poll.url", f.URL, p.outputs); err != nil {
		return err
	}
	c := f.Cancel
	if c == nil {
		return nil
	}
	if c.Method == "" {
		c.Method = http.MethodDelete
	}
	switch c.Method {
	case http.MethodDelete, http.MethodPost, http.MethodPut, http.MethodPatch:
	case http.MethodGet:
		if c.JSON != "" {
			return errors.New("poll.cancel: a GET has no body; use another method")
		}
	default:
		return fmt.Errorf("poll.cancel.method %q: want DELETE, POST, PUT, PATCH or GET", c.Method)
	}
	if c.URL == "" {
		return errors.New("poll.cancel: url is missing")
	}
	return checkPlaceholders("poll.cancel.url", c.URL, p.outputs)
}

func (x *poll) compileAll() error {
	var err error
	if x.done, err = condition("poll.done", x.Done); err != nil {
		return err
	}
	if x.Failed != "" {
		if x.failed, err = condition("poll.failed", x.Failed); err != nil {
			return err
		}
	}
	if x.Progress != "" {
		if x.progress, err = compileOne("poll.progress", x.Progress); err != nil {
			return err
		}
	}
	x.outputs, err = compileAll("poll.outputs", x.Outputs)
	return err
}

// request makes a request from templates of its address and its JSON body.
func (c *client) request(method, address, body string, values map[string]any) (*request, error) {
	u, err := fillURL(address, values, c.params.target)
	if err != nil {
		return nil, err
	}
	r := &request{method: method, url: u}
	if body != "" {
		if r.body, err = fillJSON(body, values); err != nil {
			return nil, err
		}
		r.contentType = "application/json"
	}
	return r, nil
}

// poll polls until the work is done, and returns the outputs of the last answer. If it ends before the work does, it
// cancels the work, because nobody would track it any more. It does not cancel the work when the executor is restarted.
func (c *client) poll(ctx context.Context, p *poll, values map[string]any) (map[string]any, error) {
	last, ended, err := c.await(ctx, p, values)
	switch {
	case err == nil:
		return evalOutputs(p.outputs, last)
	case ended || p.Cancel == nil:
	case ctx.Err() == nil: // the task ends by itself: after a restart it must not resume work that is being canceled
		if err := c.task.ClearCheckpoint(); err != nil {
			c.print("the checkpoint cannot be removed: %v", err)
		}
		c.cancel(ctx, p.Cancel, values)
	case c.continuesElsewhere(ctx):
	default:
		c.cancel(ctx, p.Cancel, values)
	}
	return nil, err
}

// continuesElsewhere reports whether the work must not be canceled although the task is stopped: the next executor
// process resumes it, the next attempt may wait for it, or a person decides.
func (c *client) continuesElsewhere(ctx context.Context) bool {
	if c.task.WillResume(ctx) {
		return true
	}
	stopped, ok := errors.AsType[*sdk.Stopped](context.Cause(ctx))
	switch {
	case !ok:
		return false
	case stopped.Held:
		c.print("not canceled: the task was given up while the executor was away, and a person decides")
		return true
	case stopped.GivenUp && c.resumed && c.idempotent(c.params.first()):
		// The executor was away for too long. The next attempt has submitted the same request, so it may wait for this
		// work.
		c.print("not canceled: the task was given up while the executor was away, " +
			"and the next attempt may wait for the same work")
		return true
	}
	return false
}

// await polls until the work is done. With an error, ended reports whether the work itself has ended.
func (c *client) await(ctx context.Context, p *poll, values map[string]any) (last *answer, ended bool, err error) {
	r, err := c.request(p.Method, p.URL, p.JSON, values)
	if err != nil {
		return nil, false, fmt.Errorf("poll: %w", err)
	}
	r.safe = true
	wait := p.wait
	for n := 1; ; n++ {
		if n > 1 || !c.resumed { // resumed work may be done already, so its first poll is immediate
			if err := sleep(ctx, wait); err != nil {
				return nil, false, err
			}
		}
		a, err := c.pollOnce(ctx, r, p)
		if err != nil {
			return nil, false, err
		}
		done, failed, err := p.evaluate(a)
		if err != nil {
			return nil, false, err
		}
		c.reportProgress(p, a)
		if done || failed {
			c.show(a)
		} else if last == nil || !bytes.Equal(last.raw, a.raw) {
			c.print("poll %d: %s%s", n, a.line, a.excerpt())
		}
		if failed {
			return nil, true, message.Errorf(message.HTTPFailed, "it has failed: ‹words›",
				"words", p.Failed+a.excerpt())
		}
		if done {
			return a, true, nil
		}
		last = a
		wait = p.next(wait)
	}
}

// next returns the wait that follows wait.
func (x *poll) next(wait time.Duration) time.Duration {
	return min(time.Duration(float64(wait)*x.backoff), x.maxWait)
}

// pollOnce makes one poll. During an outage it repeats the request, which is safe to repeat, until patience is over: an
// outage is that the server is unreachable or busy.
func (c *client) pollOnce(ctx context.Context, r *request, p *poll) (*answer, error) {
	var outageSince time.Time
	for wait := p.wait; ; wait = p.next(wait) {
		a, err := c.send(ctx, r)
		if err == nil && !c.shouldRetry(r, a) || ctx.Err() != nil {
			return c.checkPoll(r, a, err)
		}
		if outageSince.IsZero() {
			outageSince = time.Now()
		}
		remaining := p.patience - time.Since(outageSince)
		if remaining <= 0 {
			return c.checkPoll(r, a, err)
		}
		problem := err
		if problem == nil {
			problem = fmt.Errorf("%s answered %s", r, a.line)
		}
		c.print("%v; will poll for another %s", problem, remaining.Round(time.Second))
		if err := sleep(ctx, min(wait, remaining)); err != nil {
			return nil, err
		}
	}
}

// checkPoll returns the answer to a poll, or an error if there is none or its status is not 2xx.
func (c *client) checkPoll(r *request, a *answer, err error) (*answer, error) {
	if err != nil {
		return nil, err
	}
	if a.Status < 200 || a.Status > 299 {
		c.show(a)
		return nil, fmt.Errorf("%s answered %s%s", r, a.line, a.excerpt())
	}
	return a, nil
}

// evaluate evaluates the conditions failed and done for an answer.
func (x *poll) evaluate(a *answer) (done, failed bool, err error) {
	if x.failed != nil {
		if failed, err = x.failed.holds(a); err != nil || failed {
			return false, failed, err
		}
	}
	done, err = x.done.holds(a)
	return done, false, err
}

// reportProgress evaluates and reports the progress. It ignores errors and values that are not numbers: a task must not
// fail because of its progress.
func (c *client) reportProgress(p *poll, a *answer) {
	if p.progress == nil {
		return
	}
	value, err := p.progress.eval(a)
	if err != nil {
		return
	}
	var f float64
	switch x := value.(type) {
	case int:
		f = float64(x)
	case float64:
		f = x
	default:
		return
	}
	if !math.IsNaN(f) {
		c.task.Progress(min(max(f, 0), 1))
	}
}

// cancel sends the request that cancels the work. ctx may be canceled already, so the request has its own timeout.
func (c *client) cancel(ctx context.Context, f *cancelFields, values map[string]any) {
	r, err := c.request(f.Method, f.URL, f.JSON, values)
	if err != nil {
		c.print("cancel: %v", err)
		return
	}
	limit := min(cancelWait, time.Duration(c.params.Timeout))
	a, err := c.sendWithin(context.WithoutCancel(ctx), r, limit)
	if err != nil {
		c.print("cancel: %s: %v", r, explain(err, limit))
		return
	}
	c.print("cancel: %s: %s%s", r, a.line, a.excerpt())
}
