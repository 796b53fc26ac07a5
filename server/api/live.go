package api

import (
	"bufio"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/websocket"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/hive"
)

// livePath is the path of the websocket. OpenAPI cannot describe websockets, so it is not in openapi.yaml.
const livePath = "/api/v1/live"

// liveRoute upgrades a request to a websocket. It runs after authentication.
func (h *handlers) liveRoute(site edge.Site) fiber.Handler {
	upgrader := &websocket.Upgrader{
		ReadBufferSize: 1 << 10, WriteBufferSize: 4 << 10, WriteBufferPool: &sync.Pool{}, HandshakeTimeout: sendWithin,
		CheckOrigin: func(*http.Request) bool { return true }, // the route has checked it
	}
	return func(c *fiber.Ctx) error {
		if h.Live == nil {
			return hive.Errorf(hive.CodeUnavailable, "this server has no live changes")
		}
		r, err := upgradeRequest(c)
		if err != nil {
			return err
		}
		if c.Get(fiber.HeaderOrigin) != "" { // also with a token: no program has a reason to send a foreign Origin
			if err := site.CheckOrigin(c); err != nil {
				return err
			}
		}
		id := edge.Identity(c.UserContext())
		ended, stop := h.Sessions.Watch(id)
		client, err := h.Live.Connect(id.User.ID, id.User.Name, ended)
		if err != nil {
			stop()
			return err
		}
		c.Context().HijackSetNoResponse(true)
		c.Context().Hijack(func(conn net.Conn) {
			defer stop()
			defer client.Close()
			taken := &taking{Conn: bare(conn), conn: conn}
			ws, err := upgrader.Upgrade(taken, r, nil)
			if err != nil {
				return // the upgrader has answered
			}
			(&socket{ws: ws, client: client, info: h.System.Info, contract: h.contract}).serve()
		})
		return nil
	}
}

// upgradeRequest converts a request for the websocket library. It copies all texts, because the HTTP server reuses its
// buffers once the handler has returned.
func upgradeRequest(c *fiber.Ctx) (*http.Request, error) {
	var shared http.Request
	if err := fasthttpadaptor.ConvertRequest(c.Context(), &shared, false); err != nil {
		return nil, hive.Errorf(hive.CodeInvalid, "the request cannot be read: %w", err)
	}
	r := &http.Request{
		Method: strings.Clone(shared.Method), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		URL: &url.URL{Path: livePath}, Host: strings.Clone(shared.Host),
		RemoteAddr: strings.Clone(shared.RemoteAddr), Header: http.Header{}, Body: http.NoBody,
	}
	for name, values := range shared.Header {
		for _, v := range values {
			r.Header.Add(strings.Clone(name), strings.Clone(v))
		}
	}
	key, err := base64.StdEncoding.DecodeString(r.Header.Get("Sec-WebSocket-Key"))
	if !websocket.IsWebSocketUpgrade(r) || r.Header.Get("Sec-WebSocket-Version") != "13" || err != nil ||
		len(key) != keySize {
		return nil, hive.Errorf(hive.CodeInvalid,
			"this path is a websocket: connect to it with a client for websockets, version 13")
	}
	return r, nil
}

// keySize is the length of the key of a handshake in bytes (RFC 6455, 4.1).
const keySize = 16

// bare unwraps a connection. The wrapper of the HTTP server ignores Close and closes the connection, which also
// uncounts it, only after the handler has returned.
func bare(c net.Conn) net.Conn {
	if w, ok := c.(interface{ UnsafeConn() net.Conn }); ok {
		return w.UnsafeConn()
	}
	return c
}

// taking lets the websocket library take over a connection. It reads through the buffer of the HTTP server, which may
// have read ahead, and closes the real connection.
type taking struct {
	net.Conn

	conn   net.Conn
	header http.Header
}

// Read reads the bytes after the request.
func (t *taking) Read(p []byte) (int, error) { return t.conn.Read(p) }

// Hijack returns the connection.
func (t *taking) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return t, bufio.NewReadWriter(bufio.NewReaderSize(t, 16), bufio.NewWriterSize(t.Conn, 16)), nil
}

// Header returns the headers of an answer that refuses the upgrade.
func (t *taking) Header() http.Header {
	if t.header == nil {
		t.header = http.Header{}
	}
	return t.header
}

// WriteHeader refuses the upgrade.
func (t *taking) WriteHeader(status int) {
	resp := http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: t.Header(), Close: true}
	_ = t.SetWriteDeadline(time.Now().Add(sendWithin))
	_ = resp.Write(t.Conn)
}
