package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

const (
	roundTrips  = 5000 // of one repetition
	callSeconds = 1
	connections = 64
	appends     = 500
	appendBytes = 200
	benchSecs   = 3 // of pgbench
	clients     = 32
)

// denominators measures the limits of the machine.
func (b *bench) denominators(ctx context.Context) error {
	addr, stop, err := serveNothing()
	if err != nil {
		return err
	}
	defer stop()
	r := &b.rep
	for _, d := range []struct {
		name, unit string
		to         *float64
		measure    func() (float64, error)
	}{
		{
			"R  Thrift round trip, 1 connection", "µs", &r.roundTrip,
			func() (float64, error) { return thriftRoundTrip(ctx, addr) },
		},
		{"T  Thrift calls, 64 connections", "/s", &r.calls, func() (float64, error) { return thriftCalls(ctx, addr) }},
		{
			"f  append of 200 bytes + fdatasync", "µs", &r.appended,
			func() (float64, error) { return appendSync(b.dir) },
		},
		{
			"P  pgbench, one-row commits, 32 clients", "/s", &r.commits,
			func() (float64, error) { return b.pg.bench(ctx, b.dir) },
		},
	} {
		s, err := repeat(b.reps, d.measure)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		*d.to = s.Median
		r.Denominators = append(r.Denominators, row{Name: d.name, Unit: d.unit, Stat: s})
	}
	return nil
}

// nothing is a Thrift handler that answers at once.
type nothing struct{}

func (nothing) Describe(context.Context, *hivego.DescribeCall) (*hivego.DescribeReply, error) {
	return &hivego.DescribeReply{}, nil
}

func (nothing) Run(context.Context, *hivego.RunCall) (*hivego.RunReply, error) {
	return &hivego.RunReply{}, nil
}

// serveNothing starts a plain Thrift server on loopback.
func serveNothing() (addr string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("find a port: %w", err)
	}
	addr = l.Addr().String()
	if err := l.Close(); err != nil {
		return "", nil, fmt.Errorf("find a port: %w", err)
	}
	sock, err := thrift.NewTServerSocket(addr)
	if err != nil {
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	if err := sock.Listen(); err != nil {
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	s := thrift.NewTSimpleServer4(hivego.NewExecutorProcessor(nothing{}), sock,
		thrift.NewTFramedTransportFactoryConf(thrift.NewTBufferedTransportFactory(16<<10), nil),
		thrift.NewTBinaryProtocolFactoryConf(nil))
	go func() { _ = s.Serve() }()
	return addr, func() { _ = s.Stop() }, nil
}

func connect(addr string) (*hivego.ExecutorClient, func() error, error) {
	cfg := &thrift.TConfiguration{ConnectTimeout: time.Second, SocketTimeout: time.Minute}
	t := thrift.NewTFramedTransportConf(thrift.NewTBufferedTransport(thrift.NewTSocketConf(addr, cfg), 16<<10), cfg)
	if err := t.Open(); err != nil {
		return nil, nil, fmt.Errorf("connect: %w", err)
	}
	p := thrift.NewTBinaryProtocolConf(t, cfg)
	return hivego.NewExecutorClient(thrift.NewTStandardClient(p, p)), t.Close, nil
}

// thriftRoundTrip returns the mean time of a call, in µs.
func thriftRoundTrip(ctx context.Context, addr string) (float64, error) {
	c, done, err := connect(addr)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	for range roundTrips {
		if _, err := c.Describe(ctx, &hivego.DescribeCall{}); err != nil {
			return 0, errors.Join(err, done())
		}
	}
	return micros(time.Since(began)) / roundTrips, done()
}

// thriftCalls returns how many calls a second many connections make together.
func thriftCalls(ctx context.Context, addr string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, callSeconds*time.Second)
	defer cancel()
	var made atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, connections)
	began := time.Now()
	for i := range connections {
		wg.Go(func() {
			c, done, err := connect(addr)
			if err != nil {
				errs[i] = err
				return
			}
			for ctx.Err() == nil {
				if _, err := c.Describe(context.WithoutCancel(ctx), &hivego.DescribeCall{}); err != nil {
					errs[i] = errors.Join(err, done())
					return
				}
				made.Add(1)
			}
			errs[i] = done()
		})
	}
	wg.Wait()
	return float64(made.Load()) / time.Since(began).Seconds(), errors.Join(errs...)
}

// appendSync returns the mean time of an append with fdatasync, in µs.
func appendSync(dir string) (float64, error) {
	f, err := os.CreateTemp(dir, "append")
	if err != nil {
		return 0, fmt.Errorf("make a file: %w", err)
	}
	defer os.Remove(f.Name()) //nolint:errcheck // in a temporary folder
	data := bytes.Repeat([]byte{'x'}, appendBytes)
	began := time.Now()
	for range appends {
		_, err = f.Write(data)
		if err == nil {
			err = syscall.Fdatasync(int(f.Fd()))
		}
		if err != nil {
			return 0, errors.Join(err, f.Close())
		}
	}
	return micros(time.Since(began)) / appends, f.Close()
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

var tps = regexp.MustCompile(`tps = ([0-9.]+)`)

// bench returns how many single-row commits a second pgbench makes.
func (p *postgres) bench(ctx context.Context, dir string) (float64, error) {
	script := filepath.Join(dir, "insert.sql")
	if err := os.WriteFile(script, []byte("INSERT INTO bench_rows (words) VALUES ('one row');\n"), 0o600); err != nil {
		return 0, fmt.Errorf("write the script: %w", err)
	}
	url, err := p.database(ctx, "pgbench_rows")
	if err != nil {
		return 0, err
	}
	if err := dbtest.Execute(ctx, url,
		"CREATE TABLE bench_rows (id bigserial PRIMARY KEY, words text NOT NULL)"); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, "pgbench", "-n", "-c", strconv.Itoa(clients), "-j", "2", "-M", "prepared",
		"-T", strconv.Itoa(benchSecs), "-f", script, url)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench (of the package postgresql): %w: %s", err, out)
	}
	m := tps.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("pgbench said no tps: %s", out)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}
