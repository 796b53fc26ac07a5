package api

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/hive"
)

// byteOrderMark is the first character of a file for Excel, which reads UTF-8 only after it.
const byteOrderMark = "\ufeff"

// csvFile sends a table piece by piece.
type csvFile struct {
	name string
	mark bool
	head []string
	body csvBody
}

// VisitExportBatchesResponse begins the download.
func (f *csvFile) VisitExportBatchesResponse(c *fiber.Ctx) error { return f.send(c) }

// VisitExportTasksResponse begins the download.
func (f *csvFile) VisitExportTasksResponse(c *fiber.Ctx) error { return f.send(c) }

func (f *csvFile) send(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+f.name+`"`)
	c.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	f.body.conn = c.Context().Conn()
	if f.mark {
		f.body.rest.WriteString(byteOrderMark)
	}
	if err := f.body.write([][]string{f.head}); err != nil {
		return err
	}
	return c.SendStream(&f.body)
}

// csvBody reads a table in pieces. The HTTP server reads it after the handler has returned, as fast as the client takes
// it.
type csvBody struct {
	ctx context.Context //nolint:containedctx // io.Reader has no other way to get one
	// next returns more rows; none at the end.
	next func(ctx context.Context) ([][]string, error)
	conn net.Conn
	rest bytes.Buffer
}

// Read returns the next bytes. An error aborts the download, so that nobody mistakes a part for the complete table.
func (b *csvBody) Read(to []byte) (int, error) {
	if b.rest.Len() == 0 {
		if err := b.more(); err != nil {
			return 0, err
		}
	}
	return b.rest.Read(to) //nolint:wrapcheck // io.EOF must stay what it is
}

func (b *csvBody) more() error {
	ctx, cancel := context.WithTimeout(b.ctx, edge.MaxRequest)
	defer cancel()
	rows, err := b.next(ctx)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return io.EOF
	}
	if b.conn != nil { // each piece gets the time of one answer
		if err := b.conn.SetWriteDeadline(time.Now().Add(maxAnswer)); err != nil {
			return fmt.Errorf("go on with a download: %w", err)
		}
	}
	return b.write(rows)
}

func (b *csvBody) write(rows [][]string) error {
	w := csv.NewWriter(&b.rest)
	w.UseCRLF = true
	if err := w.WriteAll(rows); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// csvTime writes a time; nothing for none.
func csvTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// csvSpan writes the seconds from one time to another; nothing if one of them is missing.
func csvSpan(from, to time.Time) string {
	if from.IsZero() || to.IsZero() {
		return ""
	}
	return strconv.FormatFloat(max(0, to.Sub(from).Seconds()), 'f', 3, 64)
}

// csvNumber writes a number; nothing for 0.
func csvNumber(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// csvCounts writes the number of runs in each state, in the order of the columns.
func csvCounts(c hive.Counts) []string {
	states := hive.RunStates()
	out := make([]string, 0, len(states)+1)
	total := 0
	for _, s := range states {
		total += c[s]
		out = append(out, strconv.Itoa(c[s]))
	}
	return append([]string{strconv.Itoa(total)}, out...)
}
