// Package webhook has the use cases of webhooks: list them, give them secrets, and store their calls. The ticker
// decides what comes of a call.
package webhook

import (
	"context"
	"crypto/subtle"
	"slices"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// Store keeps schedules, and the secrets and calls of their webhooks.
type Store interface {
	Schedule(ctx context.Context, name string) (hive.Schedule, error)
	// ScheduleEverNamed finds a schedule by its name, or by a former one.
	ScheduleEverNamed(ctx context.Context, name string) (hive.Schedule, error)
	RevisionAt(ctx context.Context, scheduleID, number int64) (hive.Revision, error)
	AddWebhookSecret(ctx context.Context, s hive.WebhookSecret, until time.Time) error
	WebhookSecrets(ctx context.Context, scheduleID int64, now time.Time) ([]hive.WebhookSecret, error)
	AddWebhookCall(ctx context.Context, c hive.WebhookCall) (stored hive.WebhookCall, again bool, err error)
	LastCalls(ctx context.Context, scheduleID int64) ([]hive.WebhookView, error)
}

// Secrets makes the texts of secrets, and hashes them.
type Secrets interface {
	New() string
	Hash(text string) string
}

// Config holds the dependencies of a Service.
type Config struct {
	Store   Store
	Secrets Secrets
	Parse   func(document string) (*hive.Definition, error) // reads a stored document
	Called  func(schedule int64)                            // is called after a call was stored
	Now     func() time.Time
}

// Service implements the use cases of webhooks.
type Service struct {
	store   Store
	secrets Secrets
	parse   func(document string) (*hive.Definition, error)
	called  func(schedule int64)
	now     func() time.Time
}

// New makes a Service.
func New(c Config) *Service {
	return &Service{store: c.Store, secrets: c.Secrets, parse: c.Parse, called: c.Called, now: c.Now}
}

// longestOverlap is how long an old secret may hold beside a new one.
const longestOverlap = 30 * 24 * time.Hour

// List returns the webhooks of the newest revision of a schedule, in the order of its triggers.
func (s *Service) List(ctx context.Context, schedule string) ([]hive.WebhookView, error) {
	h, def, err := s.newest(ctx, schedule)
	if err != nil {
		return nil, err
	}
	secrets, err := s.store.WebhookSecrets(ctx, h.ID, s.moment())
	if err != nil {
		return nil, err
	}
	calls, err := s.store.LastCalls(ctx, h.ID)
	if err != nil {
		return nil, err
	}
	var out []hive.WebhookView
	for i := range def.Triggers {
		t := &def.Triggers[i]
		if t.Webhook == "" {
			continue
		}
		v := hive.WebhookView{Name: t.Webhook, Accept: t.Accept}
		for _, secret := range secrets {
			if secret.Webhook == t.Webhook {
				v.Secrets = append(v.Secrets, secret)
			}
		}
		for j := range calls {
			if calls[j].Name == t.Webhook {
				v.LastAt, v.Pending = calls[j].LastAt, calls[j].Pending
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// NewSecret makes a secret of a webhook, and returns the only copy of its text. The other secrets hold for overlap, at
// most 30 days; with 0 they end now.
func (s *Service) NewSecret(ctx context.Context, r hive.WebhookSecretRequest) (string, error) {
	if r.Overlap < 0 || r.Overlap > longestOverlap {
		return "", hive.Errorf(hive.CodeInvalid, "the old secret may hold for 0 to %d hours more",
			int(longestOverlap.Hours())).WithReason(hive.ErrorRange, "name", "overlapHours", "least", "0", "most",
			"720")
	}
	h, def, err := s.newest(ctx, r.Schedule)
	if err != nil {
		return "", err
	}
	if find(def, r.Webhook) == nil {
		return "", noWebhook(r.Schedule, r.Webhook)
	}
	text, now := s.secrets.New(), s.moment()
	return text, s.store.AddWebhookSecret(ctx, hive.WebhookSecret{
		ScheduleID: h.ID, Webhook: r.Webhook, Hash: s.secrets.Hash(text), CreatedAt: now, CreatedBy: r.By,
	}, now.Add(r.Overlap))
}

// Call stores a call of a webhook. again says that a call with the same key was stored before; it is the result then.
// CodeUnauthorized if the secret is wrong, the schedule is unknown, or the webhook has no secret: callers without a
// secret do not learn which schedules there are.
func (s *Service) Call(ctx context.Context, r hive.WebhookRequest) (c hive.WebhookCall, again bool, err error) {
	h, err := s.store.ScheduleEverNamed(ctx, r.Schedule) // a caller outside does not learn of a rename
	if err != nil && hive.CodeOf(err) != hive.CodeNotFound {
		return c, false, err
	}
	holds := false
	if err == nil {
		if holds, err = s.holds(ctx, h.ID, r.Webhook, r.Secret); err != nil {
			return c, false, err
		}
	}
	if !holds {
		return c, false, hive.Errorf(hive.CodeUnauthorized,
			"the secret is wrong; send that of the webhook as `Authorization: Bearer SECRET`").
			WithReason(hive.ErrorWebhookSecret)
	}
	def, err := s.definition(ctx, &h)
	if err != nil {
		return c, false, err
	}
	trigger := find(def, r.Webhook)
	if trigger == nil {
		return c, false, noWebhook(r.Schedule, r.Webhook)
	}
	given, err := paramsOf(trigger.Accept, r.Body)
	if err != nil {
		return c, false, err
	}
	params, err := document.Params(def, given)
	if err != nil {
		return c, false, err
	}
	c, again, err = s.store.AddWebhookCall(ctx, hive.WebhookCall{
		ScheduleID: h.ID, Webhook: r.Webhook, Key: r.Key, Moment: s.moment(), Params: params,
	})
	if err == nil {
		s.called(h.ID) // also if it was stored before: the server may have died in between
	}
	return c, again, err
}

// holds reports whether a text is a valid secret of a webhook.
func (s *Service) holds(ctx context.Context, schedule int64, webhook, text string) (bool, error) {
	list, err := s.store.WebhookSecrets(ctx, schedule, s.moment())
	hash, found := []byte(s.secrets.Hash(text)), 0
	for i := range list {
		if list[i].Webhook == webhook {
			found |= subtle.ConstantTimeCompare(hash, []byte(list[i].Hash))
		}
	}
	return found == 1, err
}

func (s *Service) newest(ctx context.Context, name string) (hive.Schedule, *hive.Definition, error) {
	h, err := s.store.Schedule(ctx, name)
	if err != nil {
		return h, nil, err
	}
	def, err := s.definition(ctx, &h)
	return h, def, err
}

func (s *Service) definition(ctx context.Context, h *hive.Schedule) (*hive.Definition, error) {
	rev, err := s.store.RevisionAt(ctx, h.ID, h.Revision)
	if err != nil {
		return nil, err
	}
	return s.parse(rev.Document)
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

func find(def *hive.Definition, webhook string) *hive.Trigger {
	i := slices.IndexFunc(def.Triggers, func(t hive.Trigger) bool { return webhook != "" && t.Webhook == webhook })
	if i < 0 {
		return nil
	}
	return &def.Triggers[i]
}

func noWebhook(schedule, webhook string) error {
	return hive.Errorf(hive.CodeNotFound, "schedule %s has no webhook %s", schedule, hive.Clean(webhook, 63)).
		WithReason(hive.ErrorNoWebhook, "schedule", schedule, "webhook", hive.Clean(webhook, 63))
}
