package app

import (
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
)

// A takeover does not wait for a long request, and the request is still answered.
func TestStopSoon(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	l := &listener{
		app: fiber.New(fiber.Config{DisableStartupMessage: true}), listen: "127.0.0.1:0",
		log:    slog.New(slog.DiscardHandler),
		failed: make(chan error, 1),
	}
	l.app.Get("/", func(c *fiber.Ctx) error {
		close(asked)
		<-release
		return c.SendString("whole")
	})
	if err := l.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	answer := make(chan string, 1)
	go func() {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, l.url(), http.NoBody)
		req.Close = true
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			answer <- err.Error()
			return
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		answer <- string(body)
	}()
	<-asked
	before := time.Now()
	l.StopSoon()
	if took := time.Since(before); took >= stopWithin {
		t.Errorf("it waited %s for the request", took)
	}
	close(release)
	l.Stop()
	if got := <-answer; got != "whole" {
		t.Errorf("the request got %q", got)
	}
}
