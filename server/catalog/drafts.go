package catalog

import (
	"context"
	"encoding/json"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// DraftStore stores one draft for each user and schedule.
type DraftStore interface {
	Drafts(ctx context.Context, user int64) ([]hive.Draft, error)
	Draft(ctx context.Context, user int64, name string) (hive.Draft, error)
	PutDraft(ctx context.Context, d hive.Draft, most int) (hive.Draft, error)
	DeleteDraft(ctx context.Context, user int64, name string, version int64) error
}

// Drafts lists a user's drafts by name, without their documents.
func (s *Service) Drafts(ctx context.Context, user int64) ([]hive.Draft, error) {
	return s.drafts.Drafts(ctx, user)
}

// Draft returns a user's draft of a schedule.
func (s *Service) Draft(ctx context.Context, user int64, name string) (hive.Draft, error) {
	if err := draftName(name); err != nil {
		return hive.Draft{}, err
	}
	return s.drafts.Draft(ctx, user, name)
}

// PutDraft replaces the draft of that user, name and version by d, and returns it with its new version. CodeConflict:
// another version is stored, or the user has too many drafts.
func (s *Service) PutDraft(ctx context.Context, d hive.Draft) (hive.Draft, error) {
	if err := draftName(d.Name); err != nil {
		return hive.Draft{}, err
	}
	if len(d.Document) > hive.MaxDraft {
		return hive.Draft{}, hive.Errorf(hive.CodeTooLarge,
			"the draft has %d bytes, and %d MiB are kept; keep long scripts in files",
			len(d.Document), hive.MaxDraft>>20).WithReason(hive.ErrorBodySize)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(d.Document), &fields); err != nil || fields == nil {
		return hive.Draft{}, hive.Errorf(hive.CodeInvalid, "a draft is a document as JSON: an object of its fields").
			WithReason(hive.ErrorValue, "name", "definition", "value", d.Document)
	}
	d.UpdatedAt = s.moment()
	return s.drafts.PutDraft(ctx, d, hive.MaxDrafts)
}

// DeleteDraft deletes a user's draft, if there is one. If version is not 0, it deletes only that version.
func (s *Service) DeleteDraft(ctx context.Context, user int64, name string, version int64) error {
	if err := draftName(name); err != nil {
		return err
	}
	return s.drafts.DeleteDraft(ctx, user, name, version)
}

func draftName(name string) error {
	if graph.IsName(name) {
		return nil
	}
	return hive.Errorf(hive.CodeInvalid,
		"%.80q is no name of a schedule; use 1 to 63 lower-case letters, digits and hyphens, "+
			"not starting with a hyphen", name).WithReason(hive.ErrorScheduleName, "name", name)
}
