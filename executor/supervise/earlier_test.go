package supervise

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// earlier is a supervisor of an earlier version, which knew no keys. It keeps running when its executor is upgraded.
type earlier struct {
	t       *testing.T
	running map[int64]bool
	starts  chan int64
	kills   chan int64
	conns   chan net.Conn
}

func startEarlier(t *testing.T, data string) *earlier {
	t.Helper()
	dir := filepath.Join(data, folderName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := &earlier{
		t: t, running: map[int64]bool{},
		starts: make(chan int64, 9), kills: make(chan int64, 9), conns: make(chan net.Conn, 9),
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.serve(conn) // one connection at a time is enough here
		}
	}()
	return s
}

func (s *earlier) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		m, err := receive(conn)
		if err != nil {
			return
		}
		switch m.Op {
		case opHello:
			var list List
			for id := range s.running {
				list.Running = append(list.Running, Running{Ref: Ref{ID: id}})
			}
			s.send(conn, message{Op: opWelcome, List: &list})
			s.conns <- conn
		case opStart:
			s.running[m.Spec.ID] = true
			s.starts <- m.Spec.ID
		case opKill:
			s.kills <- m.ID
		}
	}
}

func (s *earlier) send(conn net.Conn, m message) {
	frame, err := encode(m)
	if err == nil {
		_, err = conn.Write(frame)
	}
	if err != nil {
		s.t.Error(err)
	}
}

func await[T any](t *testing.T, from <-chan T) (x T) {
	t.Helper()
	select {
	case x = <-from:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
	}
	return x
}

func TestASupervisorWithoutKeysDistinguishesAttempts(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := startEarlier(t, data)
	m := NewManager(ManagerConfig{Data: data})
	if _, err := m.Open(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	m.EndUnadopted()
	conn := await(t, s.conns)
	plain, a, b := Ref{ID: 7}, Ref{ID: 7, Key: "a"}, Ref{ID: 7, Key: "b"}
	ends := make(chan Exit, 9)
	started := map[Ref]int64{}
	for _, r := range []Ref{plain, a, b} {
		m.Start(Spec{Ref: r}, func(e End) { ends <- e.Exit })
		started[r] = await(t, s.starts)
	}
	if started[plain] != 7 || started[a] >= 0 || started[b] >= 0 || started[a] == started[b] {
		t.Fatalf("started as %v", started)
	}
	m.Kill(a, 0, "a test")
	if id := await(t, s.kills); id != started[a] {
		t.Fatalf("killed %d of %v", id, started)
	}
	s.send(conn, message{Op: opExit, Exit: &Exit{Ref: Ref{ID: started[b]}, Code: 3}})
	if x := await(t, ends); x.Ref != b || x.Code != 3 {
		t.Fatalf("exit %+v", x)
	}
	_ = conn.Close() // the next connection finds the running processes by their legacy names
	await(t, s.conns)
	m.Kill(a, 0, "a test")
	if id := await(t, s.kills); id != started[a] {
		t.Fatalf("killed %d of %v", id, started)
	}
	if len(ends) > 0 {
		t.Fatalf("an end was reported: %+v", <-ends)
	}
	m.Close()

	next := NewManager(ManagerConfig{Data: data}) // the next executor process finds the remaining processes
	list, err := next.Open(t.Context(), true)
	if err != nil || len(list.Running) != 3 {
		t.Fatalf("%+v %v", list, err)
	}
	t.Cleanup(next.Close)
	conn = await(t, s.conns)
	if !next.Adopt(a, func(e End) { ends <- e.Exit }) || next.Adopt(Ref{ID: 7, Key: "c"}, nil) {
		t.Fatal("adopted the wrong one")
	}
	s.send(conn, message{Op: opExit, Exit: &Exit{Ref: Ref{ID: started[a]}, Code: 4}})
	if x := await(t, ends); x.Ref != a || x.Code != 4 {
		t.Fatalf("exit %+v", x)
	}
}

// A supervisor that masks nothing gets no secret: the attempt fails, and others go on.
func TestASupervisorWithoutMasksGetsNoSecrets(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := startEarlier(t, data)
	m := NewManager(ManagerConfig{Data: data})
	if _, err := m.Open(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	m.EndUnadopted()
	await(t, s.conns)
	ends := make(chan Exit, 9)
	m.Start(Spec{Ref: Ref{ID: 7}, Secrets: []string{"correct horse"}}, func(e End) { ends <- e.Exit })
	if x := await(t, ends); x.ID != 7 || !strings.Contains(x.Failed, "cannot mask secrets") {
		t.Fatalf("exit %+v", x)
	}
	m.Start(Spec{Ref: Ref{ID: 8}}, func(e End) { ends <- e.Exit })
	if id := await(t, s.starts); id != 8 {
		t.Fatalf("started %d", id)
	}
}
