package api

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

// The HTTP server reads a body into memory before any handler sees the request. So the size of a body depends on who
// sends it, by the headers alone: otherwise a few hundred connections without a token or session would fill the memory.
const (
	maxStranger = 64 << 10  // bytes of a body without a valid token or session
	maxMounted  = 256 << 10 // bytes of a body for a mount, which has its token inside
	askWithin   = 5 * time.Second
)

// bodyLimit says how much of a body is read.
func (g *gate) bodyLimit(mounts map[string]http.Handler) func(*fasthttp.RequestHeader) fasthttp.RequestConfig {
	return func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		path, _, _ := strings.Cut(string(h.RequestURI()), "?")
		size := h.ContentLength() // negative if it comes in chunks
		switch {
		case mounts[path] != nil:
			return fasthttp.RequestConfig{MaxRequestBodySize: maxMounted}
		case size >= 0 && size <= maxStranger || size > maxBody: // small, or refused for everybody
			return fasthttp.RequestConfig{}
		}
		ctx, cancel := context.WithTimeout(context.Background(), askWithin)
		defer cancel()
		if _, err := g.who(ctx, h); err != nil {
			return fasthttp.RequestConfig{MaxRequestBodySize: maxStranger}
		}
		return fasthttp.RequestConfig{}
	}
}

// strangersFirst answers a body that was too large because it came without a valid token or session with what is wrong
// with that. Of a body in chunks the HTTP server has forgotten the headers: that stays too large.
func (g *gate) strangersFirst(next fiber.ErrorHandler) fiber.ErrorHandler {
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

// framing refuses requests whose end two readers could see at different places: a proxy in front and this server would
// then not agree where the next request begins (RFC 9112, 6.3).
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
