package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/apitest"
)

// TestOnTheWire sends raw bytes to a real listener, for requests that are refused before a handler.
func TestOnTheWire(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.listen()
	head := "PUT /api/v1/schedules/x HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + apitest.Token +
		"\r\nContent-Type: application/yaml\r\n"
	for name, tc := range map[string]struct {
		request, code string
		status        int
	}{
		"a large body": {
			head + "Content-Length: 4194305\r\n\r\n" + strings.Repeat("x", 4194305), "too_large",
			413,
		},
		"a larger promise": {head + "Content-Length: 99999999999\r\n\r\nx", "too_large", 413},
		"large headers": {
			"GET /api/v1/me HTTP/1.1\r\nHost: h\r\nX: " + strings.Repeat("x", 20_000) + "\r\n\r\n",
			"too_large", 431,
		},
		"no HTTP": {"hello\r\n\r\n", "invalid", 400},
		"a chunked flood": {head + "Transfer-Encoding: chunked\r\n\r\n" +
			strings.Repeat("100000\r\n"+strings.Repeat("x", 1<<20)+"\r\n", 5), "too_large", 413},
		"a broken chunk":      {head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "invalid", 400},
		"a negative length":   {head + "Content-Length: -1\r\n\r\n", "invalid", 400},
		"a header with a gap": {head + "Content-Length : 4\r\n\r\nabcd", "invalid", 400},
		"two lengths":         {head + "Content-Length: 4\r\ncontent-length: 8\r\n\r\nabcdefgh", "invalid", 400},
		"length and chunks": {
			head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "invalid",
			400,
		},
		"an unknown coding": {head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "invalid", 400},
		"a stranger's body": {
			strings.Replace(head, apitest.Token, "hgo_x", 1) + "Content-Length: 4000000\r\n\r\n",
			"unauthorized", 401,
		},
		"nobody's body": {
			"PUT /api/v1/schedules/x HTTP/1.1\r\nHost: h\r\nContent-Length: 70000\r\n\r\n",
			"unauthorized", 401,
		},
		"a stranger's flood": {
			"POST /api/v1/validate HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n" +
				strings.Repeat("x", 1<<20) + "\r\n", "too_large", 413,
		},
		"a mount's body": {
			"POST /thrift/registry HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n",
			"too_large", 413,
		},
		"a very long target": {
			"GET /" + strings.Repeat("x", 20_000) + " HTTP/1.1\r\nHost: h\r\n\r\n", "too_large",
			431,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := wire(t, address, tc.request)
			var p problem
			if err := json.Unmarshal([]byte(body), &p); err != nil || status != tc.status || p.Code != tc.code ||
				p.Detail == "" {
				t.Errorf("%d %s (%v), want %d %s", status, body, err, tc.status, tc.code)
			}
			if strings.Contains(body, apitest.Token) {
				t.Errorf("the answer holds the token: %s", body)
			}
		})
	}
}

// wire sends bytes and reads one answer, even if the server stops reading halfway.
func wire(t *testing.T, address, request string) (status int, body string) {
	t.Helper()
	status, _, body = exchange(t, address, request)
	return status, body
}

// exchange does the same as wire, and also returns the answer's headers.
func exchange(t *testing.T, address, request string) (status int, header http.Header, body string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(c, request) }()
	all, _ := io.ReadAll(c)
	head, body, _ := strings.Cut(string(all), "\r\n\r\n")
	_, _ = fmt.Sscanf(head, "HTTP/1.1 %d", &status)
	_, lines, _ := strings.Cut(head, "\r\n")
	fields, _ := textproto.NewReader(bufio.NewReader(strings.NewReader(lines + "\r\n\r\n"))).ReadMIMEHeader()
	return status, http.Header(fields), body
}
