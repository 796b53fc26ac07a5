// Package secret has the use cases of the secrets of tasks: list, set and delete them, and fetch the values for an
// executor that may have them.
package secret

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

// Store keeps secrets. Only it has their values.
type Store interface {
	// Secrets lists the secrets by name, without their values.
	Secrets(ctx context.Context) ([]hive.Secret, error)
	// PutSecret makes or changes a secret. CodeNotFound if a new one gets no value.
	PutSecret(ctx context.Context, c hive.SecretChange) (hive.Secret, error)
	DeleteSecret(ctx context.Context, name string) error
	// SecretValues leaves out names that do not exist. CodeConflict: one of them cannot be decrypted.
	SecretValues(ctx context.Context, names []string) ([]hive.SecretValue, error)
	// DocumentsWithSecret returns the newest documents, by schedule, that may use a secret.
	DocumentsWithSecret(ctx context.Context, name string) (map[string]string, error)
}

// Config holds the dependencies of a Service.
type Config struct {
	Store Store
	Parse func(document string) (*hive.Definition, error) // reads a stored document
	// Connections lists the connections whose password is a secret; nil: there are none.
	Connections func(ctx context.Context, secret string) ([]string, error)
	Now         func() time.Time
	Log         *slog.Logger // has a line for each change; nil: nothing is logged
}

// Service implements the use cases of secrets.
type Service struct {
	store       Store
	parse       func(document string) (*hive.Definition, error)
	connections func(ctx context.Context, secret string) ([]string, error)
	now         func() time.Time
	log         *slog.Logger
}

// New makes a Service.
func New(c Config) *Service {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Connections == nil {
		c.Connections = func(context.Context, string) ([]string, error) { return nil, nil }
	}
	return &Service{store: c.Store, parse: c.Parse, connections: c.Connections, now: c.Now, log: c.Log}
}

// List returns the secrets by name, without their values.
func (s *Service) List(ctx context.Context) ([]hive.Secret, error) { return s.store.Secrets(ctx) }

// Set makes a secret, or changes its value, its groups, or both. No error quotes the value.
func (s *Service) Set(ctx context.Context, c hive.SecretChange) (hive.Secret, error) {
	if !hive.ValidSecretName(c.Name) {
		return hive.Secret{}, hive.Errorf(hive.CodeInvalid, "%.80q is no name of a secret: write a letter or _, then "+
			"letters, digits and _, at most 63", c.Name).
			WithReason(hive.ErrorSecretName, "secret", hive.Clean(c.Name, 80))
	}
	if err := checkValue(c.Value); err != nil {
		return hive.Secret{}, err
	}
	if err := checkGroups(c.Groups); err != nil {
		return hive.Secret{}, err
	}
	c.At = s.now().UTC().Truncate(time.Millisecond)
	out, err := s.store.PutSecret(ctx, c)
	if err == nil {
		s.log.Info("a secret was set", "secret", c.Name, "by", c.By, "value", c.Value != nil, "groups", out.Groups)
	}
	return out, err
}

func checkValue(value *string) error {
	if value == nil {
		return nil
	}
	v := *value
	if v != "" && len(v) <= hive.MaxSecret && utf8.ValidString(v) && !strings.ContainsRune(v, 0) {
		return nil
	}
	return hive.Errorf(hive.CodeInvalid, "the value of a secret has 1 to %d bytes of UTF-8 without NUL; encode other "+
		"values as base64", hive.MaxSecret).WithReason(hive.ErrorSecretValue, "most", fmt.Sprint(hive.MaxSecret))
}

// maxGroup is the length of the longest name of a group, in bytes, as executors have it.
const maxGroup = 63

func checkGroups(groups []string) error {
	bad := slices.ContainsFunc(groups, func(g string) bool {
		return g == "" || !hive.IsLine(g, maxGroup)
	})
	if bad || len(groups) > hive.MaxSecretGroups {
		return hive.Errorf(hive.CodeInvalid, "groups: want at most %d names of groups of executors, of 1 to %d bytes",
			hive.MaxSecretGroups, maxGroup).
			WithReason(hive.ErrorSecretGroups, "most", fmt.Sprint(hive.MaxSecretGroups))
	}
	return nil
}

// shownSchedules is how many schedules the error of a deletion names.
const shownSchedules = 20

// Delete deletes a secret. Without force, CodeConflict if the newest revision of a schedule uses it.
func (s *Service) Delete(ctx context.Context, name, by string, force bool) error {
	if !force && hive.ValidSecretName(name) {
		connections, err := s.connections(ctx, name)
		if err != nil {
			return err
		}
		if len(connections) > 0 {
			list := strings.Join(connections, ", ")
			return hive.Errorf(hive.CodeConflict, "connections use the secret %s: %s; change them first, or delete it "+
				"by force: tasks that use them fail then", name, list).
				WithReason(hive.ErrorSecretConnection, "secret", name, "connections", list)
		}
		users, err := s.users(ctx, name)
		if err != nil {
			return err
		}
		if n := len(users); n > 0 {
			list := strings.Join(users[:min(n, shownSchedules)], ", ")
			if n > shownSchedules {
				list += fmt.Sprintf(" and %d more", n-shownSchedules)
			}
			return hive.Errorf(hive.CodeConflict, "schedules use the secret %s: %s; change them first, or delete it "+
				"by "+
				"force: their tasks fail then", name, list).
				WithReason(hive.ErrorSecretInUse, "secret", name, "schedules", list)
		}
	}
	err := s.store.DeleteSecret(ctx, name)
	if err == nil {
		s.log.Info("a secret was deleted", "secret", name, "by", by, "force", force)
	}
	return err
}

// users lists the schedules whose newest revision uses a secret. A document that cannot be read counts as one that
// does.
func (s *Service) users(ctx context.Context, name string) ([]string, error) {
	documents, err := s.store.DocumentsWithSecret(ctx, name)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, schedule := range slices.Sorted(maps.Keys(documents)) {
		def, err := s.parse(documents[schedule])
		if err != nil || slices.Contains(expression.SecretsOf(def), name) {
			out = append(out, schedule)
		}
	}
	return out, nil
}

// Fetch returns the values of secrets for an executor of a group, by name. refusal says why one of them cannot be had;
// err says that the database could not be asked.
func (s *Service) Fetch(ctx context.Context, group string, names []string) (
	values map[string]string, refusal hive.Sentence, err error,
) {
	list, err := s.store.SecretValues(ctx, names)
	if hive.CodeOf(err) == hive.CodeConflict { // it stays so until a person acts
		return nil, hive.Plain(err.Error()), nil
	}
	if err != nil {
		return nil, refusal, err
	}
	values = make(map[string]string, len(list))
	for i := range list {
		v := &list[i]
		if !v.Allows(group) {
			return nil, hive.NewSentence(hive.SentenceSecretGroup, "executors of group ‹group› may not have the "+
				"secret "+
				"‹secret›; an administrator allows it: hivego secrets allow ‹secret› ‹group›",
				"secret", v.Name, "group", group), nil
		}
		values[v.Name] = v.Value
	}
	for _, name := range names {
		if _, ok := values[name]; !ok {
			return nil, hive.NewSentence(hive.SentenceNoSecret, "there is no secret ‹secret›; an administrator sets "+
				"it: "+
				"hivego secrets set ‹secret› --stdin", "secret", name), nil
		}
	}
	return values, hive.Sentence{}, nil
}
