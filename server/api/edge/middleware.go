package edge

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/gofiber/fiber/v2"
)

// RequestHeader is the header of an answer that holds the request's id, so that people can quote it.
const RequestHeader = "X-Request-Id"

// Middleware wraps every handler: it gives the request an id, common headers and a deadline, and turns a panic into an
// error.
func Middleware(log *slog.Logger) fiber.Handler {
	return func(c *fiber.Ctx) (err error) {
		ctx, cancel := context.WithTimeout(context.Background(), MaxRequest)
		defer cancel()
		c.SetUserContext(ctx)
		id := RequestID(c)
		SetHeaders(c)
		defer func() {
			if r := recover(); r != nil {
				log.Error("a handler panicked", "request", id, "method", c.Method(), "path", c.Path(),
					"panic", fmt.Sprint(r), "stack", string(debug.Stack()))
				err = fiber.NewError(fiber.StatusInternalServerError, "panic")
			}
		}()
		if err := framing(c); err != nil {
			return err
		}
		if err := addressed(c); err != nil {
			return err
		}
		return c.Next()
	}
}

// RequestID returns the id of the request, and creates it at the first call. An id from the client is ignored.
func RequestID(c *fiber.Ctx) string {
	if id := c.GetRespHeader(RequestHeader); id != "" {
		return id
	}
	id := rand.Text()
	c.Set(RequestHeader, id)
	return id
}

// SetHeaders sets the headers that forbid caching, framing and content sniffing.
func SetHeaders(c *fiber.Ctx) {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
	c.Set("Cross-Origin-Resource-Policy", "same-origin")
}
