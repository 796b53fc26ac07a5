package edge

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/rprp/hivego/server/hive"
)

// SessionCookie is the name of the cookie that holds a session.
const SessionCookie = "hivego_session"

const csrfHeader = "X-CSRF-Token"

type identityKey struct{}

// Identity returns the user for whom a request acts. All handlers below /api have one, except setup and login.
func Identity(ctx context.Context) hive.Identity {
	id, _ := ctx.Value(identityKey{}).(hive.Identity)
	return id
}

type visitKey struct{}

// Visit describes the sender of a request to the handlers of setup and login.
type Visit struct {
	hive.Visitor

	Secure bool // the browser uses TLS, so the cookie may demand it
}

// VisitOf returns the visit of a request to setup or login.
func VisitOf(ctx context.Context) Visit {
	v, _ := ctx.Value(visitKey{}).(Visit)
	return v
}

// Authenticator looks up the owner of a token.
type Authenticator interface {
	// Authenticate returns the owner of a token, or CodeUnauthorized if it is not valid.
	Authenticate(ctx context.Context, token string) (hive.Identity, error)
}

// Sessions looks up the owner of a session.
type Sessions interface {
	// Session returns the owner of a session by its text, or CodeUnauthorized if it is not valid.
	Session(ctx context.Context, text string) (hive.Identity, error)
}

// Gate authenticates requests.
type Gate struct {
	auth     Authenticator
	sessions Sessions
	site     Site
	failures *limiter
}

// NewGate makes a gate. now is the clock of the limit of failed authentications.
func NewGate(auth Authenticator, sessions Sessions, site Site, now func() time.Time) *Gate {
	return &Gate{auth: auth, sessions: sessions, site: site, failures: newLimiter(now)}
}

// isOpen reports whether a request below /api needs no authentication: setup and login.
func isOpen(method, path string) bool {
	return path == "/api/v1/setup" || path == "/api/v1/session" && method == http.MethodPost
}

// Authenticate lets requests with a valid token or session pass; Identity(c.UserContext()) then returns their user.
// A request with a session that changes something or opens a websocket must come from a page of this server.
//
// Wrong tokens are counted by address. A valid token always passes, so that nobody behind the same address is locked
// out.
func (g *Gate) Authenticate(c *fiber.Ctx) error {
	visitor := g.site.visitor(c)
	if isOpen(c.Method(), c.Path()) {
		if !IsRead(c.Method()) {
			if err := g.site.CheckOrigin(c); err != nil { // no other site may log a browser in as another user
				return err
			}
		}
		c.SetUserContext(context.WithValue(c.UserContext(), visitKey{}, Visit{visitor, g.site.secureCookie(c)}))
		return c.Next()
	}
	token := feedToken(c)
	id, err := g.whoseFeed(c, token)
	if err == nil {
		if err := g.ownRequest(c, id); err != nil {
			return err
		}
		c.SetUserContext(context.WithValue(c.UserContext(), identityKey{}, id))
		return c.Next()
	}
	if hive.CodeOf(err) != hive.CodeUnauthorized {
		return err
	}
	if token != "" || c.Get(fiber.HeaderAuthorization) != "" { // an expired session is not a guess of a token
		return g.Refused(c, err)
	}
	c.Set(fiber.HeaderWWWAuthenticate, challenge)
	return err
}

// Refused counts a request with a wrong token or secret against its address, and returns the error of its answer: err,
// or CodeTooMany after too many of them.
func (g *Gate) Refused(c *fiber.Ctx, err error) error {
	if wait := g.failures.failed(g.site.visitor(c).Address); wait > 0 {
		return &hive.Error{
			Code: hive.CodeTooMany, Wait: wait,
			Words:  "too many requests with a wrong token came from your address; wait a minute",
			Reason: hive.ErrorTooMany,
		}
	}
	c.Set(fiber.HeaderWWWAuthenticate, challenge)
	return err
}

// FeedPath is the only path that takes a token in its query, because calendar programs cannot send headers.
const FeedPath = "/api/v1/forecast.ics"

// feedToken returns the token in the query of a feed; empty if there is none, or if the request has a header.
func feedToken(c *fiber.Ctx) string {
	if c.Path() != FeedPath || !IsRead(c.Method()) || c.Get(fiber.HeaderAuthorization) != "" {
		return ""
	}
	return c.Query("token")
}

// whoseFeed authenticates by the token of a feed if there is one, otherwise as who does.
func (g *Gate) whoseFeed(c *fiber.Ctx, token string) (hive.Identity, error) {
	if token != "" {
		return g.auth.Authenticate(c.UserContext(), token)
	}
	return g.who(c.UserContext(), &c.Request().Header)
}

// ownRequest refuses requests with a session that a page of another site may have sent. A request with a token passes,
// because browsers do not add tokens by themselves.
func (g *Gate) ownRequest(c *fiber.Ctx, id hive.Identity) error {
	upgrade := c.Get(fiber.HeaderUpgrade) != ""
	if id.Session.ID == 0 || IsRead(c.Method()) && !upgrade {
		return nil
	}
	if err := g.site.CheckOrigin(c); err != nil {
		return err
	}
	if upgrade { // browsers do not let a page add headers to it
		return nil
	}
	if subtle.ConstantTimeCompare([]byte(c.Get(csrfHeader)), []byte(id.CSRF)) != 1 {
		return hive.Errorf(hive.CodeForbidden, "the header %s does not fit your session; load the page again",
			csrfHeader).
			WithReason(hive.ErrorCSRF)
	}
	return nil
}

// challenge is the value of WWW-Authenticate.
const challenge = `Bearer realm="hivego"`

// who authenticates a request by its headers alone: by the token if there is one, otherwise by the session.
func (g *Gate) who(ctx context.Context, h *fasthttp.RequestHeader) (hive.Identity, error) {
	if header := string(h.Peek(fiber.HeaderAuthorization)); header != "" {
		scheme, token, ok := strings.Cut(header, " ")
		if !ok || !strings.EqualFold(scheme, "Bearer") {
			return hive.Identity{},
				hive.Errorf(hive.CodeUnauthorized, "send the token as `Authorization: Bearer TOKEN`").
					WithReason(hive.ErrorToken)
		}
		return g.auth.Authenticate(ctx, strings.TrimSpace(token))
	}
	texts := sessionCookies(h)
	switch len(texts) {
	case 0:
		return hive.Identity{},
			hive.Errorf(hive.CodeUnauthorized, "log in first; programs send `Authorization: Bearer TOKEN`: "+
				"`hivego token create --user NAME --data DIR` makes a token").WithReason(hive.ErrorNoToken)
	case 1:
		return g.sessions.Session(ctx, texts[0])
	default: // another site of the same domain has set a second cookie
		return hive.Identity{}, hive.Errorf(hive.CodeUnauthorized,
			"your browser sends two sessions; delete the cookies of this site and log in again").
			WithReason(hive.ErrorSessionTwice)
	}
}

// sessionCookies returns the values of all cookies with the session's name.
func sessionCookies(h *fasthttp.RequestHeader) []string {
	var texts []string
	h.VisitAllCookie(func(name, value []byte) {
		if string(name) == SessionCookie {
			texts = append(texts, string(value))
		}
	})
	return texts
}
