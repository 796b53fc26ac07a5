// Package manage has the use cases of alerts: it checks, saves and lists rules and channels, sets the secrets of
// channels, tries channels, and shows what was reported.
package manage

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// Store stores rules, channels and the secrets of channels.
type Store interface {
	AlertDocuments(ctx context.Context, kind string) ([]hive.CurrentAlertDocument, error)
	AlertDocument(ctx context.Context, kind, name string) (hive.AlertDocument, error)
	AlertRevisionAt(ctx context.Context, document, number int64) (hive.AlertRevision, error)
	AlertRevisions(ctx context.Context, document int64) ([]hive.AlertRevision, error)
	SaveAlertDocument(ctx context.Context, in hive.SaveAlertDocument) (
		hive.AlertDocument, hive.AlertRevision, bool, error)
	DeleteAlertDocument(ctx context.Context, kind, name string, now time.Time) error
	ChannelSecrets(ctx context.Context, document int64) ([]hive.ChannelSecret, error)
	SetChannelSecrets(ctx context.Context, channel string, secrets map[string]string, by string, now time.Time) error
}

// Schedules reads the names that rules may name.
type Schedules interface {
	ScheduleNames(ctx context.Context) ([]string, error)
	FormerNames(ctx context.Context) (map[string]string, error) // the present ones, by former ones
}

// Config holds the dependencies of a Service.
type Config struct {
	Store     Store
	Schedules Schedules
	Log       Log
	// Test sends a test message to a channel at once; in the language of the channel if it is empty.
	Test func(ctx context.Context, channel, language string) (hive.ChannelTest, error)
	// Try sends a test message to a channel that need not be stored.
	Try func(ctx context.Context, r hive.PreparedTrial) (hive.ChannelTest, error)
	// Ensure makes sure that the problems that a batch has now are stored.
	Ensure func(ctx context.Context, batch int64) error
	Saved  func() // called after a rule or a channel was saved
	Due    func() // called after a delivery has become due
	Now    func() time.Time
}

// Service implements the use cases.
type Service struct{ config Config }

// New makes a Service.
func New(c Config) *Service { return &Service{config: c} }

func (s *Service) now() time.Time { return s.config.Now().UTC().Truncate(time.Millisecond) }

// List returns all rules or all channels by name, without their documents.
func (s *Service) List(ctx context.Context, kind string) ([]hive.AlertDocumentView, error) {
	all, err := s.config.Store.AlertDocuments(ctx, kind)
	if err != nil {
		return nil, err
	}
	rules, err := s.rules(ctx, kind)
	if err != nil {
		return nil, err
	}
	out := make([]hive.AlertDocumentView, 0, len(all))
	for i := range all {
		v, err := s.view(ctx, &all[i], rules)
		if err != nil {
			return nil, err
		}
		v.Current.Document, v.Definition = "", nil
		out = append(out, v)
	}
	return out, nil
}

// Get returns a rule or a channel with its newest revision.
func (s *Service) Get(ctx context.Context, kind, name string) (hive.AlertDocumentView, error) {
	row, err := s.config.Store.AlertDocument(ctx, kind, name)
	if err != nil {
		return hive.AlertDocumentView{}, err
	}
	one := hive.CurrentAlertDocument{AlertDocument: row}
	if one.Current, err = s.config.Store.AlertRevisionAt(ctx, row.ID, row.Revision); err != nil {
		return hive.AlertDocumentView{}, err
	}
	rules, err := s.rules(ctx, kind)
	if err != nil {
		return hive.AlertDocumentView{}, err
	}
	return s.view(ctx, &one, rules)
}

// rules returns all rules, if the users of channels are asked for.
func (s *Service) rules(ctx context.Context, kind string) ([]*hive.AlertDefinition, error) {
	if kind != hive.KindChannel {
		return nil, nil
	}
	all, err := s.config.Store.AlertDocuments(ctx, hive.KindAlert)
	out := make([]*hive.AlertDefinition, 0, len(all))
	for i := range all {
		doc, err := stored(hive.KindAlert, &all[i].Current)
		if err != nil {
			return nil, err
		}
		out = append(out, doc.Alert)
	}
	return out, err
}

// stored parses a stored revision. It was valid when it was saved.
func stored(kind string, rev *hive.AlertRevision) (*document.Document, error) {
	doc, faults := document.ParseAlert([]byte(rev.Document), kind, document.Options{Stored: true})
	if doc == nil {
		return nil, &hive.Error{
			Code: hive.CodeInternal, Faults: faults,
			Words: fmt.Sprintf("revision %d of a document %s (id %d) cannot be read any more", rev.Number, kind,
				rev.ID),
		}
	}
	return doc, nil
}

func (s *Service) view(ctx context.Context, one *hive.CurrentAlertDocument, rules []*hive.AlertDefinition) (
	hive.AlertDocumentView, error,
) {
	v := hive.AlertDocumentView{AlertDocument: one.AlertDocument, Current: one.Current}
	doc, err := stored(one.Kind, &one.Current)
	if err != nil {
		return v, err
	}
	v.Definition = doc.JSON()
	if r := doc.Alert; r != nil {
		v.Title, v.Description, v.On, v.Channels = r.Title, r.Description, r.On, r.Channels
		v.Schedules, v.Tags = r.Schedules, r.Tags
		return v, nil
	}
	c := doc.Channel
	v.Title, v.Description, v.Type, v.Language = c.Title, c.Description, c.Type, c.Language
	if v.Language == "" {
		v.Language = "en"
	}
	for _, r := range rules {
		if slices.Contains(r.Channels, one.Name) {
			v.UsedBy = append(v.UsedBy, r.Name)
		}
	}
	v.Secrets, err = s.secrets(ctx, one.ID, c)
	return v, err
}

// secrets lists the secrets that a channel has, needs, or may have, by name.
func (s *Service) secrets(ctx context.Context, id int64, def *hive.ChannelDefinition) (
	[]hive.ChannelSecretView, error,
) {
	set, err := s.config.Store.ChannelSecrets(ctx, id)
	if err != nil {
		return nil, err
	}
	required, optional := alert.Secrets(def)
	var out []hive.ChannelSecretView
	for _, name := range slices.Concat(required, optional) {
		v := hive.ChannelSecretView{ChannelSecret: hive.ChannelSecret{Name: name}}
		v.Required = slices.Contains(required, name)
		out = append(out, v)
	}
	for _, have := range set {
		i := slices.IndexFunc(out, func(v hive.ChannelSecretView) bool { return v.Name == have.Name })
		if i < 0 {
			out, i = append(out, hive.ChannelSecretView{}), len(out)
		}
		out[i].ChannelSecret, out[i].Set = have, true
	}
	slices.SortFunc(out, func(a, b hive.ChannelSecretView) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Save makes a document the newest revision of a rule or a channel, unless the newest one is equal. CodeInvalid has all
// faults. CodeConflict: the newest revision is not r.Base.
func (s *Service) Save(ctx context.Context, kind string, r hive.SaveRequest) (hive.SavedAlertDocument, error) {
	var out hive.SavedAlertDocument
	options, err := s.options(ctx, kind)
	if err != nil {
		return out, err
	}
	doc, faults := document.ParseAlert(r.Document, kind, options)
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
	out.Document, out.Revision, out.Changed, err = s.config.Store.SaveAlertDocument(ctx, hive.SaveAlertDocument{
		Kind: kind, Name: r.Name, Document: string(doc.Canonical), Hash: doc.Hash, Base: r.Base, Fresh: r.Fresh,
		By: r.By, Note: r.Note, Now: s.now(),
	})
	out.Faults = faults
	if err == nil {
		s.config.Saved()
	}
	return out, err
}

// options has the names that a document of a kind may name.
func (s *Service) options(ctx context.Context, kind string) (document.Options, error) {
	var o document.Options
	if kind != hive.KindAlert {
		return o, nil
	}
	channels, err := s.config.Store.AlertDocuments(ctx, hive.KindChannel)
	if err != nil {
		return o, err
	}
	o.Channels = []string{}
	for i := range channels {
		o.Channels = append(o.Channels, channels[i].Name)
	}
	names, err := s.config.Schedules.ScheduleNames(ctx)
	if err != nil {
		return o, err
	}
	former, err := s.config.Schedules.FormerNames(ctx)
	o.Named = slices.AppendSeq(append([]string{}, names...), maps.Keys(former))
	return o, err
}

// Delete deletes a rule or a channel. CodeConflict if a rule names the channel. Revisions stay.
func (s *Service) Delete(ctx context.Context, kind, name string) error {
	if kind == hive.KindChannel {
		v, err := s.Get(ctx, kind, name)
		if err != nil {
			return err
		}
		if len(v.UsedBy) > 0 {
			return hive.Errorf(hive.CodeConflict, "channel %q is used by the rules %s; take it out of them first", name,
				strings.Join(v.UsedBy, ", ")).
				WithReason(hive.ErrorChannelUsed, "channel", name, "rules", strings.Join(v.UsedBy, ", "))
		}
	}
	return s.config.Store.DeleteAlertDocument(ctx, kind, name, s.now())
}

// Revisions lists the revisions of a rule or a channel, newest first, without their documents.
func (s *Service) Revisions(ctx context.Context, kind, name string) ([]hive.AlertRevision, error) {
	row, err := s.config.Store.AlertDocument(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	return s.config.Store.AlertRevisions(ctx, row.ID)
}

// Revision returns a revision of a rule or a channel; number 0 is the newest.
func (s *Service) Revision(ctx context.Context, kind, name string, number int64) (hive.AlertRevisionView, error) {
	var out hive.AlertRevisionView
	row, err := s.config.Store.AlertDocument(ctx, kind, name)
	if err != nil {
		return out, err
	}
	if number == 0 {
		number = row.Revision
	}
	if out.AlertRevision, err = s.config.Store.AlertRevisionAt(ctx, row.ID, number); err != nil {
		return out, err
	}
	doc, err := stored(kind, &out.AlertRevision)
	if err != nil {
		return out, err
	}
	out.Definition = doc.JSON()
	return out, nil
}

// MaxSecret limits a secret, in bytes.
const MaxSecret = 4096

// SetSecrets sets secrets of a channel by their names; an empty one is deleted. CodeInvalid: the channel has no such
// secret, or the value cannot be one.
func (s *Service) SetSecrets(ctx context.Context, name string, secrets map[string]string, by string) error {
	v, err := s.Get(ctx, hive.KindChannel, name)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(v.Secrets))
	for _, k := range v.Secrets {
		names = append(names, k.Name)
	}
	if err := checkSecrets(name, names, secrets); err != nil {
		return err
	}
	return s.config.Store.SetChannelSecrets(ctx, name, secrets, by, s.now())
}

// checkSecrets refuses secrets that a channel does not have, and values that cannot be one.
func checkSecrets(channel string, known []string, secrets map[string]string) error {
	for _, secret := range slices.Sorted(maps.Keys(secrets)) {
		if !slices.Contains(known, secret) {
			return hive.Errorf(hive.CodeInvalid, "channel %q has no secret %.80q; it has: %s", channel, secret,
				strings.Join(known, ", ")).
				WithReason(hive.ErrorSecretUnknown, "channel", channel, "secret", hive.Clean(secret, 80), "known",
					strings.Join(known, ", "))
		}
		if !fits(secret, secrets[secret]) {
			return hive.Errorf(hive.CodeInvalid, "this cannot be the secret %q of channel %q; write one line of at "+
				"most %d bytes, and for url a complete address such as https://…", secret, channel, MaxSecret).
				WithReason(hive.ErrorSecretForm, "channel", channel, "secret", secret, "most", MaxSecret)
		}
	}
	return nil
}

// fits reports whether a value may be a secret.
func fits(name, value string) bool {
	if len(value) > MaxSecret || strings.ContainsAny(value, "\r\n\x00") {
		return false
	}
	if name != alert.SecretURL || value == "" {
		return true
	}
	u, err := url.Parse(value)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}

// Test sends a test message to a channel. A failure is part of the result.
func (s *Service) Test(ctx context.Context, name, language string) (hive.ChannelTest, error) {
	if _, err := s.config.Store.AlertDocument(ctx, hive.KindChannel, name); err != nil {
		return hive.ChannelTest{}, err
	}
	return s.config.Test(ctx, name, language)
}
