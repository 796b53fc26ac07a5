// Package http is the handler that makes HTTP requests in the executor's process: either one request, or one that
// submits work, and then polls until the work is done.
//
// A task can reach every host that the executor's machine can reach, but only by http and https. Secrets stay on the
// executor; a definition has only their names.
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

// Config configures the handler.
type Config struct {
	Data  string        // the executor's data folder
	Pause time.Duration // before the first retry of a request; it doubles with each retry; default one second
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

// Check returns an error for params that can never work.
func (h *Handler) Check(t *sdk.Task) error {
	_, err := read(t)
	return err
}

// Run makes the request, and polls if the task has poll.
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
	if err := c.checkSuccess(a); err != nil {
		return c.clean(err)
	}
	outputs, err := evalOutputs(p.outputs, a)
	if err != nil {
		return c.clean(err)
	}
	if p.poll != nil {
		c.checkpoint(outputs)
		return c.wait(ctx, outputs)
	}
	return c.setOutputs(outputs)
}

// Resume continues to poll for work that an earlier executor process has submitted.
func (h *Handler) Resume(ctx context.Context, t *sdk.Task, state []byte) error {
	c, err := h.prepare(t)
	if err != nil { // without a client the work cannot be canceled either
		return fmt.Errorf("%w; "+
			"what was submitted before the executor was restarted goes on, and nobody asks about it any more", err)
	}
	defer c.close()
	if c.params.poll == nil {
		return errors.New("there is nothing to poll")
	}
	outputs, err := readCheckpoint(state, c.params.outputs)
	if err != nil {
		return err
	}
	c.resumed = true
	c.print("the executor was restarted; the work was submitted before: polling again")
	return c.wait(ctx, outputs)
}

// prepare makes the client of a task.
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

// wait polls until the work is done. It sets the task's outputs from the first answer and from the last one.
func (c *client) wait(ctx context.Context, outputs map[string]any) error {
	last, err := c.poll(ctx, c.params.poll, outputs)
	if err != nil {
		return c.clean(err)
	}
	maps.Copy(outputs, last)
	return c.setOutputs(outputs)
}

// setOutputs sets the outputs of the task.
func (c *client) setOutputs(outputs map[string]any) error {
	for name, value := range outputs {
		if err := c.task.Output(name, c.hide(outputText(value))); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint stores the outputs of the first answer, which polling needs after a restart. If that fails, the task goes
// on, but a restart of the executor will lose it.
func (c *client) checkpoint(outputs map[string]any) {
	state, err := json.Marshal(outputs)
	if err == nil {
		err = c.task.Checkpoint(state)
	}
	if err != nil {
		c.print("a restart of the executor will lose this task: %v", err)
	}
}

// readCheckpoint reads a checkpoint. It must have a value for each output of the first answer.
func readCheckpoint(state []byte, expressions map[string]*expression) (map[string]any, error) {
	outputs, _ := parse(state).(map[string]any)
	ok := outputs != nil
	for name := range expressions {
		ok = ok && outputs[name] != nil
	}
	if !ok {
		return nil, errors.New("what was kept of the first answer cannot be read")
	}
	return outputs, nil
}

// checkSuccess returns an error if an answer is not a success.
func (c *client) checkSuccess(a *answer) error {
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
