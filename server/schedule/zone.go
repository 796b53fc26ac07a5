package schedule

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // so that zones do not depend on what the machine has installed

	"github.com/rprp/hivego/server/hive"
)

// zoneNames lists the names of the IANA time zones, a line each; from Go's lib/time/zoneinfo.zip.
//
//go:embed zones.txt
var zoneNames string

// longestZone is the limit of a zone name, in bytes; all names are shorter.
const longestZone = 64

const zoneHelp = "write an IANA name such as Asia/Shanghai, Europe/Berlin or UTC"

// loadZone finds an IANA time zone; "" is UTC.
func loadZone(name string) (*time.Location, *parseError) {
	switch {
	case name == "":
		return time.UTC, nil
	case len(name) > longestZone:
		return nil, parseErrorf(zoneHelp, "the time zone is longer than %d characters", longestZone).
			withReason(ReasonZoneLong, "most", longestZone)
	case strings.EqualFold(name, "local"):
		return nil, parseErrorf("write an IANA name such as Europe/Berlin, or UTC", "%q depends on the machine", name).
			withReason(ReasonZoneLocal, "value", name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil || !knownShape(name) {
		return nil, unknownZone(name)
	}
	return zone, nil
}

// knownShape refuses names that a machine's zone folder holds beside zones: posix/…, right/…, Factory, files.
func knownShape(name string) bool {
	return name[0] >= 'A' && name[0] <= 'Z' && name != "Factory" && !strings.Contains(name, ".")
}

// unknownZone proposes a zone for a wrong name.
func unknownZone(name string) *parseError {
	const words = "%q is not a known time zone"
	if etc, ok := offsetZone(name); ok {
		const remedy = "write the IANA name of a place, " +
			"or %s for this offset all year (its sign is the other way round)"
		return parseErrorf(fmt.Sprintf(remedy, etc), words, name).
			withReason(ReasonZoneOffset, "value", name, "zone", etc)
	}
	if near := nearestZone(name); near != "" {
		return parseErrorf(fmt.Sprintf("did you mean %s?", near), words, name).
			withReason(ReasonZoneNear, "value", name, "near", near)
	}
	return parseErrorf(zoneHelp, words, name).withReason(ReasonZoneUnknown, "value", name)
}

// offsetZone returns the zone of names such as UTC+8, GMT-5 or +08:00.
func offsetZone(name string) (string, bool) {
	m := regexp.MustCompile(`^(?i:utc|gmt)?([+-])0?([0-9]{1,2})(?::?00)?$`).FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	sign := "-"
	if m[1] == "-" {
		sign = "+"
	}
	etc := "Etc/GMT" + sign + m[2]
	_, err := time.LoadLocation(etc)
	return etc, err == nil
}

// nearestZone returns the name that was probably meant: the same but for case, the last part alone, or a typing error.
func nearestZone(name string) string {
	want := strings.ToLower(strings.ReplaceAll(name, " ", "_"))
	best, found := len(want)/3+1, ""
	for zone := range strings.Lines(zoneNames) {
		zone = strings.TrimSpace(zone)
		known := strings.ToLower(zone)
		city := known[strings.LastIndexByte(known, '/')+1:]
		if want == known || want == city {
			return zone
		}
		if d := min(hive.Distance(want, known, best), hive.Distance(want, city, best)); d < best {
			best, found = d, zone
		}
	}
	return found
}

// Zone loads the time zone of a request by its IANA name; UTC without one.
func Zone(name string) (*time.Location, error) {
	zone, w := loadZone(name)
	if w != nil {
		return nil, hive.Errorf(hive.CodeInvalid, "timezone: %s", w.Error()).
			WithReason(hive.ErrorForecastZone, "value", hive.Clean(name, 64))
	}
	return zone, nil
}
