package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// RenameStore gives schedules other names.
type RenameStore interface {
	// RenameSchedule renames a schedule and stores revisions of others, all of that or nothing.
	RenameSchedule(ctx context.Context, in hive.RenameSchedule) ([]hive.SavedRevision, error)
	// FormerNames returns the present names of schedules by their former ones.
	FormerNames(ctx context.Context) (map[string]string, error)
	// ReleaseName frees a former name, and returns the schedule that had it.
	ReleaseName(ctx context.Context, former string) (scheduleID int64, err error)
}

// renameTries is how often a rename begins anew because somebody has published a revision meanwhile.
const renameTries = 3

// Rename gives a schedule another name. It keeps all else. The schedules that wait for it are given in the same request
// with documents that say the new name. A rename that has happened already changes nothing. CodeConflict if one of them
// is not given, if the name is or was that of another schedule, or if a newest revision is not the one of r.Bases.
func (s *Service) Rename(ctx context.Context, r hive.RenameRequest) (hive.Renamed, error) {
	if !graph.IsName(r.To) {
		return hive.Renamed{}, draftName(r.To)
	}
	if r.To == r.Schedule {
		return hive.Renamed{}, hive.Errorf(hive.CodeInvalid, "the schedule is called %s already", r.To).
			WithReason(hive.ErrorRenameSame, "schedule", r.To)
	}
	var err error
	for range renameTries {
		var out hive.Renamed
		out, err = s.rename(ctx, r)
		switch {
		case err == nil:
			for i := range out.Saved {
				s.changed(out.Saved[i].Schedule.ID)
			}
			return out, nil
		case hive.RenamedTo(err) == r.To && hive.CodeOf(err) == hive.CodeNotFound: // perhaps an answer was lost
			h, err := s.schedules.Schedule(ctx, r.To)
			return hive.Renamed{Schedule: h, Former: r.Schedule}, err
		case !moved(err):
			return hive.Renamed{}, err
		}
	}
	return hive.Renamed{}, err
}

// moved reports whether somebody has published a revision meanwhile.
func moved(err error) bool {
	e, ok := errors.AsType[*hive.Error](err)
	return ok && e.Reason == hive.ErrorRevisionMoved
}

// basedOn returns a conflict if the newest revision of a schedule is not the one that the caller knows.
func basedOn(r *hive.RenameRequest, h *hive.Schedule) error {
	base := r.Bases[h.Name]
	if base == 0 || base == h.Revision {
		return nil
	}
	return hive.Errorf(hive.CodeConflict,
		"schedule %q was changed meanwhile: its newest revision is %d, and you saw %d; look at it and rename it again",
		h.Name, h.Revision, base).
		WithReason(hive.ErrorRevisionMoved, "schedule", h.Name, "newest", h.Revision, "base", base)
}

func (s *Service) rename(ctx context.Context, r hive.RenameRequest) (hive.Renamed, error) {
	h, err := s.schedules.Schedule(ctx, r.Schedule)
	if err != nil {
		return hive.Renamed{}, err
	}
	if err := h.IfArchived(); err != nil {
		return hive.Renamed{}, err
	}
	if err := basedOn(&r, &h); err != nil {
		return hive.Renamed{}, err
	}
	if err := s.nameFree(ctx, r.To, &h); err != nil {
		return hive.Renamed{}, err
	}
	p := &renaming{Service: s, ctx: ctx, r: &r, h: &h}
	if err := p.read(); err != nil {
		return hive.Renamed{}, err
	}
	if err := p.cover(); err != nil {
		return hive.Renamed{}, err
	}
	if err := p.check(); err != nil {
		return hive.Renamed{}, err
	}
	saved, err := s.renames.RenameSchedule(ctx, hive.RenameSchedule{
		Name: h.Name, Saves: p.saves, Redraft: func(text string) string { return withName(text, r.To) },
	})
	if err != nil {
		return hive.Renamed{}, err
	}
	out := hive.Renamed{Schedule: saved[0].Schedule, Former: h.Name, Changed: true}
	for i := range saved {
		out.Saved = append(out.Saved, hive.Saved{
			Schedule: saved[i].Schedule, Revision: saved[i].Revision, Changed: saved[i].Changed, Faults: p.faults[i],
		})
	}
	return out, nil
}

// nameFree refuses a name that another schedule has or had. The store looks again; this answer comes before that about
// the schedules that wait for h.
func (s *Service) nameFree(ctx context.Context, name string, h *hive.Schedule) error {
	other, err := s.schedules.Schedule(ctx, name)
	to := hive.RenamedTo(err)
	switch {
	case err == nil:
		return hive.ScheduleExists(name, other.Revision)
	case to != "" && to != h.Name:
		return hive.FormerName(name, to)
	case hive.CodeOf(err) != hive.CodeNotFound:
		return err
	default:
		return nil
	}
}

// ReleaseName frees a former name, so that another schedule may have it. CodeConflict if triggers still name it.
func (s *Service) ReleaseName(ctx context.Context, former string) error {
	around, err := s.around(ctx)
	if err != nil {
		return err
	}
	naming, err := s.directory.DependantNames(ctx, former, true)
	if err != nil {
		return err
	}
	if to := around.former[former]; to != "" && len(naming) > 0 {
		list := strings.Join(naming, ", ")
		const words = "the triggers of %s wait for %s; take it out of them first"
		return hive.Errorf(hive.CodeConflict, words, list, former).
			WithReason(hive.ErrorScheduleNamed, "schedule", former, "schedules", list)
	}
	id, err := s.renames.ReleaseName(ctx, former)
	if err == nil {
		s.changed(id)
	}
	return err
}

// renaming prepares one rename.
type renaming struct {
	*Service

	ctx    context.Context //nolint:containedctx // it lives as long as the request
	r      *hive.RenameRequest
	h      *hive.Schedule
	own    givenDocument   // of the schedule itself
	others []givenDocument // by name
	saves  []hive.SaveSchedule
	faults [][]hive.Fault // warnings, as saves
}

// givenDocument is a document that says the new name.
type givenDocument struct {
	text   []byte // nil: the newest revision with the new name
	stored *document.Document
	row    *hive.Schedule
}

// read reads the given documents, without regard to each other, and the newest revision if the own document is not
// given.
func (p *renaming) read() error {
	for _, text := range p.r.Documents {
		release, err := p.parsing.acquire(p.ctx, len(text))
		if err != nil {
			return err
		}
		doc, faults := document.Parse(text, document.Options{Stored: true, Limit: document.MaxSize})
		release()
		if doc == nil {
			return documentFaults(faults)
		}
		if err := p.give(givenDocument{text: text, stored: doc}); err != nil {
			return err
		}
	}
	slices.SortFunc(p.others, func(a, b givenDocument) int {
		return strings.Compare(a.stored.Definition.Name, b.stored.Definition.Name)
	})
	if p.own.stored != nil {
		return nil
	}
	rev, err := p.schedules.RevisionAt(p.ctx, p.h.ID, p.h.Revision)
	if err != nil {
		return err
	}
	doc, err := p.stored(p.ctx, rev)
	if err != nil {
		return err
	}
	renamed, faults := document.Parse([]byte(withName(string(doc.JSON()), p.r.To)), document.Options{Stored: true})
	if renamed == nil {
		return documentFaults(faults)
	}
	p.own.stored = renamed
	return nil
}

// give takes one document.
func (p *renaming) give(g givenDocument) error {
	def := g.stored.Definition
	own := def.Name == p.r.To
	again := own && p.own.stored != nil || slices.ContainsFunc(p.others, func(o givenDocument) bool {
		return o.stored.Definition.Name == def.Name
	})
	if again {
		return unfit(def.Name, "is given twice")
	}
	if own {
		p.own = g
		return nil
	}
	h, err := p.schedules.Schedule(p.ctx, def.Name)
	if err != nil {
		return err
	}
	if names := upstreamsOf(def); !slices.Contains(names, p.r.To) {
		return unfit(def.Name, "does not wait for "+p.r.To)
	}
	if err := basedOn(p.r, &h); err != nil {
		return err
	}
	g.row = &h
	p.others = append(p.others, g)
	return nil
}

// unfit refuses a document that has no part in the rename.
func unfit(name, why string) error {
	return hive.Errorf(hive.CodeInvalid, "the document of %.80q %s; give those of the schedules that wait for the "+
		"renamed one, each once and with the new name", name, why).
		WithReason(hive.ErrorRenameDocument, "schedule", name)
}

// cover refuses the rename if a schedule that is not archived goes on to wait for the former name.
func (p *renaming) cover() error {
	waiting, err := p.directory.DependantNames(p.ctx, p.h.Name, false)
	if err != nil {
		return err
	}
	var left []string
	for _, name := range waiting {
		if !slices.ContainsFunc(p.others, func(g givenDocument) bool { return g.stored.Definition.Name == name }) {
			left = append(left, name)
		}
	}
	for i := range p.others {
		if def := p.others[i].stored.Definition; slices.Contains(upstreamsOf(def), p.h.Name) {
			left = append(left, def.Name)
		}
	}
	if len(left) == 0 {
		return nil
	}
	slices.Sort(left)
	list := strings.Join(left, ", ")
	return hive.Errorf(hive.CodeConflict,
		"schedules wait for %s: %s; give their documents with the name %s in the same request", p.h.Name, list, p.r.To).
		WithReason(hive.ErrorRenameNamed, "schedule", p.h.Name, "schedules", list, "to", p.r.To)
}

// check checks the documents among each other, as they will be stored.
func (p *renaming) check() error {
	own := hive.SaveSchedule{
		Name: p.r.To, Document: string(p.own.stored.Canonical), Hash: p.own.stored.Hash, Base: p.h.Revision,
		By: p.r.By, Note: p.r.Note, Now: p.moment(), RenamedFrom: p.h.Name, SameCalendars: true,
		Links: linksOf(p.own.stored, p.r.To), Texts: textsOf(p.own.stored.Definition),
	}
	warnings := []hive.Fault(nil)
	if p.own.text != nil {
		doc, faults, err := p.parseAmong(p.ctx, p.own.text, p.renamed())
		if err != nil {
			return err
		}
		if doc == nil {
			return documentFaults(faults)
		}
		own.Document, own.Hash, own.Calendars, own.SameCalendars = string(doc.Canonical), doc.Hash, doc.Calendars, false
		own.Links, own.Texts = linksOf(doc, p.r.To), textsOf(doc.Definition)
		warnings = faults
	}
	p.saves, p.faults = []hive.SaveSchedule{own}, [][]hive.Fault{warnings}
	for i := range p.others {
		g := &p.others[i]
		doc, faults, err := p.parseAmong(p.ctx, g.text, p.renamed())
		if err != nil {
			return err
		}
		if doc == nil {
			e := documentFaults(faults)
			e.Words = fmt.Sprintf("the document of %s has faults; nothing was saved", g.row.Name)
			return e
		}
		p.saves = append(p.saves, hive.SaveSchedule{
			Name: g.row.Name, Document: string(doc.Canonical), Hash: doc.Hash, Base: g.row.Revision, By: p.r.By,
			Note: p.r.Note, Now: own.Now, Calendars: doc.Calendars, Links: linksOf(doc, g.row.Name),
			Texts: textsOf(doc.Definition),
		})
		p.faults = append(p.faults, faults)
	}
	return nil
}

// renamed finds the schedules as they will be.
func (p *renaming) renamed() *others {
	out := p.Service.others(p.ctx)
	stored := out.read
	out.read = func(name string) (other, error) {
		if name == p.r.To || name == p.h.Name {
			return p.known(p.own.stored, p.h)
		}
		for i := range p.others {
			if g := &p.others[i]; g.row.Name == name {
				return p.known(g.stored, g.row)
			}
		}
		o, err := stored(name)
		for i, upstream := range o.After {
			if upstream == p.h.Name {
				o.After = slices.Clone(o.After)
				o.After[i] = p.r.To
			}
		}
		return o, err
	}
	return out
}

// known is what others must know of a schedule that has a new document.
func (p *renaming) known(doc *document.Document, h *hive.Schedule) (other, error) {
	times, err := p.timetable(p.ctx, doc.Definition, h.CreatedAt)
	if hive.CodeOf(err) == hive.CodeInvalid {
		err = nil // the check of that document says so
	}
	o := other{found: true}
	o.After, o.Times = upstreamsOf(doc.Definition), times
	return o, err
}

// withName returns a definition as JSON with another name.
func withName(definition, name string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(definition), &fields) != nil || fields == nil {
		return definition
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return definition
	}
	fields["name"] = quoted
	text, err := json.Marshal(fields)
	if err != nil {
		return definition
	}
	return string(text)
}

// linksOf returns the links of a schedule whose document may not have its present name yet.
func linksOf(doc *document.Document, name string) []hive.ScheduleLink {
	def := *doc.Definition
	def.Name = name
	return schedule.LinksOf(&def)
}
