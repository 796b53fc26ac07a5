package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// bigLog writes a log of a gibibyte: each of its lines gets 29 bytes of time and stream.
const bigLog = `{"apiVersion":"hivego/v1","kind":"Schedule","name":"big",` +
	`"jobs":[{"key":"j","tasks":[{"key":"big","handler":"shell",` +
	`"params":{"command":"head -c 830000000 /dev/zero | tr '\\0' x | fold -w 99; exit 3"}}]}]}`

const (
	lastScreen = "/api/v1/batches/1/tasks/big/log?offset=-65536"
	reads      = 50
)

// log measures the wait of a person who opens a log of a gibibyte, of a real task in the real program.
func (b *bench) log(ctx context.Context) error {
	if !b.asked("log") {
		return nil
	}
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	growing, whole, found, err := s.measure(ctx)
	if err = errors.Join(err, s.stop()); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	b.rep.Measures = append(b.rep.Measures,
		row{
			Name: "log of 1 GiB, last screen, while it grows", Unit: "ms", Stat: statOf(growing), Floor: "1000 ms",
			Goal: "200 ms",
		},
		row{Name: "log of 1 GiB, last screen", Unit: "ms", Stat: statOf(whole), Floor: "1000 ms", Goal: "200 ms"},
		row{
			Name: "log of 1 GiB, the line of the error", Unit: "ms", Stat: statOf(found), Floor: "1000 ms",
			Goal: "200 ms",
		})
	return nil
}

// site is a server of its own, with the token of its administrator.
type site struct {
	cmd        *exec.Cmd
	url, token string
}

func (b *bench) serve(ctx context.Context) (*site, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a port: %w", err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, fmt.Errorf("find a port: %w", err)
	}
	data := filepath.Join(b.dir, "log")
	s := &site{url: "http://" + addr, cmd: b.server(ctx, data, addr)}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", b.binary, err)
	}
	for began := time.Now(); !ready(ctx, addr); time.Sleep(time.Millisecond) {
		if time.Since(began) > patience || ctx.Err() != nil {
			return nil, errors.Join(errors.New("it does not get ready"), s.stop())
		}
	}
	user := exec.CommandContext(ctx, b.binary, "user", "add", "bench", "--admin", "--password-stdin", "--data", data)
	user.Stdin = strings.NewReader("bench the log\n")
	if err := user.Run(); err != nil {
		return nil, errors.Join(fmt.Errorf("add a user: %w", err), s.stop())
	}
	token, err := exec.CommandContext(ctx, b.binary, "token", "create", "--user", "bench", "--data", data).Output()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create a token: %w", err), s.stop())
	}
	s.token = strings.TrimSpace(string(token))
	return s, nil
}

func (s *site) stop() error { return end(s.cmd) }

// measure runs the task; all times are in ms.
func (s *site) measure(ctx context.Context) (growing, whole, found []float64, err error) {
	if _, _, err = s.call(ctx, http.MethodPut, "/api/v1/schedules/big", bigLog); err != nil {
		return nil, nil, nil, err
	}
	if _, _, err = s.call(ctx, http.MethodPost, "/api/v1/schedules/big/batches", "{}"); err != nil {
		return nil, nil, nil, err
	}
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		h, took, err := s.call(ctx, http.MethodGet, lastScreen, "")
		size, _ := strconv.ParseInt(h.Get("X-Log-Size"), 10, 64)
		switch {
		case err == nil && h.Get("X-Log-Complete") == "true":
			for range reads {
				_, took, errLast := s.call(ctx, http.MethodGet, lastScreen, "")
				_, sought, errFind := s.call(ctx, http.MethodGet, "/api/v1/batches/1/tasks/big/log/find", "")
				if err := errors.Join(errLast, errFind); err != nil {
					return nil, nil, nil, err
				}
				whole, found = append(whole, took), append(found, sought)
			}
			return growing, whole, found, nil
		case err == nil && size > 1<<29: // the larger half of it
			growing = append(growing, took)
		case time.Since(began) > patience || ctx.Err() != nil:
			return nil, nil, nil, errors.Join(errors.New("the task does not end"), err)
		}
	}
}

// call returns the headers and how long the call took.
func (s *site) call(ctx context.Context, method, path, body string) (http.Header, float64, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, 0, fmt.Errorf("ask: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	began := time.Now()
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("ask: %w", err)
	}
	_, err = io.Copy(io.Discard, r.Body)
	took := micros(time.Since(began)) / 1000
	if err = errors.Join(err, r.Body.Close()); err == nil && r.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %s", method, path, r.Status)
	}
	return r.Header, took, err
}
