package edge

import (
	"mime"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// CheckContent checks the media type of a body before the body is parsed, and normalizes it for the generated stubs.
func CheckContent(c *fiber.Ctx) error {
	method := c.Method()
	if method != http.MethodPost && method != http.MethodPut {
		return c.Next()
	}
	if e := c.Get(fiber.HeaderContentEncoding); e != "" && e != "identity" {
		return fiber.NewError(http.StatusUnsupportedMediaType, "send the body without a Content-Encoding")
	}
	kind, options, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil {
		kind = ""
	}
	if set := options["charset"]; set != "" && !strings.EqualFold(set, "utf-8") {
		kind = ""
	}
	document := takesDocument(method, c.Path())
	switch kind {
	case TypeJSON:
		c.Request().Header.SetContentType(TypeJSON)
	case TypeYAML, "application/x-yaml", "text/yaml", "text/x-yaml":
		if !document {
			return fiber.NewError(http.StatusUnsupportedMediaType, "send the body as `Content-Type: application/json`")
		}
		c.Request().Header.SetContentType(TypeYAML)
	default:
		if document {
			return fiber.NewError(http.StatusUnsupportedMediaType,
				"send the document as `Content-Type: application/yaml` or `application/json`")
		}
		return fiber.NewError(http.StatusUnsupportedMediaType,
			"send the body as `Content-Type: application/json`, in UTF-8")
	}
	return c.Next()
}

// takesDocument reports whether an operation takes a document, which may be YAML: POST /api/v1/validate,
// /api/v1/documents and /api/v1/alert-documents, and PUT of a schedule, calendar, rule of alerts, channel or
// connection.
func takesDocument(method, path string) bool {
	if method == http.MethodPost {
		return path == "/api/v1/validate" || path == "/api/v1/documents" || path == "/api/v1/alert-documents"
	}
	for _, folder := range []string{
		"/api/v1/schedules/", "/api/v1/calendars/", "/api/v1/alert-rules/", "/api/v1/channels/",
		"/api/v1/connections/",
	} {
		if name, ok := strings.CutPrefix(path, folder); ok && !strings.Contains(name, "/") {
			return true
		}
	}
	return false
}
