package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/service"
)

// drainTime is how long Stop waits for requests that are under way.
const drainTime = 5 * time.Second

// Server listens and serves an app.
type Server struct {
	service.Base

	app    *fiber.App
	listen string
	tls    *tls.Config
	log    *slog.Logger

	listener net.Listener
}

var _ service.Service = (*Server)(nil)

// NewServer makes a server on a HOST:PORT; with a tls.Config it speaks HTTPS.
func NewServer(app *fiber.App, listen string, secure *tls.Config, log *slog.Logger) *Server {
	return &Server{app: app, listen: listen, tls: secure, log: log}
}

// Start listens, and serves until ctx ends or Stop is called.
func (s *Server) Start(ctx context.Context) error {
	work, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", s.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", s.listen, err)
	}
	l = Door(l, s.log)
	if s.tls != nil {
		l = tls.NewListener(l, s.tls)
	}
	s.listener = l
	s.Go(func() {
		if err := s.app.Listener(l); err != nil && !errors.Is(err, net.ErrClosed) {
			s.log.Error("the API has stopped", "error", err)
		}
	})
	s.Go(func() {
		<-work.Done()
		if err := s.app.ShutdownWithTimeout(drainTime); err != nil {
			s.log.Warn("requests were cut off", "error", err)
		}
		_ = l.Close() // if it was told to stop before it served
	})
	s.Ready()
	return nil
}

// Addr is the address it listens on, once started: with port 0, the one that it got.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }
