package apitest

import (
	"context"

	"github.com/rprp/hivego/server/hive"
)

func (p webhooks) List(_ context.Context, schedule string) ([]hive.WebhookView, error) {
	if p.f.WebhooksF == nil {
		return nil, missing()
	}
	return p.f.WebhooksF(schedule)
}

func (p webhooks) NewSecret(_ context.Context, r hive.WebhookSecretRequest) (string, error) {
	if p.f.WebhookSecretF == nil {
		return "", missing()
	}
	return p.f.WebhookSecretF(r)
}

func (p webhooks) Call(_ context.Context, r hive.WebhookRequest) (hive.WebhookCall, bool, error) {
	if p.f.CallF == nil {
		return hive.WebhookCall{}, false, missing()
	}
	return p.f.CallF(r)
}

// answerWebhooks lets f answer every call about webhooks with the sample.
func answerWebhooks(f *Fakes) {
	f.WebhooksF = func(string) ([]hive.WebhookView, error) {
		return []hive.WebhookView{{
			Name: "files-ready", Accept: map[string]string{"region": "/order/region"}, LastAt: T0, Pending: 1,
			Secrets: []hive.WebhookSecret{{CreatedAt: T0, CreatedBy: "ada"}},
		}}, nil
	}
	f.WebhookSecretF = func(hive.WebhookSecretRequest) (string, error) { return "hgw_secret", nil }
	f.CallF = func(hive.WebhookRequest) (hive.WebhookCall, bool, error) {
		return hive.WebhookCall{Moment: T0}, false, nil
	}
}
