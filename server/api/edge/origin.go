package edge

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/rprp/hivego/server/hive"
)

// Site says under which addresses people reach this server.
type Site struct {
	// Public is the origin that people open, such as https://hivego.example, if it differs from the server's own
	// address.
	Public string
	// Loopback is set if the server listens on a loopback address only. Requests must then name a loopback host or
	// Public.
	Loopback bool
	// Proxied is set if all requests come through a proxy.
	Proxied bool
	// Secure is set if the server itself uses TLS.
	Secure bool
}

// CheckHost refuses requests for another host if the server is for its own machine only. Otherwise a page of another
// site could point its own name at 127.0.0.1 (DNS rebinding), and browsers would treat this server as part of that
// site.
func (s Site) CheckHost(c *fiber.Ctx) error {
	host := hostOf(c)
	if !s.Loopback || isLoopback(host) || s.Public != "" && strings.EqualFold(host, publicHost(s.Public)) {
		return c.Next()
	}
	return hive.Errorf(hive.CodeForbidden,
		"this server answers only on its own machine, and not under the name %.80q; open it at 127.0.0.1 or "+
			"localhost, or start it with --public-url and the address at which people open it", host).
		WithReason(hive.ErrorHost, "host", host)
}

func hostOf(c *fiber.Ctx) string { return string(c.Request().Header.Host()) }

// publicHost returns the Host header that browsers send for an origin.
func publicHost(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	return host
}

// isLoopback reports whether a host, with or without a port, is a loopback name or address.
func isLoopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// CheckOrigin refuses requests that do not come from a page of this server.
func (s Site) CheckOrigin(c *fiber.Ctx) error {
	origin := c.Get(fiber.HeaderOrigin)
	switch {
	case origin == "" && c.Get("Sec-Fetch-Site") == "same-origin":
		return nil
	case origin == "":
		return hive.Errorf(hive.CodeForbidden,
			"this is for the pages of HiveGo: the request names no Origin; programs use a token").
			WithReason(hive.ErrorNoOrigin)
	case s.Public != "" && strings.EqualFold(origin, s.Public),
		strings.EqualFold(origin, "https://"+hostOf(c)),
		// a server without TLS may be behind a proxy with or without TLS
		!s.Secure && strings.EqualFold(origin, "http://"+hostOf(c)):
		return nil
	}
	return hive.Errorf(hive.CodeForbidden,
		"the request came from a page of %.80q, which is not an address of this server; open HiveGo at its own "+
			"address, or start it with --public-url and the address at which people open it", origin).
		WithReason(hive.ErrorOrigin, "origin", origin)
}

// secureCookie reports whether the browser that sent a request uses TLS, to this server or to a proxy.
func (s Site) secureCookie(c *fiber.Ctx) bool {
	origin := c.Get(fiber.HeaderOrigin)
	return s.Secure || hasPrefixFold(origin, "https://") || origin == "" && hasPrefixFold(s.Public, "https://")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// forwarding lists the headers that proxies add.
var forwarding = []string{ //nolint:gochecknoglobals // a list that nobody changes
	fiber.HeaderXForwardedFor, fiber.HeaderForwarded, fiber.HeaderXForwardedHost, fiber.HeaderXForwardedProto,
	fiber.HeaderVia,
	"X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Fly-Client-Ip", "X-Forwarded",
	"X-Forwarded-Server",
	"X-Forwarded-Port",
}

// visitor returns the sender of a request. The header X-Forwarded-For counts only if the settings name a proxy: with
// Proxied every peer is the proxy, with Public alone only a peer on this machine. The last address in the header is the
// address that the proxy saw.
func (s Site) visitor(c *fiber.Ctx) hive.Visitor {
	h := &c.Request().Header
	peer, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	peer = peer.Unmap()
	address := peer
	if s.Proxied || s.Public != "" && peer.IsLoopback() {
		if a, ok := lastForwarded(h); ok {
			address = a
		}
	}
	return hive.Visitor{
		Address: address.String(), Agent: c.Get(fiber.HeaderUserAgent),
		Local: peer.IsLoopback() && !s.Proxied && s.Public == "" && isLoopback(hostOf(c)) && !forwarded(h),
	}
}

// forwarded reports whether a request shows signs of a proxy. HTTP/1.0 is one: nginx uses it unless it is configured,
// and then adds no header.
func forwarded(h *fasthttp.RequestHeader) bool {
	if !h.IsHTTP11() {
		return true
	}
	for _, name := range forwarding {
		if len(h.Peek(name)) > 0 {
			return true
		}
	}
	return false
}

func lastForwarded(h *fasthttp.RequestHeader) (netip.Addr, bool) {
	lines := h.PeekAll(fiber.HeaderXForwardedFor)
	if len(lines) == 0 {
		return netip.Addr{}, false
	}
	line := string(lines[len(lines)-1])
	text := strings.TrimSpace(line[strings.LastIndexByte(line, ',')+1:])
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return ap.Addr().Unmap(), true
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return a.Unmap().WithZone(""), err == nil
}

// IsRead reports whether a method only reads.
func IsRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }
