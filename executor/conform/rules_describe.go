package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// describe calls describe on a new connection.
func (p *probe) describe(ctx context.Context, c *hivego.Caller) (*hivego.DescribeReply, error) {
	l, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	return l.Describe(ctx, &hivego.DescribeCall{Caller: c})
}

func describeIdentity(ctx context.Context, p *probe) error {
	again, err := p.describe(ctx, p.caller())
	if err != nil {
		return fmt.Errorf("the second describe: %w", reported(ctx, err))
	}
	for _, f := range []struct{ name, first, second string }{
		{"executorId", p.described.GetExecutorId(), again.GetExecutorId()},
		{"bootId", p.described.GetBootId(), again.GetBootId()},
		{"name", p.described.GetName(), again.GetName()},
	} {
		if f.first == "" {
			return fmt.Errorf("%s is not set", f.name)
		}
		if f.first != f.second {
			return fmt.Errorf("%s was %q, and is %q in the next answer", f.name, f.first, f.second)
		}
	}
	return nil
}

// inMillis reports whether a number is a time of this century in milliseconds.
func inMillis(at int64) bool {
	year := time.UnixMilli(at).UTC().Year()
	return year >= 2001 && year <= 2100
}

func describeClock(_ context.Context, p *probe) error {
	if !p.described.IsSetNowMillis() {
		return errors.New("nowMillis is not set")
	}
	if now := p.described.GetNowMillis(); !inMillis(now) {
		return fmt.Errorf("nowMillis is %d, which is the year %d", now, time.UnixMilli(now).UTC().Year())
	}
	return nil
}

func describeLoad(_ context.Context, p *probe) error {
	l := loadOf(p.described)
	switch {
	case l.IsSetSlots() && l.GetSlots() < 1:
		return fmt.Errorf("load.slots is %d", l.GetSlots())
	case l.GetRunning() < 0:
		return fmt.Errorf("load.running is %d", l.GetRunning())
	}
	return nil
}

// shownNames is how many names of handlers an error lists.
const shownNames = 20

// handlerName matches the names by which tasks can name a handler.
var handlerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

func describeHandlers(_ context.Context, p *probe) error {
	seen := map[string]bool{}
	for _, h := range p.described.GetHandlers() {
		name := h.GetName()
		if name == "" {
			return errors.New("a handler has no name")
		}
		if seen[name] {
			return fmt.Errorf("two handlers are named %q", name)
		}
		if !handlerName.MatchString(name) {
			return fmt.Errorf("no task can name the handler %.80q: letters, digits, _, . and - make a name, "+
				"a letter or digit first", name)
		}
		seen[name] = true
	}
	if !seen[p.Work.Handler] {
		names := slices.Sorted(maps.Keys(seen))
		if n := len(names); n > shownNames {
			return fmt.Errorf("there is no handler %q among %d, only %v and so on", p.Work.Handler, n,
				names[:shownNames])
		}
		return fmt.Errorf("there is no handler %q, only %v", p.Work.Handler, names)
	}
	return nil
}

func describeSchema(_ context.Context, p *probe) error {
	for _, h := range p.described.GetHandlers() {
		if h.GetParamsSchema() == "" {
			continue
		}
		var schema map[string]any
		if err := json.Unmarshal([]byte(h.GetParamsSchema()), &schema); err != nil {
			return fmt.Errorf("the schema of %s is not a JSON object: %w", h.GetName(), err)
		}
		if kind, ok := schema["type"]; ok && kind != "object" {
			return fmt.Errorf("the schema of %s is one of %v; params are an object", h.GetName(), kind)
		}
		if err := checkHints(schema); err != nil {
			return fmt.Errorf("the schema of %s: %w", h.GetName(), err)
		}
	}
	return nil
}

// checkHints returns an error for an invalid x-render at any depth.
func checkHints(v any) error {
	switch v := v.(type) {
	case map[string]any:
		if hint, ok := v["x-render"]; ok && !slices.Contains([]any{"shell", "sql", "plain", "url", "json"}, hint) {
			if _, isProperty := hint.(map[string]any); !isProperty { // a property may have the name x-render
				return fmt.Errorf("x-render is %v", hint)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err := checkHints(v[name]); err != nil {
				return err
			}
		}
	case []any:
		for _, x := range v {
			if err := checkHints(x); err != nil {
				return err
			}
		}
	}
	return nil
}

// Limits of a server. It does not accept an executor beyond them.
const (
	maxID       = hivego.MAX_ID_BYTES
	maxName     = hivego.MAX_NAME_BYTES
	maxLabel    = hivego.MAX_LABEL_BYTES
	maxSchema   = hivego.MAX_SCHEMA_BYTES
	maxSchemas  = hivego.MAX_SCHEMAS_BYTES
	maxHandlers = hivego.MAX_HANDLERS
	maxLabels   = hivego.MAX_LABELS
	maxSlots    = hivego.MAX_SLOTS
)

func describeLimits(_ context.Context, p *probe) error {
	d := p.described
	type name struct {
		field, text string
		limit       int
	}
	names := []name{
		{"executorId", d.GetExecutorId(), maxID},
		{"bootId", d.GetBootId(), maxID},
		{"name", d.GetName(), maxName},
		{"group", d.GetGroup(), maxName},
	}
	schemaBytes := 0
	for _, h := range d.GetHandlers() {
		names = append(names, name{"the name of a handler", h.GetName(), maxName})
		schemaBytes += len(h.GetParamsSchema())
		if len(h.GetParamsSchema()) > maxSchema {
			return fmt.Errorf("the schema of %s has %d bytes", h.GetName(), len(h.GetParamsSchema()))
		}
	}
	for k, v := range d.GetLabels() {
		names = append(names, name{"the name of a label", k, maxName})
		if len(v) > maxLabel || !printable(v) {
			return fmt.Errorf("the value of label %q is longer than %d bytes, or not printable", k, maxLabel)
		}
	}
	for _, n := range names {
		if len(n.text) > n.limit || strings.Contains(n.text, " ") || !printable(n.text) {
			return fmt.Errorf("%s is %q: not at most %d printable characters without spaces", n.field, n.text, n.limit)
		}
	}
	switch {
	case schemaBytes > maxSchemas:
		return fmt.Errorf("all schemas have %d bytes", schemaBytes)
	case len(d.GetHandlers()) > maxHandlers:
		return fmt.Errorf("there are %d handlers", len(d.GetHandlers()))
	case len(d.GetLabels()) > maxLabels:
		return fmt.Errorf("there are %d labels", len(d.GetLabels()))
	case loadOf(d).GetSlots() > maxSlots:
		return fmt.Errorf("load.slots is %d", loadOf(d).GetSlots())
	}
	return nil
}

// printable reports whether a text has only visible characters, so that it is safe to show on a terminal.
func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

const noToken = "no token was given: beyond loopback an executor must have one; start it with a token, and give that"

func tokenRefused(ctx context.Context, p *probe) error {
	if p.Token == "" {
		return unchecked(noToken)
	}
	wrong := p.caller()
	wrong.Token = new(p.Token + "x")
	for _, c := range []struct {
		name   string
		caller *hivego.Caller
	}{{"a wrong token", wrong}, {"no caller", nil}} {
		_, err := p.describe(ctx, c.caller)
		if err == nil {
			return fmt.Errorf("describe with %s was answered", c.name)
		}
		if !isA[*hivego.AccessDenied](err) {
			return fmt.Errorf("describe with %s: %w", c.name, reported(ctx, err))
		}
		_, err = p.run(ctx, c.caller, p.assignment(p.Work.Good))
		if err == nil {
			return fmt.Errorf("run with %s was answered", c.name)
		}
		if !isA[*hivego.AccessDenied](err) {
			return fmt.Errorf("run with %s: %w", c.name, reported(ctx, err))
		}
	}
	return nil
}
