package expression

import (
	"strings"
	"sync"

	"github.com/expr-lang/expr/vm"

	"github.com/rprp/hivego/server/hive"
)

// Cache evaluates expressions and caches the compiled programs, because thousands of tasks share a few sources. It is
// safe for concurrent use.
type Cache struct {
	size int

	mu       sync.Mutex
	programs map[string]*vm.Program
}

// NewCache makes a cache of at most size compiled expressions. With 0 it caches none.
func NewCache(size int) *Cache {
	return &Cache{size: size, programs: map[string]*vm.Program{}}
}

// Bool evaluates the condition src in an environment from Env.
func (c *Cache) Bool(src string, env map[string]any) (bool, error) {
	value, err := c.eval(src, env)
	if err != nil {
		return false, err
	}
	truth, ok := value.(bool)
	if !ok {
		return false, refuse(hive.FaultWhenNotBool, "the condition gives ‹words›, not true or false",
			`compare it, as in params.x == "y"`, "words", describe(value))
	}
	return truth, nil
}

// Text evaluates src, whose value must be a single one, and returns the value as text. It has at most MaxResult bytes.
func (c *Cache) Text(src string, env map[string]any) (string, error) {
	return c.render(hive.RenderPlain, bare, src, env)
}

// Render replaces every `${{ … }}` in text by its value in an environment from Env; `$${{` becomes `${{`. Null, lists
// and maps are errors, so that a missing value never becomes an empty text in a command. Moments are written as RFC
// 3339. Each value has at most MaxResult bytes.
func (c *Cache) Render(text string, env map[string]any) (string, error) {
	return c.RenderAs(hive.RenderPlain, text, env)
}

// RenderAs is Render for a field with a mode. The mode decides how values are encoded.
func (c *Cache) RenderAs(mode hive.RenderMode, text string, env map[string]any) (string, error) {
	return c.renderAs(mode, text, func() map[string]any { return env }, nil)
}

// renderAs is RenderAs with marks for secrets; nil: there must be none.
func (c *Cache) renderAs(mode hive.RenderMode, text string, env func() map[string]any, m *marks) (string, error) {
	if !strings.Contains(text, opening) {
		return text, nil
	}
	parts, err := parts(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	at := bare
	for _, p := range parts {
		b.WriteString(p.plain)
		if mode == hive.RenderJSON {
			at = follow(p.plain, at)
		}
		if p.source == "" {
			continue
		}
		var rendered string
		if name := secretOf(p.source); name != "" {
			rendered, err = m.write(mode, at, p.source, name)
		} else {
			rendered, err = c.render(mode, at, p.source, env())
		}
		if err != nil {
			return "", err
		}
		b.WriteString(rendered)
	}
	return b.String(), nil
}

// render returns the text of one expression's value.
func (c *Cache) render(mode hive.RenderMode, at place, source string, env map[string]any) (string, error) {
	value, err := c.eval(source, env)
	if err != nil {
		return "", err
	}
	out, err := write(mode, at, source, value)
	if err == nil && len(out) > MaxResult {
		return "", refuseIn(source, hive.FaultTemplateLong, "‹source› gives more than ‹most› bytes",
			"hand large values over in a file", "most", MaxResult)
	}
	return out, err
}

func (c *Cache) eval(src string, env map[string]any) (any, error) {
	program, err := c.program(src)
	if err != nil {
		return nil, err
	}
	return run(program, env)
}

func (c *Cache) program(src string) (*vm.Program, error) {
	c.mu.Lock()
	program, ok := c.programs[src]
	c.mu.Unlock()
	if ok {
		return program, nil
	}
	program, _, err := compile(src)
	if err != nil || c.size == 0 {
		return program, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.programs) >= c.size {
		clear(c.programs) // rare, and simpler than an order by last use
	}
	c.programs[src] = program
	return program, nil
}
