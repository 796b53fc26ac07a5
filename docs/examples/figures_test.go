package examples_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// flight is one object of flights-5k.json.
type flight struct {
	Date, Origin, Destination string
	Delay                     int
}

func (f flight) late() bool { return f.Delay >= 15 }

// tally sums up flights.
type tally struct{ flights, late, delay int }

func (s *tally) add(f flight) {
	s.flights++
	s.delay += f.Delay
	if f.late() {
		s.late++
	}
}

func (s *tally) latePercent() float64 { return 100 * float64(s.late) / float64(s.flights) }
func (s *tally) mean() float64        { return float64(s.delay) / float64(s.flights) }

func (s *tally) cells() []string {
	return []string{strconv.Itoa(s.flights), fmt.Sprintf("%.1f", s.latePercent()), fmt.Sprintf("%.1f", s.mean())}
}

func busiest(flights []flight, airports map[string][]string) [][]string {
	by := map[string]*tally{}
	for _, f := range flights {
		if airports[f.Origin] == nil {
			continue
		}
		if by[f.Origin] == nil {
			by[f.Origin] = &tally{}
		}
		by[f.Origin].add(f)
	}
	keys := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		if n := by[b].flights - by[a].flights; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	var rows [][]string
	for _, k := range keys[:10] {
		rows = append(rows, append([]string{k, airports[k][2] + ", " + airports[k][3]}, by[k].cells()...))
	}
	return rows
}

func weekdays(flights []flight) [][]string {
	by := map[string]*tally{}
	for d := time.Sunday; d <= time.Saturday; d++ {
		by[d.String()] = &tally{}
	}
	for _, f := range flights {
		at, err := time.Parse("2006/01/02 15:04", f.Date)
		if err != nil {
			panic(err)
		}
		by[at.Weekday().String()].add(f)
	}
	var rows [][]string
	for d := time.Sunday; d <= time.Saturday; d++ {
		rows = append(rows, append([]string{d.String()}, by[d.String()].cells()...))
	}
	return rows
}

func months(flights []flight, weather []day) [][]string {
	var rows [][]string
	for month := 1; month <= 12; month++ {
		name := fmt.Sprintf("%02d", month)
		days, wet, rain, warmest, coldest := 0, 0, 0.0, math.Inf(-1), math.Inf(1)
		for _, d := range weather {
			if d.month() != name {
				continue
			}
			days++
			rain += d.rain
			if d.rain > 0 {
				wet++
			}
			warmest, coldest = max(warmest, d.warmest), min(coldest, d.coldest)
		}
		row := []string{name}
		for _, v := range []float64{100 * float64(wet) / float64(days), rain / float64(days), warmest, coldest} {
			row = append(row, fmt.Sprintf("%.1f", v))
		}
		s := tally{}
		for _, f := range flights {
			if (f.Origin == "SEA" || f.Destination == "SEA") && f.Date[5:7] == name {
				s.add(f)
			}
		}
		if s.flights == 0 {
			rows = append(rows, append(row, "–", "–"))
			continue
		}
		rows = append(rows, append(row, s.cells()[:2]...))
	}
	return rows
}

func readFlights(t *testing.T) []flight {
	t.Helper()
	raw, err := os.ReadFile("data/flights-5k.json")
	if err != nil {
		t.Fatal(err)
	}
	var flights []flight
	if err := json.Unmarshal(raw, &flights); err != nil {
		t.Fatal(err)
	}
	return flights
}

func readCSV(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join("data", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// readAirports returns the rows of airports.csv by code.
func readAirports(t *testing.T) map[string][]string {
	t.Helper()
	airports := map[string][]string{}
	for _, row := range readCSV(t, "airports.csv") {
		airports[row[0]] = row
	}
	return airports
}

// day is a row of seattle-weather.csv.
type day struct {
	day                    string
	rain, warmest, coldest float64
}

func (d day) month() string { return d.day[5:7] }

func readWeather(t *testing.T) []day {
	t.Helper()
	var days []day
	for _, row := range readCSV(t, "seattle-weather.csv") {
		days = append(days, day{
			day: row[0], rain: number(t, row[1]), warmest: number(t, row[2]),
			coldest: number(t, row[3]),
		})
	}
	return days
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
