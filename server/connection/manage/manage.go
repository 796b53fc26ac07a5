// Package manage has the use cases of connections: it checks, saves, lists, deletes and tries them, and fetches them
// for executors that may have them.
package manage

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/connection"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// Store stores connections.
type Store interface {
	Connections(ctx context.Context) ([]hive.StoredConnection, error)
	// ConnectionsNamed leaves out names that do not exist.
	ConnectionsNamed(ctx context.Context, names []string) ([]hive.StoredConnection, error)
	SaveConnection(ctx context.Context, in hive.SaveConnection) (c hive.StoredConnection, changed bool, err error)
	DeleteConnection(ctx context.Context, name string) error
	// NewestDocuments returns the newest documents of schedules that have a text, by schedule.
	NewestDocuments(ctx context.Context, with string) (map[string]string, error)
}

// Secrets reads the secrets of tasks.
type Secrets interface {
	List(ctx context.Context) ([]hive.Secret, error)
	// Fetch returns the values for an executor of a group, by name. refusal says why one of them cannot be had.
	Fetch(ctx context.Context, group string, names []string) (
		values map[string]string, refusal hive.Sentence, err error)
}

// Config holds the dependencies of a Service.
type Config struct {
	Store   Store
	Secrets Secrets
	Trials  Trials
	Parse   func(document string) (*hive.Definition, error) // reads the stored document of a schedule
	Now     func() time.Time
	Log     *slog.Logger // has a line for each change
}

// Service implements the use cases.
type Service struct{ config Config }

// New makes a Service.
func New(c Config) *Service { return &Service{config: c} }

// stored reads a stored document. It was valid when it was saved.
func stored(c *hive.StoredConnection) (*hive.ConnectionDefinition, error) {
	doc, faults := document.ParseConnection([]byte(c.Document), document.Options{Stored: true})
	if doc == nil {
		return nil, &hive.Error{
			Code: hive.CodeInternal, Faults: faults,
			Words: fmt.Sprintf("the connection %s cannot be read any more", c.Name),
		}
	}
	return doc.Connection, nil
}

// Types lists the types of connections.
func (s *Service) Types() []hive.ConnectionType { return connection.Types() }

// List returns all connections by name.
func (s *Service) List(ctx context.Context) ([]hive.ConnectionView, error) {
	all, err := s.config.Store.Connections(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]hive.ConnectionView, len(all))
	for i := range all {
		def, err := stored(&all[i])
		if err != nil {
			return nil, err
		}
		out[i] = hive.ConnectionView{StoredConnection: all[i], Definition: *def}
	}
	return out, nil
}

// Get returns a connection with the schedules that name it.
func (s *Service) Get(ctx context.Context, name string) (hive.ConnectionView, error) {
	found, err := s.config.Store.ConnectionsNamed(ctx, []string{name})
	if err != nil {
		return hive.ConnectionView{}, err
	}
	if len(found) == 0 {
		return hive.ConnectionView{}, hive.Errorf(hive.CodeNotFound, "there is no document %s %.80q",
			hive.KindConnection, name).
			WithReason(hive.ErrorNoDocument, "kind", hive.KindConnection, "name", hive.Clean(name, 80))
	}
	def, err := stored(&found[0])
	if err != nil {
		return hive.ConnectionView{}, err
	}
	users, err := s.users(ctx, name)
	return hive.ConnectionView{
		StoredConnection: found[0], Definition: *def, Secret: connection.SecretOf(def), UsedBy: users,
	}, err
}

// users lists the schedules whose newest revision has a field connection with a name. A document that cannot be read
// counts as one that does.
func (s *Service) users(ctx context.Context, name string) ([]string, error) {
	documents, err := s.config.Store.NewestDocuments(ctx, name)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, schedule := range slices.Sorted(maps.Keys(documents)) {
		def, err := s.config.Parse(documents[schedule])
		if err != nil || uses(def, name) {
			out = append(out, schedule)
		}
	}
	return out, nil
}

func uses(def *hive.Definition, name string) bool {
	for params := range def.AllParams() {
		if params[field] == name {
			return true
		}
	}
	return false
}

// field is how handlers call the field that names a connection. Their schemas are not asked, because executors that
// are away have none.
const field = "connection"

// Definitions returns what all connections say, by name. It leaves out those that cannot be read.
func (s *Service) Definitions(ctx context.Context) (map[string]hive.ConnectionDefinition, error) {
	all, err := s.config.Store.Connections(ctx)
	out := make(map[string]hive.ConnectionDefinition, len(all))
	for i := range all {
		if def, err := stored(&all[i]); err == nil {
			out[all[i].Name] = *def
		}
	}
	return out, err
}

// Save makes a connection or changes it. CodeInvalid has all faults. CodeConflict: it was changed since r.Base.
func (s *Service) Save(ctx context.Context, r hive.SaveRequest) (hive.SavedConnection, error) {
	var out hive.SavedConnection
	secrets, err := s.config.Secrets.List(ctx)
	if err != nil {
		return out, err
	}
	known := make(map[string]hive.Secret, len(secrets))
	for i := range secrets {
		known[secrets[i].Name] = secrets[i]
	}
	doc, faults := document.ParseConnection(r.Document, document.Options{Secrets: known})
	if doc == nil {
		return out, &hive.Error{
			Code: hive.CodeInvalid, Words: "the document has faults; nothing was saved", Reason: hive.ErrorDocument,
			Faults: faults,
		}
	}
	if doc.Name() != r.Name {
		return out, &hive.Error{
			Code:   hive.CodeInvalid,
			Words:  fmt.Sprintf("the document is %q, not %.80q; nothing was saved", doc.Name(), r.Name),
			Reason: hive.ErrorOtherName, Params: map[string]string{
				"schedule": doc.Name(), "name": hive.Clean(r.Name, 80),
			},
			Faults: []hive.Fault{hive.NewFault("other_name", hive.FaultOtherName,
				"the name is not that of the request", "save it under its own name").At("name")},
		}
	}
	out.Connection, out.Changed, err = s.config.Store.SaveConnection(ctx, hive.SaveConnection{
		Name: r.Name, Document: string(doc.Canonical), Hash: doc.Hash, Base: r.Base, Fresh: r.Fresh, By: r.By,
		Now: s.config.Now().UTC().Truncate(time.Millisecond),
	})
	out.Faults = faults
	if err == nil && out.Changed {
		s.config.Log.Info("a connection was saved", "connection", r.Name, "by", r.By, "revision",
			out.Connection.Revision, "groups", doc.Connection.EffectiveGroups())
	}
	return out, err
}

// shownSchedules is how many schedules the error of a deletion names.
const shownSchedules = 20

// Delete deletes a connection. Without force, CodeConflict if the newest revision of a schedule names it.
func (s *Service) Delete(ctx context.Context, name, by string, force bool) error {
	v, err := s.Get(ctx, name)
	if err != nil {
		return err
	}
	if n := len(v.UsedBy); n > 0 && !force {
		list := strings.Join(v.UsedBy[:min(n, shownSchedules)], ", ")
		if n > shownSchedules {
			list += fmt.Sprintf(" and %d more", n-shownSchedules)
		}
		return hive.Errorf(hive.CodeConflict, "schedules use the connection %s: %s; change them first, or delete it "+
			"by force: their tasks fail then, unless their executor has one of that name", name, list).
			WithReason(hive.ErrorConnectionUsed, "connection", name, "schedules", list)
	}
	if err := s.config.Store.DeleteConnection(ctx, name); err != nil {
		return err
	}
	s.config.Log.Info("a connection was deleted", "connection", name, "by", by, "force", force)
	return nil
}

// WithSecret lists the connections whose password is a secret.
func (s *Service) WithSecret(ctx context.Context, secret string) ([]string, error) {
	all, err := s.List(ctx)
	var out []string
	for i := range all {
		if connection.SecretOf(&all[i].Definition) == secret {
			out = append(out, all[i].Name)
		}
	}
	return out, err
}

// Fetch returns those of the named connections that there are, for an executor. private says that nobody reads what is
// sent to it. One that it may not have says why, and has nothing else.
func (s *Service) Fetch(ctx context.Context, e *hive.Executor, private bool, names []string) (
	[]hive.Connection, error,
) {
	found, err := s.config.Store.ConnectionsNamed(ctx, names)
	if err != nil {
		return nil, err
	}
	out := make([]hive.Connection, 0, len(found))
	for i := range found {
		c, err := s.fetch(ctx, e, private, &found[i])
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func (s *Service) fetch(ctx context.Context, e *hive.Executor, private bool, row *hive.StoredConnection) (
	hive.Connection, error,
) {
	def, err := stored(row)
	if err != nil { // it stays so until a person acts
		return hive.Connection{Name: row.Name, Refusal: hive.Plain(err.Error())}, nil
	}
	if !def.Allows(e.Group) {
		return hive.Connection{Name: row.Name, Refusal: hive.NewSentence(hive.SentenceConnectionGroup,
			"executors of group ‹group› may not have the connection ‹connection›; an administrator adds the group to "+
				"it",
			"connection", row.Name, "group", e.Group)}, nil
	}
	if !private {
		return hive.Connection{Name: row.Name, Refusal: hive.NewSentence(hive.SentenceConnectionOpen,
			"the connection ‹connection› is not sent to ‹executor›, which speaks no TLS; give that executor a "+
				"certificate (`hivego certs`)", "connection", row.Name, "executor", e.Name)}, nil
	}
	c := hive.Connection{
		Name: row.Name, Type: def.Type, Host: def.Host, Port: def.Port, Database: def.Database, User: def.User,
		Options: def.Options,
	}
	secret := connection.SecretOf(def)
	if secret == "" {
		return c, nil
	}
	values, refusal, err := s.config.Secrets.Fetch(ctx, e.Group, []string{secret})
	if err != nil {
		return hive.Connection{}, err
	}
	if refusal.Text != "" {
		return hive.Connection{Name: row.Name, Refusal: refusal}, nil
	}
	c.Password = values[secret]
	return c, nil
}
