package api

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// maxTokenName is the greatest length of the name of a token in characters.
const maxTokenName = 100

func (h *handlers) GetHealth(context.Context, stub.GetHealthRequestObject) (stub.GetHealthResponseObject, error) {
	return stub.GetHealth200JSONResponse{Status: model.HealthStatusOk}, nil
}

func (h *handlers) GetReadiness(ctx context.Context,
	_ stub.GetReadinessRequestObject,
) (stub.GetReadinessResponseObject, error) {
	out := model.Health{Status: model.HealthStatusOk}
	for _, c := range h.System.Ready(ctx) {
		check := model.HealthCheck{Name: c.Name, Ok: c.Err == nil || c.Degraded, Degraded: c.Degraded}
		if e, ok := errors.AsType[*hive.Error](c.Err); ok && e.Reason != "" { // other errors are only logged
			check.Reason, check.Detail = string(e.Reason), e.Words
		}
		out.Checks = append(out.Checks, check)
		if !check.Ok {
			h.log.Warn("not ready", "check", c.Name, "error", c.Err)
			out.Status = model.HealthStatusFailing
		}
	}
	if out.Status == model.HealthStatusFailing {
		return stub.GetReadiness503JSONResponse(out), nil
	}
	return stub.GetReadiness200JSONResponse(out), nil
}

func (h *handlers) GetVersion(context.Context, stub.GetVersionRequestObject) (stub.GetVersionResponseObject, error) {
	i := h.System.Info()
	return stub.GetVersion200JSONResponse{
		Version: i.Version, ClusterID: i.Cluster, ServerID: i.ID, Epoch: i.Epoch, StartedAt: wire.At(i.StartedAt),
	}, nil
}

func (h *handlers) GetMe(ctx context.Context, _ stub.GetMeRequestObject) (stub.GetMeResponseObject, error) {
	return stub.GetMe200JSONResponse(me(edge.Identity(ctx))), nil
}

func (h *handlers) ListTokens(ctx context.Context,
	_ stub.ListTokensRequestObject,
) (stub.ListTokensResponseObject, error) {
	list, err := h.Auth.Tokens(ctx, edge.Identity(ctx).User.ID)
	if err != nil {
		return nil, err
	}
	out := stub.ListTokens200JSONResponse{Items: make([]model.Token, 0, len(list))}
	for _, t := range list {
		out.Items = append(out.Items, model.Token{
			ID: t.ID, Name: t.Name, Group: t.Group,
			CreatedAt: wire.At(t.CreatedAt), ExpiresAt: wire.At(t.ExpiresAt), UsedAt: wire.At(t.UsedAt),
		})
	}
	return out, nil
}

func (h *handlers) CreateToken(ctx context.Context,
	r stub.CreateTokenRequestObject,
) (stub.CreateTokenResponseObject, error) {
	if len([]rune(r.Body.Name)) > maxTokenName {
		return nil, hive.Errorf(hive.CodeInvalid, "name may have at most %d characters", maxTokenName).
			WithReason(hive.ErrorLong, "name", "name", "most", maxTokenName)
	}
	if strings.ContainsFunc(r.Body.Name, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return nil, hive.Errorf(hive.CodeInvalid, "name must be printable text")
	}
	expires, err := expiry(h.now(), r.Body.ExpiresIn)
	if err != nil {
		return nil, err
	}
	// A token that expires must not make a token that lives longer.
	if end := edge.Identity(ctx).Token.ExpiresAt; !end.IsZero() && (expires.IsZero() || expires.After(end)) {
		return nil, hive.Errorf(hive.CodeForbidden,
			"your own token ends at %s, and cannot make one that works longer; give an earlier end with expiresIn",
			end.UTC().Format(time.RFC3339))
	}
	t := hive.Token{Name: r.Body.Name, Group: r.Body.Group, ExpiresAt: expires}
	if t.Group == "" {
		t.UserID = edge.Identity(ctx).User.ID
	} else if err := administrator(ctx); err != nil {
		return nil, err
	}
	stored, text, err := h.Auth.CreateToken(ctx, t)
	if err != nil {
		return nil, err
	}
	return stub.CreateToken201JSONResponse{ID: stored.ID, Token: text}, nil
}

func (h *handlers) DeleteToken(ctx context.Context,
	r stub.DeleteTokenRequestObject,
) (stub.DeleteTokenResponseObject, error) {
	user := edge.Identity(ctx).User
	owner := user.ID
	if user.Admin {
		owner = 0
	}
	if err := h.Auth.DeleteToken(ctx, r.ID, owner); err != nil {
		return nil, err
	}
	return stub.DeleteToken204Response{}, nil
}

// administrator refuses users who are not administrators.
func administrator(ctx context.Context) error {
	if !edge.Identity(ctx).User.Admin {
		return hive.Errorf(hive.CodeForbidden, "only an administrator may do this").WithReason(hive.ErrorAdminOnly)
	}
	return nil
}

// expiry returns when a token with a lifetime such as "30d" ends. For an empty text it returns the zero time: the token
// never expires.
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
