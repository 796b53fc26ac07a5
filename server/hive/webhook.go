package hive

import "time"

// Limits of webhooks.
const (
	// MaxPendingCalls is how many calls of one schedule may wait for their decision.
	MaxPendingCalls = 1_000
	// CallsKept is how long the idempotency key of a call is remembered.
	CallsKept = 31 * 24 * time.Hour
)

// WebhookSecret is a secret with which callers may fire the webhook of a schedule. Its text is not stored.
type WebhookSecret struct {
	ScheduleID int64
	Webhook    string
	Hash       string
	CreatedAt  time.Time
	CreatedBy  string
	ExpiresAt  time.Time // zero: never
}

// WebhookCall is one call of a webhook. Its moment is when it came, and is no other tick's.
type WebhookCall struct {
	ScheduleID int64
	Webhook    string
	Key        string // idempotency key; empty: none
	Moment     time.Time
	Params     map[string]any // of the batch
}

// WebhookView is a webhook of the newest revision of a schedule.
type WebhookView struct {
	Name    string
	Accept  map[string]string // JSON pointers into the body by the names of parameters
	Secrets []WebhookSecret   // valid ones, newest first
	LastAt  time.Time         // the last call; zero if there is none
	Pending int               // calls without a decision
}

// WebhookSecretRequest asks for a new secret of a webhook.
type WebhookSecretRequest struct {
	Schedule, Webhook string
	By                string
	Overlap           time.Duration // how long the other secrets still hold
}

// WebhookRequest is a call of a webhook as it arrives.
type WebhookRequest struct {
	Schedule, Webhook string
	Secret            string
	Key               string // idempotency key; empty: none
	Body              []byte
}
