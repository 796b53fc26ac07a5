package outbox

import (
	"context"
	"log/slog"
	"sync"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// DocumentStore reads rules, channels, and the secrets of channels.
type DocumentStore interface {
	AlertDocuments(ctx context.Context, kind string) ([]hive.CurrentAlertDocument, error)
	OpenChannelSecrets(ctx context.Context, document int64) (map[string]string, error)
}

// Documents reads rules and channels, and parses each revision once.
type Documents struct {
	store DocumentStore
	log   *slog.Logger

	mu         sync.Mutex
	parsed     map[int64]*document.Document // by revision
	unreadable map[int64]bool               // revisions
}

// NewDocuments makes Documents.
func NewDocuments(store DocumentStore, log *slog.Logger) *Documents {
	return &Documents{store: store, log: log, parsed: map[int64]*document.Document{}, unreadable: map[int64]bool{}}
}

// Rules returns the rules that are in force.
func (d *Documents) Rules(ctx context.Context) ([]*alert.Rule, error) {
	all, err := d.read(ctx, hive.KindAlert)
	if err != nil {
		return nil, err
	}
	out := make([]*alert.Rule, 0, len(all))
	for _, one := range all {
		out = append(out, alert.NewRule(one.doc.Alert))
	}
	return out, nil
}

// channels returns the channels by name.
func (d *Documents) channels(ctx context.Context) (map[string]current, error) {
	all, err := d.read(ctx, hive.KindChannel)
	out := make(map[string]current, len(all))
	for _, one := range all {
		out[one.row.Name] = one
	}
	return out, err
}

// current is a document with its newest revision.
type current struct {
	row hive.CurrentAlertDocument
	doc *document.Document
}

func (d *Documents) read(ctx context.Context, kind string) ([]current, error) {
	rows, err := d.store.AlertDocuments(ctx, kind)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.parsed) > 2*len(rows)+100 {
		clear(d.parsed) // revisions that are not the newest any more
	}
	out := make([]current, 0, len(rows))
	for i := range rows {
		rev := &rows[i].Current
		doc := d.parsed[rev.ID]
		if doc == nil && !d.unreadable[rev.ID] {
			var faults []hive.Fault
			doc, faults = document.ParseAlert([]byte(rev.Document), kind, document.Options{Stored: true})
			if doc == nil { // the others still hold
				d.unreadable[rev.ID] = true
				d.log.Error("a document of alerts cannot be read and has no effect; save it again", "kind", kind,
					"name", rows[i].Name, "revision", rev.Number, "faults", faults)
			} else {
				d.parsed[rev.ID] = doc
			}
		}
		if doc == nil {
			continue
		}
		out = append(out, current{rows[i], doc})
	}
	return out, nil
}
