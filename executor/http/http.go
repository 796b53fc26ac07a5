// Package http is the handler that makes HTTP requests, in the executor's own process: one request, or one that submits
// work and then polls until it is done.
//
// A task reaches what the executor's machine reaches. It speaks http and https only, and its secrets stay on the
// executor: a definition has their names.
package http

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/rprp/hivego/executor/sdk"
)

//go:embed schema.json
var schema string

// Config says what the handler works with.
type Config struct {
	Data  string        // the executor's data folder
	Pause time.Duration // before a request is made again, and twice as long each time after; default a second
}

// Handler makes requests.
type Handler struct{ cfg Config }

var (
	_ sdk.Resumer = (*Handler)(nil)
	_ sdk.Checker = (*Handler)(nil)
)

// New makes the handler.
func New(cfg Config) *Handler {
	if cfg.Pause <= 0 {
		cfg.Pause = time.Second
	}
	return &Handler{cfg: cfg}
}

// Info describes the handler.
func (h *Handler) Info() sdk.Info {
	return sdk.Info{
		Name: "http", Title: "HTTP", ParamsSchema: schema,
		Description: "Makes a request; if that only starts the work, polls until it is done.",
	}
}

// Check refuses params that will never work.
func (h *Handler) Check(t *sdk.Task) error {
	_, err := read(t)
	return err
}

// Run makes the request, and polls if it is to.
func (h *Handler) Run(ctx context.Context, t *sdk.Task) error {
	c, err := h.prepare(t)
	if err != nil {
		return err
	}
	defer c.close()
	p := c.params
	a, err := c.send(ctx, p.first())
	if err != nil {
		return c.clean(err)
	}
	c.show(a)
	if err := c.judge(a); err != nil {
		return c.clean(err)
	}
	picked, err := pick(p.outputs, a)
	if err != nil {
		return c.clean(err)
	}
	if p.poll != nil {
		c.keep(picked)
		return c.wait(ctx, picked)
	}
	return c.give(picked)
}

// Resume goes on asking about work that a former life of the executor has submitted.
func (h *Handler) Resume(ctx context.Context, t *sdk.Task, state []byte) error {
	c, err := h.prepare(t)
	if err != nil { // it cannot be canceled either
		return fmt.Errorf("%w; "+
			"what was submitted before the executor was restarted goes on, and nobody asks about it any more", err)
	}
	defer c.close()
	if c.params.poll == nil {
		return errors.New("there is nothing to poll")
	}
	picked, err := recall(state, c.params.outputs)
	if err != nil {
		return err
	}
	c.resumed = true
	c.print("the executor was restarted; the work was submitted before: asking again how it stands")
	return c.wait(ctx, picked)
}

// prepare makes what a task needs to make requests.
func (h *Handler) prepare(t *sdk.Task) (*client, error) {
	p, err := read(t)
	if err != nil {
		return nil, err
	}
	keys, err := h.secrets(p)
	if err != nil {
		return nil, err
	}
	return h.client(t, p, keys)
}

// wait polls until the work is done, and gives the outputs.
func (c *client) wait(ctx context.Context, picked map[string]any) error {
	last, err := c.poll(ctx, c.params.poll, picked)
	if err != nil {
		return c.clean(err)
	}
	maps.Copy(picked, last)
	return c.give(picked)
}

// give sets the outputs of the task.
func (c *client) give(picked map[string]any) error {
	for name, value := range picked {
		if err := c.task.Output(name, c.hide(words(value))); err != nil {
			return err
		}
	}
	return nil
}

// keep remembers what polling needs. Should that fail, the task goes on, and is lost in a restart.
func (c *client) keep(picked map[string]any) {
	state, err := json.Marshal(picked)
	if err == nil {
		err = c.task.Checkpoint(state)
	}
	if err != nil {
		c.print("a restart of the executor will lose this task: %v", err)
	}
}

// recall reads what keep has remembered: a value for each output of the first answer.
func recall(state []byte, outputs map[string]*expression) (map[string]any, error) {
	picked, _ := parse(state).(map[string]any)
	ok := picked != nil
	for name := range outputs {
		ok = ok && picked[name] != nil
	}
	if !ok {
		return nil, errors.New("what was kept of the first answer cannot be read")
	}
	return picked, nil
}

// judge says whether an answer is a success.
func (c *client) judge(a *answer) error {
	if !c.params.expects(a.Status) {
		return fmt.Errorf("%s answered %s%s", a.request, a.line, a.excerpt())
	}
	if c.params.success == nil {
		return nil
	}
	ok, err := c.params.success.holds(a)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%s answered %s, but not %s%s", a.request, a.line, c.params.success.source, a.excerpt())
	}
	return nil
}
