package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/strict"
	"github.com/rprp/hivego/server/hive"
)

const unreadable = "the request is not readable HTTP"

const internalWords = "the server met a defect; its log has the details under the id of the request"

// statusOf maps the codes of errors to HTTP statuses.
func statusOf(c hive.Code) int {
	switch c {
	case hive.CodeInvalid:
		return http.StatusBadRequest
	case hive.CodeNotFound:
		return http.StatusNotFound
	case hive.CodeConflict:
		return http.StatusConflict
	case hive.CodeUnauthorized:
		return http.StatusUnauthorized
	case hive.CodeForbidden:
		return http.StatusForbidden
	case hive.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case hive.CodeTooMany:
		return http.StatusTooManyRequests
	case hive.CodeUnavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// problems turns every error of the handlers and of the HTTP server into an answer.
func problems(log *slog.Logger) fiber.ErrorHandler {
	return func(c *fiber.Ctx, err error) error {
		p := problemOf(err)
		if p.Status == http.StatusBadRequest && c.GetRespHeader(edge.RequestHeader) == "" {
			// No handler has seen the request. The HTTP server's error would quote its headers with the token.
			p = newProblem(p.Status, string(hive.CodeInvalid), unreadable)
		}
		p.Instance = edge.RequestID(c)
		if p.Status >= http.StatusInternalServerError {
			log.Log(c.UserContext(), levelOf(err), "a request failed",
				"request", p.Instance, "method", c.Method(), "path", c.Path(), "error", cause(err))
		}
		edge.SetHeaders(c)
		if e, ok := errors.AsType[*hive.Error](err); ok && e.Wait > 0 {
			c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int((e.Wait+time.Second-1)/time.Second)))
		}
		c.Status(p.Status)
		return c.JSON(p, "application/problem+json")
	}
}

// levelOf returns the level for logging an error. Refusals because of overload are only warnings, so that a flood of
// requests does not fill the log with errors.
func levelOf(err error) slog.Level {
	if e, ok := errors.AsType[*hive.Error](err); ok && e.Code == hive.CodeUnavailable && e.Err == nil {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// cause returns an error together with its cause, which users do not see.
func cause(err error) error {
	if e, ok := errors.AsType[*hive.Error](err); ok && e.Err != nil {
		return fmt.Errorf("%s: %w", e.Words, e.Err)
	}
	return err
}

func problemOf(err error) model.Problem {
	if e, ok := errors.AsType[*fiber.Error](err); ok {
		p := problemOfFiber(e)
		p.Reason = model.ProblemReason(refusalOfFiber(p.Status))
		if name, ok := boundParameter(e.Message); ok {
			p.Params = map[string]string{"fault": "parameter", "name": name}
		}
		return p
	}
	e, ok := errors.AsType[*hive.Error](err)
	if !ok || e.Code == hive.CodeInternal {
		return newProblem(http.StatusInternalServerError, string(hive.CodeInternal), internalWords)
	}
	p := newProblem(statusOf(e.Code), string(e.Code), e.Words)
	p.Faults = faults(e.Faults)
	p.Reason, p.Params = model.ProblemReason(e.Reason), e.Params
	return p
}

func newProblem(status int, code, words string) model.Problem {
	return model.Problem{
		Type: "urn:hivego:problem:" + code, Title: http.StatusText(status), Status: status,
		Code: model.ProblemCode(code), Detail: words,
	}
}

// problemOfFiber translates errors of the HTTP server and of the generated stubs.
func problemOfFiber(e *fiber.Error) model.Problem {
	switch e.Code {
	case http.StatusNotFound:
		return newProblem(e.Code, string(hive.CodeNotFound), e.Message)
	case http.StatusMethodNotAllowed:
		return newProblem(e.Code, "method_not_allowed", e.Message)
	case http.StatusRequestEntityTooLarge:
		return newProblem(e.Code, string(hive.CodeTooLarge),
			fmt.Sprintf("the request's body is larger than the limit of %d MiB (%d KiB without a valid token or "+
				"session)",
				edge.MaxBody>>20, edge.MaxAnonymousBody>>10))
	case http.StatusRequestHeaderFieldsTooLarge:
		return newProblem(e.Code, string(hive.CodeTooLarge),
			fmt.Sprintf("the request's headers are larger than the limit of %d KiB", edge.MaxHeaders>>10))
	case http.StatusUnsupportedMediaType:
		return newProblem(e.Code, "unsupported_media_type", e.Message)
	case http.StatusRequestTimeout:
		return newProblem(e.Code, string(hive.CodeInvalid), "the request did not arrive within 30 seconds")
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return newProblem(http.StatusBadRequest, string(hive.CodeInvalid), bindingWords(e.Message))
	default:
		if e.Code >= http.StatusInternalServerError {
			return newProblem(http.StatusInternalServerError, string(hive.CodeInternal), internalWords)
		}
		return newProblem(http.StatusBadRequest, string(hive.CodeInvalid), unreadable)
	}
}

// refusalOfFiber returns the reason for an error of the HTTP server or of the generated stubs.
func refusalOfFiber(status int) hive.ErrorReason {
	switch status {
	case http.StatusNotFound:
		return hive.ErrorPath
	case http.StatusMethodNotAllowed:
		return hive.ErrorMethod
	case http.StatusRequestEntityTooLarge:
		return hive.ErrorBodySize
	case http.StatusTooManyRequests:
		return hive.ErrorTooMany
	case http.StatusUnsupportedMediaType:
		return hive.ErrorMediaType
	case http.StatusBadRequest:
		return hive.ErrorBody
	default:
		return ""
	}
}

// bindingWords rewords an error of the generated stubs about a parameter, without the names of Go functions.
func bindingWords(words string) string {
	if name, ok := boundParameter(words); ok {
		return fmt.Sprintf("the parameter %q has a value of the wrong kind; GET "+strict.SpecPath+
			" says what it takes", name)
	}
	return words
}

// boundParameter returns the name of the parameter that the generated stubs could not parse.
func boundParameter(words string) (string, bool) {
	rest, ok := strings.CutPrefix(words, "Invalid format for parameter ")
	name, _, _ := strings.Cut(rest, ":")
	return name, ok
}

func faults(list []hive.Fault) []model.Fault {
	out := make([]model.Fault, 0, len(list))
	for i := range list {
		f := &list[i]
		out = append(out, model.Fault{
			Code: f.Code, Path: f.Path, Line: f.Line, Column: f.Column,
			Message: f.Message, Remedy: f.Remedy, Warning: f.Warning,
			Reason: string(f.Reason), Params: f.Params,
		})
	}
	return out
}
