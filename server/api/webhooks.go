package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// webhookPath is where programs call webhooks. It is not in openapi.yaml: the caller decides what is in the body, and
// the secret is that of the webhook.
const webhookPath = "/hooks/"

// callWebhook stores a call. Its answer is sent after the call is durable, and before it is decided.
func (h *handlers) callWebhook(gate *edge.Gate) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if c.Method() != http.MethodPost {
			c.Set(fiber.HeaderAllow, http.MethodPost)
			return fiber.NewError(http.StatusMethodNotAllowed, "call a webhook with POST")
		}
		secret, err := webhookSecret(c)
		if err != nil {
			return err
		}
		var given *string
		if key := cmp.Or(c.Get("Idempotency-Key"), c.Get("X-Gitlab-Event-UUID")); key != "" {
			given = &key
		}
		key, err := idempotencyKey(given)
		if err != nil {
			return err
		}
		call, again, err := h.Webhooks.Call(c.UserContext(), hive.WebhookRequest{
			Schedule: c.Params("name"), Webhook: c.Params("webhook"), Secret: secret, Key: key, Body: c.Body(),
		})
		if hive.CodeOf(err) == hive.CodeUnauthorized {
			return gate.Refused(c, err)
		}
		if err != nil {
			return err
		}
		return c.Status(http.StatusAccepted).JSON(map[string]any{"moment": wire.At(call.Moment), "again": again})
	}
}

// webhookSecret returns the secret of a call: the bearer token, or what GitLab sends in a header of its own.
func webhookSecret(c *fiber.Ctx) (string, error) {
	if text := c.Get("X-Gitlab-Token"); text != "" {
		return text, nil
	}
	scheme, text, ok := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", hive.Errorf(hive.CodeUnauthorized,
			"send the secret of the webhook as `Authorization: Bearer SECRET`").
			WithReason(hive.ErrorWebhookSecret)
	}
	return strings.TrimSpace(text), nil
}

func (h *handlers) ListWebhooks(ctx context.Context,
	r stub.ListWebhooksRequestObject,
) (stub.ListWebhooksResponseObject, error) {
	list, err := h.Webhooks.List(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	out := stub.ListWebhooks200JSONResponse{Items: make([]model.Webhook, 0, len(list))}
	for i := range list {
		v := &list[i]
		item := model.Webhook{
			Name: v.Name, Path: webhookPath + r.Name + "/" + v.Name, Accept: v.Accept, LastAt: wire.At(v.LastAt),
			Pending: v.Pending, Secrets: make([]model.WebhookSecret, 0, len(v.Secrets)),
		}
		if item.Accept == nil {
			item.Accept = map[string]string{}
		}
		for _, s := range v.Secrets {
			item.Secrets = append(item.Secrets, model.WebhookSecret{
				CreatedAt: wire.At(s.CreatedAt), CreatedBy: s.CreatedBy, ExpiresAt: wire.At(s.ExpiresAt),
			})
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

func (h *handlers) CreateWebhookSecret(ctx context.Context,
	r stub.CreateWebhookSecretRequestObject,
) (stub.CreateWebhookSecretResponseObject, error) {
	secret, err := h.Webhooks.NewSecret(ctx, hive.WebhookSecretRequest{
		Schedule: r.Name, Webhook: r.Webhook, By: edge.Identity(ctx).User.Name,
		Overlap: time.Duration(orZero(r.Body.OverlapHours)) * time.Hour,
	})
	if err != nil {
		return nil, err
	}
	return stub.CreateWebhookSecret201JSONResponse{Secret: secret, Path: webhookPath + r.Name + "/" + r.Webhook}, nil
}
