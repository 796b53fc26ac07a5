package apitest

import (
	"context"

	"github.com/rprp/hivego/server/hive"
)

func (p auth) Authenticate(_ context.Context, token string) (hive.Identity, error) {
	if p.f.AuthF != nil {
		return p.f.AuthF(token)
	}
	switch token {
	case Token:
		return hive.Identity{User: hive.User{ID: 1, Name: "ada", Admin: true}, Token: hive.Token{ID: 10, UserID: 1}},
			nil
	case Reader:
		return hive.Identity{User: hive.User{ID: 2, Name: "bob"}, Token: hive.Token{ID: 20, UserID: 2}}, nil
	default:
		return hive.Identity{}, hive.Errorf(hive.CodeUnauthorized, "the token is not valid")
	}
}

func (p auth) Tokens(_ context.Context, user int64) ([]hive.Token, error) {
	if p.f.TokensF == nil {
		return nil, missing()
	}
	return p.f.TokensF(user)
}

func (p auth) CreateToken(_ context.Context, t hive.Token) (hive.Token, string, error) {
	if p.f.CreateTokenF == nil {
		return hive.Token{}, "", missing()
	}
	return p.f.CreateTokenF(t)
}

func (p auth) DeleteToken(_ context.Context, id, user int64) error {
	if p.f.DeleteTokenF == nil {
		return missing()
	}
	return p.f.DeleteTokenF(id, user)
}

func (p sessions) Session(_ context.Context, text string) (hive.Identity, error) {
	switch {
	case p.f.SessionF != nil:
		return p.f.SessionF(text)
	case text == Session:
		return Ada(), nil
	default:
		return hive.Identity{}, hive.Errorf(hive.CodeUnauthorized, "you are not logged in any more")
	}
}

func (p sessions) NeedsSetup(context.Context) (bool, error) {
	if p.f.NeedsSetupF == nil {
		return false, nil
	}
	return p.f.NeedsSetupF()
}

func (p sessions) SetUp(_ context.Context, name, password, code string, v hive.Visitor) (hive.Identity, string, error) {
	if p.f.SetUpF == nil {
		return Ada(), Session, nil
	}
	return p.f.SetUpF(name, password, code, v)
}

func (p sessions) LogIn(_ context.Context, name, password string, v hive.Visitor) (hive.Identity, string, error) {
	if p.f.LogInF == nil {
		return Ada(), Session, nil
	}
	return p.f.LogInF(name, password, v)
}

func (p sessions) LogOut(_ context.Context, id hive.Identity) error {
	if p.f.LogOutF == nil {
		return nil
	}
	return p.f.LogOutF(id)
}

func (p sessions) ChangePassword(_ context.Context, id hive.Identity, current, next string) error {
	if p.f.ChangePasswordF == nil {
		return nil
	}
	return p.f.ChangePasswordF(id, current, next)
}

// Watch never ends a session without WatchF.
func (p sessions) Watch(id hive.Identity) (ended <-chan struct{}, stop func()) {
	if p.f.WatchF == nil {
		return nil, func() {}
	}
	return p.f.WatchF(id)
}
