package apitest

import (
	"context"
	"encoding/json"

	"github.com/rprp/hivego/server/hive"
)

type alerts struct{ f *Fakes }

// answer returns the error of a call, or that there is no such thing.
func (p alerts) answer() error {
	if p.f.AlertsF == nil {
		return missing()
	}
	return p.f.AlertsF()
}

func (p alerts) List(ctx context.Context, kind string) ([]hive.AlertDocumentView, error) {
	v, err := p.Get(ctx, kind, "")
	if err != nil {
		return nil, err
	}
	v.Current.Document, v.Definition = "", nil
	return []hive.AlertDocumentView{v}, nil
}

func (p alerts) Get(_ context.Context, kind, _ string) (hive.AlertDocumentView, error) {
	v := hive.AlertDocumentView{
		AlertDocument: hive.AlertDocument{ID: 3, Kind: kind, Name: "night", Revision: 2, CreatedAt: T0, UpdatedAt: T0},
		Current: hive.AlertRevision{
			ID: 5, DocumentID: 3, Number: 2, Document: "name: night\n", Hash: "abc", CreatedAt: T0, CreatedBy: "ada",
			Note: "why",
		},
		Title: "Night", Definition: json.RawMessage(`{"name":"night"}`),
	}
	if kind == hive.KindAlert {
		v.On, v.Tags, v.Channels = []hive.AlertKind{hive.AlertFailed}, []string{"finance"}, []string{"mail"}
		return v, p.answer()
	}
	v.Type, v.Language, v.UsedBy = hive.ChannelSlack, "en", []string{"night"}
	v.Secrets = []hive.ChannelSecretView{{
		ChannelSecret: hive.ChannelSecret{Name: "url", SetAt: T0, SetBy: "ada"}, Required: true, Set: true,
	}}
	return v, p.answer()
}

func (p alerts) Save(ctx context.Context, kind string, r hive.SaveRequest) (hive.SavedAlertDocument, error) {
	v, err := p.Get(ctx, kind, r.Name)
	return hive.SavedAlertDocument{Document: v.AlertDocument, Revision: v.Current, Changed: true}, err
}

func (p alerts) Delete(context.Context, string, string) error { return p.answer() }

func (p alerts) Revisions(ctx context.Context, kind, name string) ([]hive.AlertRevision, error) {
	v, err := p.Get(ctx, kind, name)
	return []hive.AlertRevision{v.Current}, err
}

func (p alerts) Revision(ctx context.Context, kind, name string, _ int64) (hive.AlertRevisionView, error) {
	v, err := p.Get(ctx, kind, name)
	return hive.AlertRevisionView{AlertRevision: v.Current, Definition: v.Definition}, err
}

func (p alerts) SetSecrets(context.Context, string, map[string]string, string) error {
	return p.answer()
}

func (p alerts) Test(context.Context, string, string) (hive.ChannelTest, error) {
	return hive.ChannelTest{Sent: true, Detail: "200 OK"}, p.answer()
}

func (p alerts) Try(context.Context, hive.ChannelTrial) (hive.ChannelTest, error) {
	return hive.ChannelTest{Sent: true, Detail: "200 OK"}, p.answer()
}

func (p alerts) Convert(ctx context.Context, kind string, _ []byte) (hive.AlertConversion, error) {
	v, err := p.Get(ctx, kind, "")
	return hive.AlertConversion{
		Conversion: hive.Conversion{
			Verdict: hive.Verdict{
				Valid: true, Name: v.Name, Canonical: v.Current.Document, Hash: v.Current.Hash, Faults: []hive.Fault{},
			},
			Definition: v.Definition,
		},
		Secrets: v.Secrets,
	}, err
}

func (p alerts) Take(ctx context.Context, in hive.TakeAlerts) ([]hive.AlertLogEntry, error) {
	list, err := p.Events(ctx, hive.AlertFilter{})
	list[0].Event.TakenBy, list[0].Event.TakenNote = in.By, in.Note
	if in.By != "" {
		list[0].Event.TakenAt = T0
	}
	return list, err
}

func (p alerts) SendAgain(ctx context.Context, _ int64) (hive.AlertDelivery, error) {
	list, err := p.Events(ctx, hive.AlertFilter{})
	return list[0].Deliveries[0], err
}

func (p alerts) Events(_ context.Context, f hive.AlertFilter) ([]hive.AlertLogEntry, error) {
	if p.f.AlertFilterF != nil {
		p.f.AlertFilterF(f)
	}
	return []hive.AlertLogEntry{{
		Event: hive.AlertEvent{
			ID: 8, Kind: hive.AlertFailed, Open: true, BatchID: 7, At: T0,
			AlertFacets: hive.AlertFacets{Schedule: "warehouse", Moment: T0, Task: "load", Error: "exit 1"},
		},
		Deliveries: []hive.AlertDelivery{{
			ID: 9, EventID: 8, AlertPair: hive.AlertPair{Rule: "night", Channel: "mail"}, State: hive.DeliverySent,
			DueAt: T0, Tries: 1, DoneAt: T0,
		}},
	}}, p.answer()
}

func (p alerts) Tries(context.Context, int64) ([]hive.AlertTry, error) {
	return []hive.AlertTry{{Message: "alert-1", Server: "a", At: T0, Done: true, Detail: "200 OK"}}, p.answer()
}
