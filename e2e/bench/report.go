package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// stat summarizes repetitions.
type stat struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	N      int     `json:"n"`
}

func statOf(values []float64) stat {
	if len(values) == 0 {
		return stat{}
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return stat{Median: (v[(n-1)/2] + v[n/2]) / 2, Min: v[0], Max: v[n-1], N: n}
}

// repeat measures n times.
func repeat(n int, measure func() (float64, error)) (stat, error) {
	values := make([]float64, 0, n)
	for range n {
		v, err := measure()
		if err != nil {
			return stat{}, err
		}
		values = append(values, v)
	}
	return statOf(values), nil
}

// setting is a condition that the figures depend on.
type setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// row is one measure. Ratio is its median in units of the denominator that By names.
type row struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Stat  stat    `json:"stat"`
	Ratio float64 `json:"ratio,omitempty"`
	By    string  `json:"by,omitempty"`
	Floor string  `json:"floor,omitempty"`
	Goal  string  `json:"goal,omitempty"`
}

type report struct {
	Settings     []setting `json:"settings"`
	Denominators []row     `json:"denominators"`
	Measures     []row     `json:"measures"`

	roundTrip, appended, calls, commits float64 // medians: R and f in µs, T and P per second
}

func (r *report) set(name, format string, args ...any) {
	r.Settings = append(r.Settings, setting{name, fmt.Sprintf(format, args...)})
}

func (b *bench) settings(ctx context.Context) {
	r := &b.rep
	r.set("machine", "%s, %d cores, %s", cpuModel(), runtime.NumCPU(), kernel())
	r.set("Go", "%s, GOMAXPROCS %d", runtime.Version(), runtime.GOMAXPROCS(0))
	r.set("SQLite", "%s, WAL, synchronous FULL", sqliteVersion(ctx))
	r.set("PostgreSQL", "%s", b.pg.describe(ctx))
	r.set("executor", "in the bench's process, over loopback Thrift, %d slots, a handler that does nothing", b.slots)
	r.set("data", "%s", b.dir)
	r.set("repetitions", "%d; median (min–max)", b.reps)
}

func cpuModel() string {
	raw, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(raw)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func kernel() string {
	raw, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return runtime.GOOS + " " + strings.TrimSpace(string(raw))
}

func (r *report) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range r.Settings {
		fmt.Fprintf(t, "%s\t%s\n", s.Name, s.Value)
	}
	fmt.Fprintln(t, "\nwhat the machine can do\tmedian\t(min–max)\t")
	for _, d := range r.Denominators {
		fmt.Fprintf(t, "%s\t%s\t%s\t\n", d.Name, amount(d.Stat.Median, d.Unit), span(d))
	}
	fmt.Fprintln(t, "\nwhat HiveGo does\tmedian\t(min–max)\tratio\tfloor\tgoal\t")
	for _, m := range r.Measures {
		ratio := ""
		if m.By != "" {
			ratio = fmt.Sprintf("%.2f %s", m.Ratio, m.By)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t\n", m.Name, amount(m.Stat.Median, m.Unit), span(m), ratio, m.Floor,
			m.Goal)
	}
	return t.Flush()
}

func span(r row) string {
	if r.Stat.N < 2 {
		return ""
	}
	return fmt.Sprintf("(%s–%s)", amount(r.Stat.Min, ""), amount(r.Stat.Max, ""))
}

// amount formats a value with about three digits.
func amount(v float64, unit string) string {
	if unit != "" {
		unit = " " + unit
	}
	switch {
	case v == 0:
		return "0" + unit
	case v >= 100:
		return fmt.Sprintf("%.0f%s", v, unit)
	case v >= 10:
		return fmt.Sprintf("%.1f%s", v, unit)
	default:
		return fmt.Sprintf("%.2f%s", v, unit)
	}
}
