package http

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxExcerpt is how much of a body an error contains, in characters.
const maxExcerpt = 200

// print writes a line into the task's log, without secrets.
func (c *client) print(format string, args ...any) {
	c.task.Printf("%s", c.hide(fmt.Sprintf(format, args...)))
}

// hide masks the secrets of the executor and of the task. Whatever is cut must be masked first: half of a secret is not
// found.
func (c *client) hide(text string) string { return c.task.Mask(c.masked.Replace(text)) }

// clean removes secrets from an error.
func (c *client) clean(err error) error {
	if text := err.Error(); c.hide(text) != text {
		return errors.New(c.hide(text))
	}
	return err
}

// show writes an answer into the log: the request, the status, the headers, and the beginning of the body.
func (c *client) show(a *answer) {
	size := fmt.Sprintf("%d bytes", len(a.raw))
	if a.tooLarge {
		size = fmt.Sprintf("more than %d bytes", maxBody)
	}
	c.print("%s: %s, %s, %s", a.request, a.line, size, a.took.Round(time.Millisecond))
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		value := strings.Join(a.header[name], ", ")
		if slices.Contains([]string{"Set-Cookie", "Authorization", "Www-Authenticate"}, http.CanonicalHeaderKey(name)) {
			value = "•••"
		}
		c.print("%s: %s", name, value)
	}
	limit := c.params.ShowBody << 10
	if len(a.raw) == 0 || limit == 0 {
		return
	}
	if !utf8.Valid(a.raw[:cut(a.raw, len(a.raw))]) {
		c.print("(the body is no text)")
		return
	}
	// Secrets are hidden first: a cut in the middle of a secret would leave half of it.
	text := c.hide(string(a.raw))
	if len(text) <= limit {
		c.print("%s", text)
		return
	}
	c.print("%s", text[:cut([]byte(text), limit)])
	c.print("… (only the first %d KiB are shown)", c.params.ShowBody)
}

// cut returns the end of the last complete character within the first n bytes.
func cut(text []byte, n int) int {
	n = min(n, len(text))
	for i := n; i > max(0, n-utf8.UTFMax); i-- {
		if i == len(text) || utf8.RuneStart(text[i]) {
			if r, size := utf8.DecodeLastRune(text[:i]); r != utf8.RuneError || size != 1 {
				return i
			}
		}
	}
	return n
}

// excerpt returns the beginning of the body on one line, for an error, without secrets.
func (a *answer) excerpt() string {
	text := strings.Join(strings.Fields(a.hide(a.Text)), " ")
	if text == "" {
		return ""
	}
	if utf8.RuneCountInString(text) > maxExcerpt {
		text = string([]rune(text)[:maxExcerpt]) + "…"
	}
	return ": " + text
}
