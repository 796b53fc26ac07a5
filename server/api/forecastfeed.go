package api

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/hive"
)

// Limits of a feed.
const (
	feedTime   = 60 * 24 * time.Hour
	feedTicks  = 2000
	longestRow = 75 // bytes of a line of iCalendar, without its end
)

// ForecastFeed is of the generated interface.
func (h *handlers) ForecastFeed(
	ctx context.Context, r stub.ForecastFeedRequestObject,
) (stub.ForecastFeedResponseObject, error) {
	name := orZero(r.Params.Schedule)
	ask := hive.TickForecastRequest{Schedule: name, Until: h.now().Add(feedTime), Most: feedTicks}
	f, err := h.Forecasts.ForecastTicks(ctx, ask)
	if to := hive.RenamedTo(err); to != "" { // a program that subscribed to the feed does not learn of a rename
		ask.Schedule, name = to, to
		f, err = h.Forecasts.ForecastTicks(ctx, ask)
	}
	if err != nil {
		return nil, err
	}
	text := feedOf(name, &f)
	return stub.ForecastFeed200TextCalendarResponse{
		Body: strings.NewReader(text), ContentLength: int64(len(text)),
	}, nil
}

// feedOf writes the batches that a forecast expects as iCalendar (RFC 5545). The UID of an event is made of the
// schedule and the moment, so that a program that reads the feed again changes the event in place.
func feedOf(name string, f *hive.TickForecast) string {
	w := &feed{}
	title := "HiveGo"
	if name != "" {
		title = "HiveGo: " + name
	}
	w.row("BEGIN", "VCALENDAR")
	w.row("VERSION", "2.0")
	w.row("PRODID", "-//HiveGo//forecast//EN")
	w.row("CALSCALE", "GREGORIAN")
	w.row("METHOD", "PUBLISH")
	w.text("X-WR-CALNAME", title)
	w.row("REFRESH-INTERVAL;VALUE=DURATION", "PT1H")
	for i := range f.Ticks {
		if t := &f.Ticks[i]; t.Decision == hive.DecisionFired || t.Decision == hive.DecisionQueued {
			w.event(t, f.From)
		}
	}
	w.row("END", "VCALENDAR")
	return w.b.String()
}

type feed struct{ b strings.Builder }

func (w *feed) event(t *hive.ForecastTick, now time.Time) {
	start := t.StartsAt
	if start.IsZero() {
		start = t.Moment
	}
	w.row("BEGIN", "VEVENT")
	w.row("UID", fmt.Sprintf("%s-%s@hivego", t.Schedule, utc(t.Moment)))
	w.row("DTSTAMP", utc(now))
	w.row("DTSTART", utc(start))
	if t.EndsAt.After(start) {
		w.row("DTEND", utc(t.EndsAt))
	}
	w.text("SUMMARY", t.Schedule)
	about := fmt.Sprintf("Moment %s, trigger %s", t.Moment.UTC().Format(time.RFC3339), t.Trigger)
	if t.Unsure {
		about += "\nIt waits for a batch whose usual duration is not known: the start is unknown."
	}
	if t.Detail != "" {
		about += "\n" + t.Detail
	}
	w.text("DESCRIPTION", about)
	w.row("TRANSP", "TRANSPARENT") // it does not make a person busy
	w.row("END", "VEVENT")
}

func utc(at time.Time) string { return at.UTC().Format("20060102T150405Z") }

// text writes a property of type TEXT, with the characters escaped that have a meaning.
func (w *feed) text(name, value string) {
	escape := strings.NewReplacer("\\", `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", "")
	w.row(name, escape.Replace(value))
}

// row writes one line, folded between characters.
func (w *feed) row(name, value string) {
	line := name + ":" + value
	for limit := longestRow; len(line) > limit; limit = longestRow - 1 { // the space before the rest counts
		cut := limit
		for !utf8.RuneStart(line[cut]) {
			cut--
		}
		w.b.WriteString(line[:cut] + "\r\n ")
		line = line[cut:]
	}
	w.b.WriteString(line + "\r\n")
}
