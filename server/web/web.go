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

// Register adds the pages to an app: files by their path, the first page for every other path, so that deep links work.
// Paths of the API are left to others.
func Register(app fiber.Router) { register(app, assets.Files()) }

func register(app fiber.Router, files fs.FS) {
	pages := read(files)
	app.Get("/*", func(c *fiber.Ctx) error {
		p, ok := pages.find(path.Clean("/" + c.Params("*")))
		if !ok {
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
		c.Set(fiber.HeaderETag, form.tag)
		if known(c.Get(fiber.HeaderIfNoneMatch), form.tag) {
			return c.SendStatus(http.StatusNotModified)
		}
		if form.coding != "" {
			c.Set(fiber.HeaderContentEncoding, form.coding)
		}
		return c.Send(form.body)
	})
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
