package api

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/rprp/hivego/server/hive"
)

// addressed refuses requests that do not say clearly which host they are for: a proxy in front and this server could
// otherwise each read another one (RFC 9112, 3.2).
func addressed(c *fiber.Ctx) error {
	h := &c.Request().Header
	hosts := 0
	for line := range bytes.Lines(h.RawHeaders()) {
		if name, _, _ := bytes.Cut(line, []byte(":")); bytes.EqualFold(name, []byte(fiber.HeaderHost)) {
			hosts++
		}
	}
	once := hosts == 1 || hosts == 0 && !h.IsHTTP11()
	target := string(h.RequestURI())
	form := strings.HasPrefix(target, "/") || hasPrefixFold(target, "http://") || hasPrefixFold(target, "https://") ||
		target == "*" && c.Method() == http.MethodOptions
	if once && form && strings.EqualFold(string(c.Request().URI().Host()), hostOf(c)) {
		return nil
	}
	c.Context().SetConnectionClose()
	return hive.Errorf(hive.CodeInvalid,
		"the request must name one host: one Host, and in its target a path alone, or an "+
			"address at that same host").WithReason(hive.ErrorHostUnclear)
}

// foreignMethod is the key of the method of a request that Fiber does not know, and would refuse in words of its own.
type foreignMethod struct{}

// anyMethod lets requests of any method reach the routes, where each path says which ones it takes. No path takes
// TRACE, so nothing is done for one that goes by that name.
func anyMethod(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(c *fasthttp.RequestCtx) {
		if method := string(c.Method()); !slices.Contains(fiber.DefaultMethods, method) {
			c.SetUserValue(foreignMethod{}, method)
			c.Request.Header.SetMethod(http.MethodTrace)
		}
		next(c)
	}
}

// methodOf is the method that a request came with.
func methodOf(c *fiber.Ctx) string {
	if method, ok := c.Context().UserValue(foreignMethod{}).(string); ok {
		return method
	}
	return c.Method()
}
