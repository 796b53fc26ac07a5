package api

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"

	"github.com/rprp/hivego/server/api/stub"
)

// Limits of a request.
const (
	maxBody    = 4 << 20          // bytes
	maxHeaders = 16 << 10         // bytes, request line included
	maxRequest = 30 * time.Second // from the first byte to the last of a request, and for its work
	maxAnswer  = 2 * time.Minute  // for writing an answer to a slow reader
	maxIdle    = 2 * time.Minute  // of a connection that is kept open
)

// Config is what the API needs beside its ports.
type Config struct {
	Log *slog.Logger
	Now func() time.Time
	// Web adds the pages of the web interface. They need no token: they hold no data.
	Web func(fiber.Router)
	// Mounts are handlers of other protocols by their path, which check who calls by themselves.
	Mounts map[string]http.Handler
	Site   Site
}

// NewApp builds the routes: probes, /api/v1, mounts, web pages.
func NewApp(c Config, p Ports) *fiber.App {
	h := &handlers{Ports: p, log: c.Log, now: c.Now}
	g := &gate{auth: p.Auth, sessions: p.Sessions, site: c.Site, failures: newLimiter(c.Now)}
	app := fiber.New(fiber.Config{
		AppName:               "HiveGo",
		BodyLimit:             maxBody,
		ReadBufferSize:        maxHeaders,
		ReadTimeout:           maxRequest,
		WriteTimeout:          maxAnswer,
		IdleTimeout:           maxIdle,
		CaseSensitive:         true,
		Immutable:             true, // texts of a request are kept by stores and logs after its handler
		DisableStartupMessage: true,

		DisablePreParseMultipartForm: true, // no path takes forms
		ErrorHandler:                 g.strangersFirst(problems(c.Log)),
		JSONDecoder:                  decodeBody,
	})
	app.Server().HeaderReceived = g.bodyLimit(c.Mounts)
	app.Server().Handler = anyMethod(app.Server().Handler)
	app.Use(frame(c.Log), c.Site.guard)
	for path, handler := range c.Mounts {
		app.All(path, adaptor.HTTPHandler(handler))
	}
	all := newPaths(app)
	app.Use("/api", g.authenticate, all.writes, content)
	app.Get(livePath, h.liveRoute(c.Site))
	app.Get(specPath, sendSpec)
	stub.RegisterHandlers(app, stub.NewStrictHandler(h, []stub.StrictMiddlewareFunc{checkQuery}))
	app.Use("/api", all.none)
	if c.Web != nil {
		c.Web(app)
	}
	app.Use(all.none)
	return app
}

// handlers implements the generated interface; one file for each tag of openapi.yaml.
type handlers struct {
	Ports

	log *slog.Logger
	now func() time.Time
}

var _ stub.StrictServerInterface = (*handlers)(nil)
