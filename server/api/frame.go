package api

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/gofiber/fiber/v2"
)

// requestHeader carries the request's id back, so that people can name it.
const requestHeader = "X-Request-Id"

// frame is around every handler: an id, headers, an end to the work, and panics turned into problems.
func frame(log *slog.Logger) fiber.Handler {
	return func(c *fiber.Ctx) (err error) {
		ctx, cancel := context.WithTimeout(context.Background(), maxRequest)
		defer cancel()
		c.SetUserContext(ctx)
		id := requestID(c)
		headers(c)
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

// requestID is the id of the request, made up when it is first asked for. What a client sends is not trusted.
func requestID(c *fiber.Ctx) string {
	if id := c.GetRespHeader(requestHeader); id != "" {
		return id
	}
	id := rand.Text()
	c.Set(requestHeader, id)
	return id
}

// headers keeps answers out of caches, frames and guesses about their type.
func headers(c *fiber.Ctx) {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
	c.Set("Cross-Origin-Resource-Policy", "same-origin")
}
