package api

import (
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api/edge"
)

//go:embed openapi.yaml
var spec []byte

// sendSpec serves openapi.yaml.
func sendSpec(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, edge.TypeYAML)
	return c.Send(spec)
}

// paths holds the methods of each path.
type paths struct {
	known func() []known
}

type known struct {
	method string
	parts  []string
}

// newPaths reads the routes of app at the first request, when all routes are registered.
func newPaths(app *fiber.App) *paths {
	return &paths{known: sync.OnceValue(func() []known {
		var list []known
		for _, r := range app.GetRoutes(true) {
			if !strings.Contains(r.Path, "*") { // a wildcard route of the web pages
				list = append(list, known{method: r.Method, parts: split(r.Path)})
			}
		}
		return list
	})}
}

// split splits a path. A slash at its end is ignored.
func split(path string) []string { return strings.Split(strings.TrimSuffix(path, "/"), "/") }

// methods lists the methods that a path accepts.
func (p *paths) methods(path string) []string {
	var out []string
	parts := split(path)
	for _, k := range p.known() {
		if slices.EqualFunc(k.parts, parts, func(pattern, part string) bool {
			return pattern == part || strings.HasPrefix(pattern, ":") && part != ""
		}) {
			out = append(out, k.method)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// writes refuses requests with a writing method that no route accepts, before their body is parsed.
func (p *paths) writes(c *fiber.Ctx) error {
	if edge.IsRead(c.Method()) || slices.Contains(p.methods(c.Path()), c.Method()) {
		return c.Next()
	}
	return p.none(c)
}

// none answers requests that match no route.
func (p *paths) none(c *fiber.Ctx) error {
	if takes := p.methods(c.Path()); len(takes) > 0 {
		list := strings.Join(takes, ", ")
		c.Set(fiber.HeaderAllow, list)
		return fiber.NewError(http.StatusMethodNotAllowed,
			fmt.Sprintf("%.200q does not take %.40s; it takes %s", c.Path(), edge.MethodOf(c), list))
	}
	return fiber.NewError(http.StatusNotFound, fmt.Sprintf("there is nothing at %.200q", c.Path()))
}
