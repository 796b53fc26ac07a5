package api

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// A refusal because of overload is logged as a warning, a failure as an error, and a faulty request not at all.
func TestLevels(t *testing.T) {
	t.Parallel()
	full := hive.Errorf(hive.CodeUnavailable, "too many people log in")
	full.Wait = time.Second
	for want, err := range map[string]error{
		"level=WARN":  full,
		"level=ERROR": hive.Errorf(hive.CodeUnavailable, "the database is away: %w", errors.New("refused")),
		"":            hive.Errorf(hive.CodeInvalid, "limit must be from 1 to 500"),
	} {
		var lines bytes.Buffer
		app := fiber.New(fiber.Config{ErrorHandler: problems(slog.New(slog.NewTextHandler(&lines, nil)))})
		app.Get("/", func(*fiber.Ctx) error { return err })
		resp, fault := app.Test(httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		require.NoError(t, fault)
		require.NoError(t, resp.Body.Close())
		if want == "" {
			assert.Empty(t, lines.String())
		} else {
			assert.Contains(t, lines.String(), want)
		}
	}
}
