package catalog

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// ExecutorStore lists the executors. Documents are checked against their handlers.
type ExecutorStore interface {
	Executors(ctx context.Context) ([]hive.Executor, error)
}

// Validate checks a document as Save would, and saves nothing.
func (s *Service) Validate(ctx context.Context, text []byte) (hive.Verdict, error) {
	doc, faults, err := s.parse(ctx, text)
	if err != nil {
		return hive.Verdict{}, err
	}
	v := hive.Verdict{Faults: faults}
	if doc != nil {
		v.Valid, v.Name, v.Canonical, v.Hash = true, doc.Definition.Name, string(doc.Canonical), doc.Hash
	}
	return v, nil
}

// Save makes a document the newest revision of a schedule, unless the newest one is equal. CodeInvalid has all faults.
// CodeConflict: the newest revision is not Base.
func (s *Service) Save(ctx context.Context, r hive.SaveRequest) (hive.Saved, error) {
	doc, faults, err := s.parse(ctx, r.Document)
	if err != nil {
		return hive.Saved{}, err
	}
	if doc == nil {
		return hive.Saved{}, documentFaults(faults)
	}
	if doc.Definition.Name != r.Name {
		return hive.Saved{}, otherName("schedule", doc.Definition.Name, r.Name)
	}
	h, rev, changed, err := s.schedules.SaveSchedule(ctx, hive.SaveSchedule{
		Name: r.Name, Document: string(doc.Canonical), Hash: doc.Hash, Base: r.Base, Fresh: r.Fresh, By: r.By,
		Note: r.Note, Now: s.moment(), Calendars: doc.Calendars,
		Links: schedule.LinksOf(doc.Definition), Texts: textsOf(doc.Definition),
	})
	if err != nil {
		return hive.Saved{}, err
	}
	if changed {
		s.changed(h.ID)
	}
	return hive.Saved{Schedule: h, Revision: rev, Changed: changed, Faults: faults}, nil
}

// documentFaults refuses a document with faults.
func documentFaults(faults []hive.Fault) *hive.Error {
	return &hive.Error{
		Code: hive.CodeInvalid, Words: "the document has faults; nothing was saved", Reason: hive.ErrorDocument,
		Faults: faults,
	}
}

// otherName refuses a document that is saved under another name than its own.
func otherName(what, of, name string) error {
	return &hive.Error{
		Code:   hive.CodeInvalid,
		Words:  fmt.Sprintf("the document is of %s %q, not of %.80q; nothing was saved", what, of, name),
		Reason: hive.ErrorOtherName, Params: map[string]string{"schedule": of, "name": hive.Clean(name, 80)},
		Faults: []hive.Fault{hive.NewFault("other_name", hive.FaultOtherName,
			"the name is not that of the "+what, "save it under its own name").At("name")},
	}
}

// parse reads a document and checks it against what the executors offer. The document is nil if it is refused.
func (s *Service) parse(ctx context.Context, text []byte) (*document.Document, []hive.Fault, error) {
	return s.parseAmong(ctx, text, s.others(ctx))
}

// parseAmong is parse with the other schedules that triggers may name.
func (s *Service) parseAmong(ctx context.Context, text []byte, others *others) (
	*document.Document, []hive.Fault, error,
) {
	handlers, err := s.handlers(ctx)
	if err != nil {
		return nil, nil, err
	}
	release, err := s.parsing.acquire(ctx, len(text))
	if err != nil {
		return nil, nil, err
	}
	defer release()
	n, err := s.namedFor(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	l := s.lookup(ctx)
	doc, faults := document.Parse(text, document.Options{
		Handlers: handlers, Now: s.now(), Schedules: others.found(), Calendars: l.find,
		Secrets: n.secrets, Connections: n.connections, Pools: n.pools,
	})
	return doc, faults, cmp.Or(others.err, l.err)
}

// named is what a document may name beside schedules and calendars. Maps that are nil are not checked.
type named struct {
	secrets     map[string]hive.Secret
	connections map[string]hive.ConnectionDefinition
	pools       map[string]int // their slots
}

// namedFor returns what a document may name, as far as it could name anything.
func (s *Service) namedFor(ctx context.Context, text []byte) (named, error) {
	secrets, err := s.secretsFor(ctx, text)
	n := named{secrets: secrets}
	if err == nil && s.connections != nil && bytes.Contains(text, []byte("connection")) {
		n.connections, err = s.connections.Definitions(ctx)
	}
	if err == nil && s.limits != nil && bytes.Contains(text, []byte("pool")) {
		n.pools, err = s.poolSlots(ctx)
	}
	return n, err
}

// poolSlots returns the slots of all pools by name.
func (s *Service) poolSlots(ctx context.Context) (map[string]int, error) {
	list, err := s.limits.Limits(ctx)
	slots := map[string]int{}
	for i := range list {
		if list[i].Kind == hive.LimitPool {
			slots[list[i].Name] = list[i].Most
		}
	}
	return slots, err
}

// secretsFor returns the secrets of tasks by name, if a document could name one.
func (s *Service) secretsFor(ctx context.Context, text []byte) (map[string]hive.Secret, error) {
	if s.secrets == nil || !expression.MayUseSecrets(text) {
		return nil, nil //nolint:nilnil // there is nothing to check
	}
	list, err := s.secrets.Secrets(ctx)
	byName := make(map[string]hive.Secret, len(list))
	for i := range list {
		byName[list[i].Name] = list[i]
	}
	return byName, err
}

// handlers lists the handlers that executors offer, each name once. It is nil if there is no executor.
func (s *Service) handlers(ctx context.Context) ([]hive.Handler, error) {
	executors, err := s.executors.Executors(ctx)
	if err != nil {
		return nil, err
	}
	var all []hive.Handler
	for i := range executors {
		for _, h := range executors[i].Handlers {
			if !slices.ContainsFunc(all, func(o hive.Handler) bool { return o.Name == h.Name }) {
				all = append(all, h)
			}
		}
	}
	return all, nil
}
