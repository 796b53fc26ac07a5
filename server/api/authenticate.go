package api

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

const (
	cookieName = "hivego_session"
	csrfHeader = "X-CSRF-Token"
)

type identityKey struct{}

// identity is on whose behalf ctx acts. Every handler below /api has one, but those that let people in.
func identity(ctx context.Context) hive.Identity {
	id, _ := ctx.Value(identityKey{}).(hive.Identity)
	return id
}

type visitKey struct{}

// visit is who stands at the door: what the handlers that let people in know of a request.
type visit struct {
	hive.Visitor

	secure bool // the cookie goes over TLS only
}

func visitOf(ctx context.Context) visit {
	v, _ := ctx.Value(visitKey{}).(visit)
	return v
}

// gate decides who comes in.
type gate struct {
	auth     Auth
	sessions Sessions
	site     Site
	failures *limiter
}

// isOpen says which paths below /api let people in, so that nobody need have been let in before.
func isOpen(method, path string) bool {
	return path == "/api/v1/setup" || path == "/api/v1/session" && method == http.MethodPost
}

// authenticate lets requests with a user's token or session pass; identity(c.UserContext()) is then whose it is. What a
// session changes, and each websocket that it asks for, must come from a page of this server.
//
// Wrong tokens are counted by address; a right one always passes, so that nobody behind the same address is locked out.
func (g *gate) authenticate(c *fiber.Ctx) error {
	visitor := g.site.visitor(c)
	if isOpen(c.Method(), c.Path()) {
		if !reads(c.Method()) {
			if err := g.site.ownPage(c); err != nil { // nobody is logged in as somebody else behind their back
				return err
			}
		}
		c.SetUserContext(context.WithValue(c.UserContext(), visitKey{}, visit{visitor, g.site.secureCookie(c)}))
		return c.Next()
	}
	id, err := g.who(c.UserContext(), &c.Request().Header)
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
	if c.Get(fiber.HeaderAuthorization) != "" { // a session that has ended is no guess
		if wait := g.failures.failed(visitor.Address); wait > 0 {
			return &hive.Error{
				Code: hive.CodeTooMany, Wait: wait,
				Words:  "too many requests with a wrong token came from your address; wait a minute",
				Reason: hive.ErrorTooMany,
			}
		}
	}
	c.Set(fiber.HeaderWWWAuthenticate, challenge)
	return err
}

// ownRequest refuses what a page of another site may have sent in the name of a session. A token is not sent by
// browsers of their own accord.
func (g *gate) ownRequest(c *fiber.Ctx, id hive.Identity) error {
	upgrade := c.Get(fiber.HeaderUpgrade) != ""
	if id.Session.ID == 0 || reads(c.Method()) && !upgrade {
		return nil
	}
	if err := g.site.ownPage(c); err != nil {
		return err
	}
	if upgrade { // browsers let no page add headers to it
		return nil
	}
	if subtle.ConstantTimeCompare([]byte(c.Get(csrfHeader)), []byte(id.CSRF)) != 1 {
		return hive.Errorf(hive.CodeForbidden, "the header %s does not fit your session; load the page again",
			csrfHeader).
			WithReason(hive.ErrorCSRF)
	}
	return nil
}

// challenge says how to prove who one is.
const challenge = `Bearer realm="hivego"`

// who says on whose behalf a request is sent, by its headers alone: a token, or else a session.
func (g *gate) who(ctx context.Context, h *fasthttp.RequestHeader) (hive.Identity, error) {
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
	default: // another site of the same domain has put one beside ours
		return hive.Identity{}, hive.Errorf(hive.CodeUnauthorized,
			"your browser sends two sessions; delete the cookies of this site and log in again").WithReason(hive.ErrorSessionTwice)
	}
}

// sessionCookies are the values of all cookies with the session's name.
func sessionCookies(h *fasthttp.RequestHeader) []string {
	var texts []string
	h.VisitAllCookie(func(name, value []byte) {
		if string(name) == cookieName {
			texts = append(texts, string(value))
		}
	})
	return texts
}

// administrator refuses everybody else.
func administrator(ctx context.Context) error {
	if !identity(ctx).User.Admin {
		return hive.Errorf(hive.CodeForbidden, "only an administrator may do this").WithReason(hive.ErrorAdminOnly)
	}
	return nil
}

// expiry is the end of a token that is to work for a time such as "30d"; zero, never, for no text.
func expiry(now time.Time, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	d, err := hive.ParseDuration(text)
	if err == nil && d == 0 {
		err = hive.Errorf(hive.CodeInvalid, "a token that ends at once is of no use")
	}
	if err != nil {
		return time.Time{}, hive.Errorf(hive.CodeInvalid, "expiresIn: %w", err)
	}
	return now.Add(d.Std()), nil
}
