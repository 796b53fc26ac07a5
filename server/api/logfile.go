package api

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) GetLogFile(ctx context.Context,
	r stub.GetLogFileRequestObject,
) (stub.GetLogFileResponseObject, error) {
	a, err := h.attempt(ctx, r.ID, r.Task, r.Params.Attempt)
	if err != nil {
		return nil, err
	}
	begin, err := h.Logs.Read(ctx, a, 0, 1)
	if err != nil {
		return nil, err
	}
	return logFile{
		name: fmt.Sprintf("%s-%d-%d.log", r.Task, r.ID, a.Number), attempt: a.Number,
		body: &logBody{ctx: context.WithoutCancel(ctx), logs: h.Logs, attempt: a, end: begin.Size},
	}, nil
}

// logFile sends a log piece by piece.
type logFile struct {
	name    string
	attempt int
	body    *logBody
}

// VisitGetLogFileResponse begins the download.
func (f logFile) VisitGetLogFileResponse(c *fiber.Ctx) error {
	c.Set("X-Log-Attempt", strconv.Itoa(f.attempt))
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+f.name+`"`)
	c.Set(fiber.HeaderContentType, "text/plain; charset=utf-8")
	f.body.conn = c.Context().Conn()
	return c.SendStream(f.body, int(f.body.end))
}

// logBody reads a log from its beginning to the end that it had when the download began. The HTTP server reads it after
// the handler has returned, as fast as the client takes it.
type logBody struct {
	ctx     context.Context //nolint:containedctx // io.Reader has no other way to get one
	logs    Logs
	attempt hive.Attempt
	conn    net.Conn
	at, end int64
	rest    []byte
}

// Read returns the next bytes. An error aborts the download, so that nobody mistakes a part for the complete log.
func (b *logBody) Read(to []byte) (int, error) {
	if len(b.rest) == 0 {
		if b.at >= b.end {
			return 0, io.EOF
		}
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	n := copy(to, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *logBody) next() error {
	ctx, cancel := context.WithTimeout(b.ctx, edge.MaxRequest)
	defer cancel()
	part, err := b.logs.Read(ctx, b.attempt, b.at, min(b.end-b.at, hive.MaxLogPart))
	if err != nil {
		return err
	}
	if len(part.Data) == 0 {
		return fmt.Errorf("the log ends at byte %d, and had %d: %w", b.at, b.end, io.ErrUnexpectedEOF)
	}
	b.rest = part.Data
	b.at += int64(len(part.Data))
	if b.conn == nil {
		return nil
	}
	// Each piece gets the time of one answer, because a complete log may be a gigabyte.
	if err := b.conn.SetWriteDeadline(time.Now().Add(maxAnswer)); err != nil {
		return fmt.Errorf("go on with a download: %w", err)
	}
	return nil
}
