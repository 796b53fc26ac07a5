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

// policy allows a page to load from its own server only, to run only the server's script files, and not to be framed.
//
// Style elements are allowed, because the interface's components (Mantine) add some at run time. Style attributes are
// not: components set styles through the DOM, which the policy does not restrict.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; font-src 'self'; " +
	"manifest-src 'self'; " +
	"img-src 'self' data:; style-src-elem 'self' 'unsafe-inline'; style-src-attr 'none'; style-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// permissions lists browser features that no page of HiveGo uses.
const permissions = "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), " +
	"geolocation=(), gyroscope=(), " +
	"magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), " +
	"serial=(), usb=(), " +
	"xr-spatial-tracking=()"

// Register adds the pages to an app: files by their path, and the first page for the addresses of pages, so that deep
// links work. An unknown address gets the first page with status 404, unless it looks like a file or lies under the
// paths of the API; those are left to other handlers.
func Register(app fiber.Router) { register(app, assets.Files()) }

func register(app fiber.Router, files fs.FS) {
	s := &site{pages: read(files), routes: readRoutes()}
	app.Get("/*", s.send)
	app.Use(s.refuse)
}

// send serves the page for a path.
func (s *site) send(c *fiber.Ctx) error {
	p, status := s.find(path.Clean("/" + c.Params("*")))
	if p == nil {
		return c.Next()
	}
	c.Set(fiber.HeaderContentSecurityPolicy, policy)
	c.Set("Permissions-Policy", permissions)
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	// With no-referrer, some requests would have the Origin null, and the API would refuse them.
	c.Set(fiber.HeaderReferrerPolicy, "same-origin")
	c.Set(fiber.HeaderContentType, p.kind)
	c.Set(fiber.HeaderCacheControl, p.cache)
	c.Vary(fiber.HeaderAcceptEncoding)
	form := p.form(c.Get(fiber.HeaderAcceptEncoding))
	if status == http.StatusOK {
		tag := form.tag()
		c.Set(fiber.HeaderETag, tag)
		if known(c.Get(fiber.HeaderIfNoneMatch), tag) {
			return c.SendStatus(http.StatusNotModified)
		}
	}
	if form.coding != "" {
		c.Set(fiber.HeaderContentEncoding, form.coding)
	}
	return c.Status(status).Send(form.body())
}

// refuse returns a writing method on the address of a page.
func (s *site) refuse(c *fiber.Ctx) error {
	_, status := s.find(path.Clean(c.Path()))
	if status != http.StatusOK || c.Method() == http.MethodGet || c.Method() == http.MethodHead {
		return c.Next()
	}
	c.Set(fiber.HeaderAllow, "GET, HEAD")
	return fiber.NewError(http.StatusMethodNotAllowed, "this is a page; it takes GET, HEAD")
}

// known reports whether the browser has the current version of a file, by its tag.
func known(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimSpace(one); one == tag || one == "*" || one == "W/"+tag {
			return true
		}
	}
	return false
}
