package edge

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/rprp/hivego/server/hive"
)

// The HTTP server reads a body into memory before any handler sees the request. So the limit of a body depends on the
// sender, who is known by the headers: otherwise a few hundred connections without a token or session could fill the
// memory.
const (
	maxMounted = 256 << 10 // bytes of a body for a mount, whose token is in the body
	askWithin  = 5 * time.Second
)

// BodyLimit returns how much of a request's body the HTTP server reads.
func (g *Gate) BodyLimit(mounts map[string]http.Handler) func(*fasthttp.RequestHeader) fasthttp.RequestConfig {
	return func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		path, _, _ := strings.Cut(string(h.RequestURI()), "?")
		size := h.ContentLength() // negative if the body is chunked
		switch {
		case mounts[path] != nil:
			return fasthttp.RequestConfig{MaxRequestBodySize: maxMounted}
		case size >= 0 && size <= MaxAnonymousBody || size > MaxBody: // small enough, or too large for everybody
			return fasthttp.RequestConfig{}
		}
		ctx, cancel := context.WithTimeout(context.Background(), askWithin)
		defer cancel()
		if _, err := g.who(ctx, h); err != nil {
			return fasthttp.RequestConfig{MaxRequestBodySize: MaxAnonymousBody}
		}
		return fasthttp.RequestConfig{}
	}
}

// ExplainBodyLimit returns the authentication error if a body was too large only because the request had no valid token
// or session. If the body was chunked, the HTTP server has dropped the headers, and the error stays "too large".
func (g *Gate) ExplainBodyLimit(next fiber.ErrorHandler) fiber.ErrorHandler {
	return func(c *fiber.Ctx, err error) error {
		e, ok := errors.AsType[*fiber.Error](err)
		if ok && e.Code == http.StatusRequestEntityTooLarge && strings.HasPrefix(c.Path(), "/api/") {
			ctx, cancel := context.WithTimeout(context.Background(), askWithin)
			defer cancel()
			if _, wrong := g.who(ctx, &c.Request().Header); hive.CodeOf(wrong) == hive.CodeUnauthorized {
				c.Set(fiber.HeaderWWWAuthenticate, challenge)
				err = wrong
			}
		}
		return next(c, err)
	}
}

// framing refuses requests with an ambiguous length. A proxy and this server could otherwise disagree about where the
// next request begins (RFC 9112, 6.3).
func framing(c *fiber.Ctx) error {
	var lengths, codings int
	plain := true
	for line := range bytes.Lines(c.Request().Header.RawHeaders()) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte(fiber.HeaderContentLength)):
			lengths++
		case bytes.EqualFold(name, []byte(fiber.HeaderTransferEncoding)):
			codings++
			plain = bytes.EqualFold(bytes.TrimSpace(value), []byte("chunked"))
		}
	}
	if lengths+codings <= 1 && plain {
		return nil
	}
	c.Context().SetConnectionClose()
	return fiber.NewError(http.StatusBadRequest,
		"the request must say its length in one way: one Content-Length, or one Transfer-Encoding: chunked")
}
