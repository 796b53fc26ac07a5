// Package web serves the pages of the web interface, embedded in the binary.
package web

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/assets"
)

// policy lets pages load from their own server only, run no script but its files, and be framed by nobody.
//
// Style elements may stand in a page, because the interface's components (Mantine) put some there while they run. Style
// attributes may not: components set styles through the DOM, which the policy leaves alone.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; font-src 'self'; manifest-src 'self'; " +
	"img-src 'self' data:; style-src-elem 'self' 'unsafe-inline'; style-src-attr 'none'; style-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// permissions are what no page of HiveGo will ever ask for.
const permissions = "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), " +
	"magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), " +
	"xr-spatial-tracking=()"

// Register adds the pages to an app: files by their path, and the first page for the addresses of pages, so that deep
// links work. Any other address gets it with the status 404, but for what looks like a file: that is left to others, as
// the paths of the API are.
func Register(app fiber.Router) { register(app, assets.Files()) }

func register(app fiber.Router, files fs.FS) {
	s := &site{pages: read(files), routes: readRoutes()}
	app.Get("/*", s.send)
	app.Use(s.refuse)
}

// send answers a path with what it shows.
func (s *site) send(c *fiber.Ctx) error {
	p, status := s.find(path.Clean("/" + c.Params("*")))
	if p == nil {
		return c.Next()
	}
	c.Set(fiber.HeaderContentSecurityPolicy, policy)
	c.Set("Permissions-Policy", permissions)
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	// With no-referrer, what some ways of sending say of their origin would be null, and the API would refuse them.
	c.Set(fiber.HeaderReferrerPolicy, "same-origin")
	c.Set(fiber.HeaderContentType, p.kind)
	c.Set(fiber.HeaderCacheControl, p.cache)
	c.Vary(fiber.HeaderAcceptEncoding)
	form := p.form(c.Get(fiber.HeaderAcceptEncoding))
	if status == http.StatusOK {
		c.Set(fiber.HeaderETag, form.tag)
		if known(c.Get(fiber.HeaderIfNoneMatch), form.tag) {
			return c.SendStatus(http.StatusNotModified)
		}
	}
	if form.coding != "" {
		c.Set(fiber.HeaderContentEncoding, form.coding)
	}
	return c.Status(status).Send(form.body)
}

// refuse answers a method that changes something, where there is a page to read.
func (s *site) refuse(c *fiber.Ctx) error {
	_, status := s.find(path.Clean(c.Path()))
	if status != http.StatusOK || c.Method() == http.MethodGet || c.Method() == http.MethodHead {
		return c.Next()
	}
	c.Set(fiber.HeaderAllow, "GET, HEAD")
	return fiber.NewError(http.StatusMethodNotAllowed, "this is a page; it takes GET, HEAD")
}

// known says whether a browser has what the tag names.
func known(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimSpace(one); one == tag || one == "*" || one == "W/"+tag {
			return true
		}
	}
	return false
}
