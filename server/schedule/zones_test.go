package schedule_test

import (
	"archive/zip"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// change is one change of the clocks.
type change struct {
	at            int64 // Unix time
	before, after int   // offsets from UTC in seconds
}

// zoneNames lists the zones of the IANA database that comes with Go.
func zoneNames(t *testing.T) []string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var names []string
	for _, f := range file.File {
		if !f.FileInfo().IsDir() {
			names = append(names, f.Name)
		}
	}
	return names
}

// changesOf lists the changes of the clocks of a zone between two times.
func changesOf(zone *time.Location, from, until time.Time) []change {
	var list []change
	for at := from.In(zone); ; {
		_, next := at.ZoneBounds()
		if next.IsZero() || next.After(until) {
			return list
		}
		_, before := next.Add(-time.Second).Zone()
		_, after := next.Zone()
		// If they are equal, only the name of the zone changes. The search looks at whole minutes only (Liberia was 44
		// minutes and 30 seconds behind UTC until 1972).
		if before != after && before%60 == 0 && after%60 == 0 {
			list = append(list, change{at: next.Unix(), before: before, after: after})
		}
		at = next
	}
}

// kind is what a change of the clocks looks like on the wall, in seconds.
type kind struct{ before, after, timeOfDay int }

// changesToTry lists, for each zone, its two latest changes of the clocks, and its changes of a kind that no zone
// before it had.
func changesToTry(t *testing.T) map[string][]change {
	t.Helper()
	tried := map[kind]bool{}
	out := map[string][]change{}
	for _, name := range zoneNames(t) {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		list := changesOf(zone, time.Unix(0, 0), time.Date(2038, 1, 1, 0, 0, 0, 0, time.UTC))
		for i, c := range list {
			k := kind{before: c.before, after: c.after, timeOfDay: (int(c.at) + c.before) % 86_400}
			if i >= len(list)-2 || !tried[k] {
				tried[k] = true
				out[name] = append(out[name], c)
			}
		}
	}
	return out
}

// TestEveryZone compares what is due around changes of the clocks, in every zone of the IANA database that has one
// between 1970 and 2037, with a search that looks at every minute.
func TestEveryZone(t *testing.T) {
	t.Parallel()
	rules := []hive.DST{
		{},
		{Repeat: "last"},
		{Repeat: "both"},
		{Gap: "skip"},
		{Gap: "skip", Repeat: "last"},
		{Gap: "skip", Repeat: "both"},
	}
	crons := []fields{
		{minutes: []int{0, 20, 45}, hours: []int{0, 1, 2, 3, 4, 23}, text: "0,20,45 0,1,2,3,4,23 * * *"},
		{
			minutes: []int{10}, hours: []int{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}, cycle: true,
			text: "10 */2 * * *",
		},
	}
	zones, n := changesToTry(t), 0
	if len(zones) < 400 {
		t.Fatalf("only %d zones change their clocks", len(zones))
	}
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range zones[name] {
			after, until := time.Unix(c.at, 0).Add(-15*time.Hour), time.Unix(c.at, 0).Add(27*time.Hour)
			f, dst := crons[n%len(crons)], rules[n/len(crons)%len(rules)]
			n++
			def := &hive.Definition{Timezone: name, Triggers: []hive.Trigger{{Cron: f.text, DST: dst}}}
			table, err := schedule.NewTimetable(def, time.Unix(0, 0), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			due, _ := table.Due(after, until, 1000)
			for _, m := range due {
				got = append(got, m.At.Unix())
			}
			if want := slowly(f, dst, zone, after, until); !slices.Equal(got, want) {
				t.Errorf("%q in %s around %s, %+v: due %v, want %v", f.text, name, time.Unix(c.at, 0).UTC(), dst, got,
					want)
			}
		}
	}
	t.Logf("%d changes of %d zones", n, len(zones))
}
