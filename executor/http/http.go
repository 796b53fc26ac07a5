// Package http is the handler that makes HTTP requests, in the executor's own process: one request, or one that submits
// work and then polls until it is done.
//
// A task reaches what the executor's machine reaches. It speaks http and https only, and its secrets stay on the
// executor: a definition has their names.
package http

import (
	"context"
	_ "embed"
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
	_ sdk.Handler = (*Handler)(nil)
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
	p, err := read(t)
	if err != nil {
		return err
	}
	keys, err := h.secrets(p)
	if err != nil {
		return err
	}
	c, err := h.client(t, p, keys)
	if err != nil {
		return err
	}
	defer c.close()
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
		last, err := c.poll(ctx, p.poll, picked)
		if err != nil {
			return c.clean(err)
		}
		maps.Copy(picked, last)
	}
	for name, value := range picked {
		if err := t.Output(name, c.hide(words(value))); err != nil {
			return err
		}
	}
	return nil
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
