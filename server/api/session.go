package api

import (
	"context"
	"net/http"
	"time"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) GetSetup(ctx context.Context, _ stub.GetSetupRequestObject) (stub.GetSetupResponseObject, error) {
	needed, err := h.Sessions.NeedsSetup(ctx)
	if err != nil {
		return nil, err
	}
	return stub.GetSetup200JSONResponse{Needed: needed, Code: needed && !edge.VisitOf(ctx).Local}, nil
}

func (h *handlers) SetUp(ctx context.Context, r stub.SetUpRequestObject) (stub.SetUpResponseObject, error) {
	v := edge.VisitOf(ctx)
	id, text, err := h.Sessions.SetUp(ctx, r.Body.Name, r.Body.Password, r.Body.Code, v.Visitor)
	if err != nil {
		return nil, err
	}
	return stub.SetUp201JSONResponse{
		Body: me(id), Headers: stub.SetUp201ResponseHeaders{SetCookie: h.cookie(text, id.Session.EndsAt, v.Secure)},
	}, nil
}

func (h *handlers) LogIn(ctx context.Context, r stub.LogInRequestObject) (stub.LogInResponseObject, error) {
	v := edge.VisitOf(ctx)
	id, text, err := h.Sessions.LogIn(ctx, r.Body.Name, r.Body.Password, v.Visitor)
	if err != nil {
		return nil, err
	}
	return stub.LogIn200JSONResponse{
		Body: me(id), Headers: stub.LogIn200ResponseHeaders{SetCookie: h.cookie(text, id.Session.EndsAt, v.Secure)},
	}, nil
}

func (h *handlers) LogOut(ctx context.Context, _ stub.LogOutRequestObject) (stub.LogOutResponseObject, error) {
	if err := h.Sessions.LogOut(ctx, edge.Identity(ctx)); err != nil {
		return nil, err
	}
	return stub.LogOut204Response{Headers: stub.LogOut204ResponseHeaders{SetCookie: h.cookie("", time.Time{}, false)}},
		nil
}

func (h *handlers) SetPassword(ctx context.Context,
	r stub.SetPasswordRequestObject,
) (stub.SetPasswordResponseObject, error) {
	id := edge.Identity(ctx)
	if err := h.Sessions.ChangePassword(ctx, id, r.Body.Current, r.Body.Next); err != nil {
		return nil, err
	}
	return stub.SetPassword204Response{}, nil
}

// cookie returns the Set-Cookie header of a session that lasts until end. Without a text it deletes the cookie.
func (h *handlers) cookie(text string, end time.Time, secure bool) string {
	age := -1
	if text != "" {
		age = int(end.Sub(h.now()).Seconds())
	}
	c := http.Cookie{ //nolint:gosec // secure wherever the browser speaks TLS; it drops such a cookie on plain loopback
		Name: edge.SessionCookie, Value: text, Path: "/", MaxAge: age, HttpOnly: true, Secure: secure,
		SameSite: http.SameSiteStrictMode,
	}
	return c.String()
}

// me describes the user for whom a request acts.
func me(id hive.Identity) model.Me {
	m := model.Me{
		Name: id.User.Name, Admin: id.User.Admin,
		TokenID: id.Token.ID, TokenName: id.Token.Name, ExpiresAt: wire.At(id.Token.ExpiresAt), Csrf: id.CSRF,
	}
	if id.Session.ID != 0 {
		m.ExpiresAt = wire.At(id.Session.EndsAt)
	}
	return m
}
