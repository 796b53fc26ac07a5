package edge

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/rprp/hivego/server/hive"
)

// addressed refuses requests that do not name exactly one host. A proxy and this server could otherwise disagree about
// the host (RFC 9112, 3.2).
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

// foreignMethod is the key of a method that Fiber does not know. Fiber would refuse it with its own message.
type foreignMethod struct{}

// AnyMethod lets requests with unknown methods reach the routes, under the name TRACE. No path takes TRACE, so each
// path refuses them and lists the methods that it takes.
func AnyMethod(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(c *fasthttp.RequestCtx) {
		if method := string(c.Method()); !slices.Contains(fiber.DefaultMethods, method) {
			c.SetUserValue(foreignMethod{}, method)
			c.Request.Header.SetMethod(http.MethodTrace)
		}
		next(c)
	}
}

// MethodOf returns the method that the client sent.
func MethodOf(c *fiber.Ctx) string {
	if method, ok := c.Context().UserValue(foreignMethod{}).(string); ok {
		return method
	}
	return c.Method()
}
