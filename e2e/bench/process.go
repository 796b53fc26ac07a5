package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const settle = 3 * time.Second // how long an idle server runs before its memory is read

// process starts the real program on its own data, SQLite, with its executor: how long until it is ready, and how much
// memory it then holds. The first start makes the data folder and is not counted.
func (b *bench) process(ctx context.Context) error {
	if !b.asked("process") {
		return nil
	}
	var starts, weights []float64
	for i := range b.reps + 1 {
		start, weight, err := b.startOnce(ctx, i == b.reps)
		if err != nil {
			return fmt.Errorf("start %s: %w", b.binary, err)
		}
		if i > 0 {
			starts = append(starts, start)
		}
		if weight > 0 {
			weights = append(weights, weight)
		}
	}
	b.rep.Measures = append(b.rep.Measures,
		row{
			Name: "start to /readyz, SQLite, with executor", Unit: "ms", Stat: statOf(starts), Floor: "1000 ms",
			Goal: "100 ms",
		},
		row{
			Name: "memory idle (RSS), server and supervisor", Unit: "MB", Stat: statOf(weights), Floor: "80 MB",
			Goal: "40 MB",
		})
	return nil
}

// startOnce starts the program, in ms, and reads its memory, in MB, after some idle time.
func (b *bench) startOnce(ctx context.Context, weigh bool) (start, weight float64, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, 0, fmt.Errorf("find a port: %w", err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		return 0, 0, fmt.Errorf("find a port: %w", err)
	}
	data := filepath.Join(b.dir, "process")
	cmd := b.server(ctx, data, addr)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() {
		err = errors.Join(err, end(cmd))
	}()
	for !ready(ctx, addr) {
		if time.Since(began) > patience || ctx.Err() != nil {
			return 0, 0, errors.New("it does not get ready")
		}
		time.Sleep(time.Millisecond)
	}
	start = micros(time.Since(began)) / 1000
	if weigh {
		time.Sleep(settle)
		weight = memory(data, cmd.Process.Pid)
	}
	return start, weight, nil
}

// server runs the program as a server. The server ends in order with ctx, and with this process however that ends.
func (b *bench) server(ctx context.Context, data, addr string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.binary, "serve", "--data", data, "--listen", addr)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = patience
	return cmd
}

// end ends a server in order, or kills it if that takes too long.
func end(cmd *exec.Cmd) error {
	kill := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	return errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
}

func ready(ctx context.Context, addr string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", http.NoBody)
	if err != nil {
		return false
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = r.Body.Close()
	return r.StatusCode == http.StatusOK
}

// memory returns the resident memory of a server and of the supervisors below its data folder, in MB.
func memory(data string, server int) float64 {
	total := residentMB(strconv.Itoa(server))
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		raw, _ := os.ReadFile(name) // empty if the process has gone
		args := strings.Split(string(raw), "\x00")
		if len(args) > 1 && args[1] == "supervise" && strings.Contains(string(raw), data) {
			total += residentMB(filepath.Base(filepath.Dir(name)))
		}
	}
	return total
}

func residentMB(pid string) float64 { return statusMB(pid, "VmRSS:") }

// statusMB returns a figure of a process's memory, in MB.
func statusMB(pid, name string) float64 {
	raw, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kb / 1024
		}
	}
	return 0
}

// cpuOf returns the CPU time of a process, in s. Linux counts it in hundredths.
func cpuOf(pid string) float64 {
	raw, _ := os.ReadFile("/proc/" + pid + "/stat")
	_, rest, _ := strings.Cut(string(raw), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}
