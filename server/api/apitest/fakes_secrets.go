package apitest

import (
	"context"

	"github.com/rprp/hivego/server/hive"
)

func (p secrets) List(context.Context) ([]hive.Secret, error) {
	if p.f.SecretsF == nil {
		return nil, missing()
	}
	return p.f.SecretsF()
}

func (p secrets) Set(_ context.Context, c hive.SecretChange) (hive.Secret, error) {
	if p.f.SetSecretF == nil {
		return hive.Secret{}, missing()
	}
	return p.f.SetSecretF(c)
}

func (p secrets) Delete(_ context.Context, name, _ string, force bool) error {
	if p.f.DeleteSecretF == nil {
		return missing()
	}
	return p.f.DeleteSecretF(name, force)
}

func (p secrets) Rotate(context.Context, string, string) (string, error) {
	if p.f.RotateF == nil {
		return "", missing()
	}
	return p.f.RotateF()
}

// answerSecrets lets f answer every call about secrets with the sample.
func answerSecrets(f *Fakes) {
	sample := hive.Secret{
		Name: "DW", Groups: []string{"etl"}, CreatedAt: T0, CreatedBy: "ada", UpdatedAt: T0, UpdatedBy: "ada",
	}
	f.SecretsF = func() ([]hive.Secret, error) { return []hive.Secret{sample}, nil }
	f.SetSecretF = func(hive.SecretChange) (hive.Secret, error) { return sample, nil }
	f.DeleteSecretF = func(string, bool) error { return nil }
	f.RotateF = func() (string, error) { return "0123456789abcdef", nil }
}
