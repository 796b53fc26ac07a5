package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

func now() time.Time { return time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC) }

// healthy returns the facts of a server that is well.
func healthy() *Facts {
	return &Facts{
		Version: "v2", Now: now(), Place: "data in data",
		Certificates: []Certificate{{File: "ca.crt", Ends: now().AddDate(1, 0, 0)}},
		Folders:      []Folder{{Name: "the server's data", Path: "data", Free: 50 << 30, Total: 100 << 30}},
		Server:       &Server{Running: true, URL: "http://127.0.0.1:3000"},
		Database:     &Database{Product: "SQLite 3", Have: 20, Want: 20},
		Key:          &Key{Path: "data/secret.key"},
		Servers:      []hive.Server{{ID: "a", Version: "v2", Address: "127.0.0.1:3000"}},
		Executors:    []Executor{{Name: "embedded", Version: "v2", Durable: true, Inside: true, OffsetKnown: true}},
		Called:       true,
	}
}

func TestHealthy(t *testing.T) {
	t.Parallel()
	findings := Judge(healthy())
	assert.Equal(t, OK, Worst(findings))
	var checks []Check
	for _, f := range findings {
		checks = append(checks, f.Check)
		assert.NotEmpty(t, f.Words)
		assert.Empty(t, f.Remedy, f.Words)
	}
	assert.Equal(t, []Check{Configuration, ServerCheck, Clock, DiskCheck, DatabaseCheck, Executors, Versions}, checks)
}

// trouble is one change of a healthy server, and the finding that it leads to.
type trouble struct {
	change func(f *Facts)
	check  Check
	level  Level
	words  string
	remedy string
}

func configurationTroubles() map[string]trouble {
	err := errors.New("permission denied")
	return map[string]trouble{
		"a refused setting": {
			func(f *Facts) { f.Refused = []string{"--slots 0: between 1 and 10; leave it out"} },
			Configuration, Fault, "--slots 0: between 1 and 10", "leave it out",
		},
		"a refused setting without a remedy": {
			func(f *Facts) { f.Refused = []string{"no such file"} },
			Configuration, Fault, "no such file", "config print",
		},
		"an unknown variable": {
			func(f *Facts) { f.Warnings = []string{"HIVEGO_SLOT means nothing; did you mean HIVEGO_SLOTS?"} },
			Configuration, Warning, "HIVEGO_SLOT means nothing", "did you mean",
		},
		"no certificate": {
			func(f *Facts) { f.Certificates[0].Err = err }, Configuration, Fault, "ca.crt cannot be used",
			"hivego certs",
		},
		"an ended certificate": {
			func(f *Facts) { f.Certificates[0].Ends = now() }, Configuration, Fault, "has ended on 2026-03-01",
			"hivego certs",
		},
		"a certificate near its end": {
			func(f *Facts) { f.Certificates[0].Ends = now().AddDate(0, 0, 29) },
			Configuration, Warning, "ends on 2026-03-30", "before",
		},
		"another key": {
			func(f *Facts) { f.Key.Err = errors.New("it is another key") },
			Configuration, Fault, "it is another key", "--secret-key",
		},
		"an API that does not answer": {
			func(f *Facts) { f.Server.Err = err }, ServerCheck, Fault, "does not answer", "--listen",
		},
		"not ready": {
			func(f *Facts) { f.Server.Failing = []string{"engine: no session"} },
			ServerCheck, Fault, "engine: no session", "log",
		},
		"a taken port": {
			func(f *Facts) { f.Server.Running, f.Server.Err = false, err },
			ServerCheck, Fault, "none can listen", "another --listen",
		},
		"a collector that is away": {
			func(f *Facts) { f.Collector = &Collector{URL: "http://127.0.0.1:4318/v1/traces", Err: err} },
			Traces, Warning, "does not take spans: permission denied", "--otlp-endpoint",
		},
		"another version": {
			func(f *Facts) { f.Servers[0].Version = "v1" }, Versions, Warning, "the server at 127.0.0.1:3000 is v1",
			"upgrade",
		},
	}
}

func machineTroubles() map[string]trouble {
	err := errors.New("permission denied")
	return map[string]trouble{
		"a clock ahead of the database": {
			func(f *Facts) { f.Database.Offset = 3 * time.Second },
			Clock, Warning, "3s ahead of that of the database", "chrony",
		},
		"a clock behind an executor": {
			func(f *Facts) { f.Executors[0].Offset = -time.Minute },
			Clock, Fault, "1m0s behind that of executor embedded", "chrony",
		},
		"decisions in the future": {
			func(f *Facts) { f.Database.Ahead = 2 }, Clock, Fault, "in 2 schedules", "put the clock right",
		},
		"no room": {
			func(f *Facts) { f.Folders[0].Free = 10 << 20 }, DiskCheck, Fault, "only 10 MiB of 100.0 GiB", "make room",
		},
		"little room": {
			func(f *Facts) { f.Folders[0].Free = 4 << 30 }, DiskCheck, Warning, "only 4.0 GiB", "make room",
		},
		"a folder that cannot be written": {
			func(f *Facts) { f.Folders[0].Err = err }, DiskCheck, Fault, "permission denied", "user",
		},
		"no folder": {
			func(f *Facts) { f.Folders[0] = Folder{Path: "data", Missing: true} }, DiskCheck, Warning,
			"no folder data", "--data",
		},
		"the store of logs is away": {
			func(f *Facts) {
				f.LogStore = &LogStore{Place: "s3://logs", Err: errors.New("the store of logs, s3://logs, cannot be " +
					"used now: there is no such bucket; make it")}
			},
			LogStoreCheck, Fault, "s3://logs, cannot be used now: there is no such bucket", "make it",
		},
		"logs do not move": {
			func(f *Facts) { f.LogStore = &LogStore{Place: "s3://logs", Overdue: 3} },
			LogStoreCheck, Warning, "3 logs in the folder", "same --logs-s3",
		},
		"no database": {
			func(f *Facts) { f.Database = &Database{Err: errors.New("open the database: refused")} },
			DatabaseCheck, Fault, "it cannot be used: refused", "--database-url",
		},
		"an empty database": {
			func(f *Facts) { f.Database.Have = 0 }, DatabaseCheck, Warning, "an empty database", "first start",
		},
		"an older schema": {
			func(f *Facts) { f.Database.Have = 19 }, DatabaseCheck, Warning, "version 19; this hivego has 20",
			"next start",
		},
		"a newer schema": {
			func(f *Facts) { f.Database.Have = 21 }, DatabaseCheck, Fault, "knows 20 only", "newer hivego",
		},
		"a database that cannot be written": {
			func(f *Facts) { f.Database.Write = errors.New("disk full") }, DatabaseCheck, Fault, "disk full",
			"make room",
		},
		"no executor": {
			func(f *Facts) { f.Executors = nil }, Executors, Warning, "nothing can run", "--no-executor",
		},
		"executors that were not called": {
			func(f *Facts) { f.Called = false }, Executors, Warning, "not called", "run doctor again",
		},
		"a silent executor": {
			func(f *Facts) { f.Executors[0].Err = err }, Executors, Fault, "embedded does not answer", "start it",
		},
		"a silent executor that is offline": {
			func(f *Facts) { f.Executors[0].Err, f.Executors[0].Offline = err, true },
			Executors, Warning, "offline by hand", "delete embedded",
		},
		"one that only offers run": {
			func(f *Facts) { f.Executors[0].Err, f.Executors[0].Durable = err, false },
			Executors, Warning, "does not answer", "while it works",
		},
	}
}

// Each trouble leads to its finding, with a remedy, and to no other one.
func TestTroubles(t *testing.T) {
	t.Parallel()
	for _, topic := range []map[string]trouble{configurationTroubles(), machineTroubles()} {
		for name, c := range topic {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := healthy()
				c.change(f)
				findings := Judge(f)
				assert.Equal(t, c.level, Worst(findings))
				var bad []Finding
				for _, f := range findings {
					if f.Level != OK {
						bad = append(bad, f)
					}
				}
				require.Len(t, bad, 1)
				assert.Equal(t, c.check, bad[0].Check)
				assert.Contains(t, bad[0].Words, c.words)
				assert.Contains(t, bad[0].Remedy, c.remedy)
			})
		}
	}
}

// The embedded executor is not missed while no server runs.
func TestStopped(t *testing.T) {
	t.Parallel()
	f := healthy()
	f.Server.Running, f.Executors[0].Err = false, errors.New("connection refused")
	findings := Judge(f)
	assert.Equal(t, OK, Worst(findings))
	assert.Contains(t, findings[1].Words, "no server runs")
	assert.Contains(t, findings[5].Words, "starts with the server")
}

// If the settings cannot be read, nothing else is looked at.
func TestUnread(t *testing.T) {
	t.Parallel()
	findings := Judge(&Facts{Version: "v2", Now: now(), Refused: []string{"a", "b; write c"}})
	assert.Equal(t, Fault, Worst(findings))
	for _, f := range findings {
		assert.NotContains(t, []Check{ServerCheck, DiskCheck, DatabaseCheck}, f.Check)
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	findings := []Finding{
		{Check: Clock, Level: OK, Words: "right"},
		{Check: DiskCheck, Level: Fault, Words: "full\n\x1b[31mred", Remedy: "make room"},
	}
	var out bytes.Buffer
	PrintText(&out, findings)
	assert.Equal(t, "OK       clock          right\nFAULT    disk           full �[31mred\n"+
		"                        → make room\n", out.String())
	out.Reset()
	require.NoError(t, PrintJSON(&out, findings))
	var got map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	assert.Equal(t, "fault", got["status"])
	assert.Len(t, got["checks"], 2)
	assert.Equal(t, 1, strings.Count(out.String(), `"remedy"`))
}
