package api

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/strict"
	"github.com/rprp/hivego/server/api/stub"
)

// Limits of a connection.
const (
	maxAnswer = 2 * time.Minute // for writing an answer to a slow reader
	maxIdle   = 2 * time.Minute // of a connection that is kept open
)

// Config holds the settings of the API.
type Config struct {
	Log *slog.Logger
	Now func() time.Time
	// Web adds the pages of the web interface. They need no token, because they hold no data.
	Web func(fiber.Router)
	// Mounts are handlers of other protocols by their path. They authenticate their callers themselves.
	Mounts map[string]http.Handler
	Site   edge.Site
}

// NewApp builds the routes: probes, /api/v1, mounts, web pages.
func NewApp(c Config, p Ports) *fiber.App {
	contract := strict.Read(spec)
	h := &handlers{Ports: p, log: c.Log, now: c.Now, contract: contract}
	g := edge.NewGate(p.Auth, p.Sessions, c.Site, c.Now)
	app := fiber.New(fiber.Config{
		AppName:               "HiveGo",
		BodyLimit:             edge.MaxBody,
		ReadBufferSize:        edge.MaxHeaders,
		ReadTimeout:           edge.MaxRequest,
		WriteTimeout:          maxAnswer,
		IdleTimeout:           maxIdle,
		CaseSensitive:         true,
		Immutable:             true, // stores and logs keep texts of a request after its handler has returned
		DisableStartupMessage: true,

		DisablePreParseMultipartForm: true, // no path takes forms
		ErrorHandler:                 g.ExplainBodyLimit(problems(c.Log)),
		JSONDecoder:                  contract.Decode,
	})
	app.Server().HeaderReceived = g.BodyLimit(c.Mounts)
	app.Server().Handler = edge.AnyMethod(app.Server().Handler)
	app.Use(edge.Middleware(c.Log), c.Site.CheckHost)
	for path, handler := range c.Mounts {
		app.All(path, adaptor.HTTPHandler(handler))
	}
	app.All(webhookPath+":name/:webhook", h.callWebhook(g))
	all := newPaths(app)
	app.Use("/api", g.Authenticate, all.writes, edge.CheckContent)
	app.Get(livePath, h.liveRoute(c.Site))
	app.Get(strict.SpecPath, sendSpec)
	stub.RegisterHandlers(app, stub.NewStrictHandler(h, []stub.StrictMiddlewareFunc{contract.CheckQuery}))
	app.Use("/api", all.none)
	if c.Web != nil {
		c.Web(app)
	}
	app.Use(all.none)
	return app
}

// handlers implements the generated interface. Each tag of openapi.yaml has a file.
type handlers struct {
	Ports

	log *slog.Logger
	now func() time.Time

	contract *strict.Contract
}

var _ stub.StrictServerInterface = (*handlers)(nil)
