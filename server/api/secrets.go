package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListSecrets(ctx context.Context,
	_ stub.ListSecretsRequestObject,
) (stub.ListSecretsResponseObject, error) {
	list, err := h.Secrets.List(ctx)
	if err != nil {
		return nil, err
	}
	out := stub.ListSecrets200JSONResponse{Items: make([]model.Secret, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, secretOf(&list[i]))
	}
	return out, nil
}

func secretOf(s *hive.Secret) model.Secret {
	groups := s.Groups
	if groups == nil {
		groups = []string{}
	}
	return model.Secret{
		Name: s.Name, Groups: groups, CreatedAt: wire.At(s.CreatedAt), CreatedBy: s.CreatedBy,
		UpdatedAt: wire.At(s.UpdatedAt), UpdatedBy: s.UpdatedBy,
	}
}

func (h *handlers) SetSecret(ctx context.Context,
	r stub.SetSecretRequestObject,
) (stub.SetSecretResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	c := hive.SecretChange{Name: r.Secret, Value: r.Body.Value, By: edge.Identity(ctx).User.Name}
	if r.Body.Groups != nil {
		c.Groups = append([]string{}, *r.Body.Groups...)
	}
	s, err := h.Secrets.Set(ctx, c)
	if err != nil {
		return nil, err
	}
	return stub.SetSecret200JSONResponse(secretOf(&s)), nil
}

func (h *handlers) DeleteSecret(ctx context.Context,
	r stub.DeleteSecretRequestObject,
) (stub.DeleteSecretResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	if err := h.Secrets.Delete(ctx, r.Secret, edge.Identity(ctx).User.Name, orZero(r.Params.Force)); err != nil {
		return nil, err
	}
	return stub.DeleteSecret204Response{}, nil
}

func (h *handlers) RotateSecretKey(ctx context.Context,
	r stub.RotateSecretKeyRequestObject,
) (stub.RotateSecretKeyResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	key, err := h.SecretKey.Rotate(ctx, orZero(r.Body.Key), edge.Identity(ctx).User.Name)
	if err != nil {
		return nil, err
	}
	return stub.RotateSecretKey200JSONResponse{Key: key}, nil
}
