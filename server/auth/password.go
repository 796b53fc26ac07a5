package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// cost has the parameters of a password hash.
type cost struct {
	memory uint32 // KiB
	passes uint32
}

// fullCost is RFC 9106's second recommended option, with one lane for small machines.
func fullCost() cost { return cost{memory: 64 << 10, passes: 3} }

const (
	hashLanes   = 1
	hashLength  = 32
	saltLength  = 16
	maxMemory   = 1 << 20 // KiB; a stored hash with more is refused
	maxPasses   = 64
	maxPassword = 1024 // bytes
	minPassword = 10   // characters
)

var errHash = errors.New("a stored password hash cannot be read")

func (c cost) hash(password string) string {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	key := argon2.IDKey([]byte(password), salt, c.passes, c.memory, hashLanes, hashLength)
	return c.phc(salt, key)
}

// decoy returns a hash that no password has. It is checked for unknown names, so that they take as long as known ones.
func (c cost) decoy() string { return c.phc(make([]byte, saltLength), make([]byte, hashLength)) }

func (c cost) phc(salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, c.memory, c.passes, hashLanes, b64.EncodeToString(salt), b64.EncodeToString(key))
}

// VerifyPassword compares a password with a stored hash, in time that does not depend on where they differ. An error
// means that the hash itself is damaged.
func VerifyPassword(hash, password string) (bool, error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return false, errHash
	}
	var memory, passes uint32
	var lanes uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); err != nil {
		return false, fmt.Errorf("%w: %w", errHash, err)
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("%w: %w", errHash, err)
	}
	key, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		return false, fmt.Errorf("%w: %w", errHash, err)
	}
	if memory < 8 || memory > maxMemory || passes < 1 || passes > maxPasses || lanes < 1 ||
		len(salt) < 8 || len(key) < 16 || len(key) > 64 {
		return false, errHash
	}
	other := argon2.IDKey([]byte(password), salt, passes, memory, lanes, uint32(len(key)))
	return subtle.ConstantTimeCompare(key, other) == 1, nil
}
