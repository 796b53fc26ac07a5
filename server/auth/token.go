// Package auth knows who may do what: users with passwords, the sessions of their browsers, and tokens that act for
// them or let executors join.
package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// What marks a text as a secret of HiveGo, for people and for tools that look for leaked secrets.
const (
	tokenPrefix   = "hgo_"
	sessionPrefix = "hgs_"
	secretSize    = 32 // random bytes
)

// NewToken makes the text of a token.
func NewToken() string { return newSecret(tokenPrefix) }

func newSecret(prefix string) string {
	b := make([]byte, secretSize)
	_, _ = rand.Read(b) // never fails
	return prefix + base64.RawURLEncoding.EncodeToString(b)
}

// HashToken is what is stored of a token or session. It has 256 random bits, so a plain hash is enough, and finding it
// by its hash takes no longer for a text that is nearly right.
func HashToken(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// wellFormed spares the database texts that cannot be secrets.
func wellFormed(prefix, text string) bool {
	rest, ok := strings.CutPrefix(text, prefix)
	return ok && len(rest) == base64.RawURLEncoding.EncodedLen(secretSize)
}
