package hive

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of the secrets of tasks.
const (
	// MaxSecret is the size of the largest value in bytes. A value becomes an environment variable, and many of them
	// travel in one call.
	MaxSecret = 16 << 10
	// MaxSecretText is how many bytes a secret takes at most in a call: its mark, its value, and the text for its
	// place.
	MaxSecretText = 8 * MaxSecret
	// ShortestMasked is the length of the shortest value in bytes that executors mask.
	ShortestMasked = 6
	// MaxSecrets is how many secrets there may be.
	MaxSecrets = 10_000
	// MaxSecretGroups is how many groups of executors may have a secret.
	MaxSecretGroups = 100
)

// IsLine reports whether a text is at most so many bytes of UTF-8 without control characters.
func IsLine(text string, most int) bool {
	return len(text) <= most && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

var secretForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// ValidSecretName reports whether a secret may have a name: a letter or _, then letters, digits and _, at most 63.
func ValidSecretName(name string) bool { return secretForm.MatchString(name) }

// Secret describes a secret of tasks. It has no value, which only SecretValue has.
type Secret struct {
	Name      string
	Groups    []string // the groups of executors that may have it, sorted
	CreatedAt time.Time
	CreatedBy string
	UpdatedAt time.Time // of the value or the groups
	UpdatedBy string
}

// Allows reports whether executors of a group may have the secret.
func (s *Secret) Allows(group string) bool {
	return slices.Contains(s.Groups, group)
}

// SecretChange makes or changes a secret. What is nil stays.
type SecretChange struct {
	Name   string
	Value  *string
	Groups []string
	By     string
	At     time.Time
}

// SecretValue is a secret with its value. It is never logged, stored or sent to anybody but an executor that may have
// it.
type SecretValue struct {
	Secret

	Value string
}

// String hides the value from whoever prints it.
func (s SecretValue) String() string { return "secret " + s.Name }

// GoString hides the value from whoever prints it.
func (s SecretValue) GoString() string { return s.String() }

// MarshalText hides the value from whoever writes it as JSON, such as a log.
func (s SecretValue) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
