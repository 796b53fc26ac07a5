// Package auth authenticates: users by password, browsers by session, and programs and executors by token.
package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// The prefixes mark a text as a secret of HiveGo, for people and for tools that search for leaked secrets.
const (
	tokenPrefix   = "hgo_"
	sessionPrefix = "hgs_"
	webhookPrefix = "hgw_"
	secretSize    = 32 // random bytes
)

// NewToken makes the text of a token.
func NewToken() string { return newSecret(tokenPrefix) }

// WebhookSecrets makes the secrets of webhooks, and hashes them as tokens.
type WebhookSecrets struct{}

// New makes the text of a secret.
func (WebhookSecrets) New() string { return newSecret(webhookPrefix) }

// Hash returns the stored form of a text.
func (WebhookSecrets) Hash(text string) string { return HashToken(text) }

func newSecret(prefix string) string {
	b := make([]byte, secretSize)
	_, _ = rand.Read(b) // never fails
	return prefix + base64.RawURLEncoding.EncodeToString(b)
}

// HashToken returns the stored form of the text of a token or session. The text has 256 random bits, so a plain hash is
// enough. A lookup by hash leaks nothing by its duration.
func HashToken(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// wellFormed reports whether a text may be a secret with this prefix. Others need no lookup in the database.
func wellFormed(prefix, text string) bool {
	rest, ok := strings.CutPrefix(text, prefix)
	return ok && len(rest) == base64.RawURLEncoding.EncodedLen(secretSize)
}
