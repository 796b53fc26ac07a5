package waits

import (
	"log/slog"
	"time"

	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

func (p *player) newTicker() {
	p.ticker = schedule.NewTicker(schedule.Config{
		Store: p.store, Results: p.store, Links: p.store, Changes: p.store,
		Server:    func() hive.Server { return p.server },
		Calendars: p.store, ParseCalendar: func(text string) (*hive.CalendarDefinition, error) {
			doc, faults := document.ParseCalendar([]byte(text), document.Options{Stored: true})
			if doc == nil {
				return nil, &hive.Error{Code: hive.CodeInvalid, Words: "unreadable", Faults: faults}
			}
			return doc.Calendar, nil
		},
		Parse: func(text string) (*hive.Definition, error) {
			def, faults := p.graphs.Definition(text)
			if def == nil {
				return nil, &hive.Error{Code: hive.CodeInvalid, Words: "unreadable", Faults: faults}
			}
			return def, nil
		},
		NewRuns: func(def *hive.Definition) ([]hive.Run, error) {
			g, err := graph.Compile(def)
			if err != nil {
				return nil, err
			}
			return batch.NewRuns(g), nil
		},
		Made: func(ids []int64) { p.made = append(p.made, ids...) },
		Log:  slog.New(slog.DiscardHandler),
		Clock: schedule.Clock{
			Wall:    func() time.Time { return p.now },
			Elapsed: func() time.Duration { return p.now.Sub(p.start) },
		},
		Refresh: 10 * time.Minute,
	})
}

// restart lets another ticker go on, as after a restart or a takeover.
func (p *player) restart() {
	p.newTicker()
	p.settle()
}
