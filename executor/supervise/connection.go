package supervise

import (
	"context"
	"net"
	"slices"
	"time"
)

// loop keeps the connection: while there is one it is used; when it breaks, or something is to be run, a supervisor
// is found or started.
func (m *Manager) loop() {
	for {
		m.mu.Lock()
		conn := m.conn
		wanted := m.need || len(m.tracked) > 0
		m.mu.Unlock()
		switch {
		case conn != nil:
			m.use(conn)
		case wanted:
			if !m.reconnect() && !m.pause(retryPause) {
				return
			}
		default:
			select {
			case <-m.kick:
			case <-m.quit:
				return
			}
		}
		select {
		case <-m.quit:
			return
		default:
		}
	}
}

// pause waits; false: the manager is closing.
func (m *Manager) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-m.quit:
		return false
	}
}

// use writes orders and reads exits until the connection breaks or the manager closes.
func (m *Manager) use(conn *net.UnixConn) {
	broken := make(chan struct{})
	m.wg.Go(func() {
		defer close(broken)
		for {
			x, err := receive(conn)
			if err != nil {
				return
			}
			if x.Op == opExit && x.Exit != nil {
				m.ended(*x.Exit)
			}
		}
	})
	for {
		if !m.flush(conn) {
			_ = conn.Close()
		}
		select {
		case <-m.kick:
			continue
		case <-broken:
		case <-m.quit:
			m.flush(conn)
		}
		break
	}
	_ = conn.Close()
	<-broken
	m.mu.Lock()
	m.conn = nil
	m.mu.Unlock()
}

// flush writes what is queued.
func (m *Manager) flush(conn *net.UnixConn) bool {
	m.mu.Lock()
	out := m.out
	m.out = nil
	frames := make(net.Buffers, 0, len(out))
	for _, x := range out {
		frames = append(frames, x.frame)
		if t := m.tracked[x.start]; t != nil {
			t.sent = true
		}
	}
	m.mu.Unlock()
	if len(frames) == 0 {
		return true
	}
	_, err := frames.WriteTo(conn)
	return err == nil
}

// ended hands an exit to the one who waits for it.
func (m *Manager) ended(x Exit) {
	m.mu.Lock()
	listed := x.Ref
	x.Ref = m.find(listed)
	t := m.tracked[x.Ref]
	delete(m.tracked, x.Ref)
	m.need = len(m.tracked) > 0
	if t == nil && m.list != nil { // it ended before somebody could adopt it
		m.list.Running = slices.DeleteFunc(m.list.Running, func(r Running) bool { return r.Ref == listed })
		m.list.Exits = append(m.list.Exits, x)
	}
	m.mu.Unlock()
	if t != nil {
		t.tell(End{Exit: x})
	}
}

// find finds the process that a supervisor tells of. One of an earlier version has another name for it.
func (m *Manager) find(reported Ref) Ref {
	if m.tracked[reported] == nil && reported.ID < 0 {
		for id := range m.tracked {
			if id.is(reported) {
				return id
			}
		}
	}
	return reported
}

// reconnect finds or starts a supervisor, and settles what became of the processes of the former connection.
func (m *Manager) reconnect() bool {
	conn, list, err := m.greet()
	if err != nil {
		conn, list, err = m.launch(context.Background())
	}
	if err != nil {
		m.log.Error("no supervisor, will try again", "error", err)
		return false
	}
	running, exits := map[Ref]bool{}, map[Ref]Exit{}
	for _, r := range list.Running {
		running[r.Ref] = true
	}
	for _, x := range list.Exits {
		exits[x.Ref] = x
	}
	var tell []func()
	m.mu.Lock()
	m.conn, m.keyed = conn, list.Keys
	m.out = slices.DeleteFunc(m.out, func(x order) bool { return !x.forget })
	for _, l := range m.leases {
		m.queue(message{Op: opLease, Lease: &l}, Ref{})
	}
	for _, id := range m.trackedRefs() {
		t := m.tracked[id]
		x, ended := exits[id]
		if !ended {
			x, ended = exits[id.number()]
		}
		x.Ref = id
		switch {
		case ended:
			delete(m.tracked, id)
			tell = append(tell, func() { t.tell(End{Exit: x}) })
		case running[id] || running[id.number()]:
			m.repeat(id, t)
		case !t.sent:
			m.queue(message{Op: opStart, Spec: t.spec}, id)
			m.repeat(id, t)
		default:
			delete(m.tracked, id)
			tell = append(tell, func() { t.tell(End{Lost: "the supervisor died, and its processes with it"}) })
		}
	}
	m.need = len(m.tracked) > 0
	m.mu.Unlock()
	m.wake()
	for _, f := range tell {
		f()
	}
	return true
}

// repeat orders again what an earlier connection may have lost. The caller holds the lock.
func (m *Manager) repeat(id Ref, t *tracked) {
	if t.server != "" {
		m.queue(message{Op: opMove, Ref: id, Server: t.server}, Ref{})
	}
	if t.kill != nil {
		m.queue(*t.kill, Ref{})
	}
}
