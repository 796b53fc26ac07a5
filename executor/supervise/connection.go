package supervise

import (
	"context"
	"net"
	"slices"
	"time"

	texts "github.com/rprp/hivego/executor/internal/message"
)

// loop exchanges messages with the supervisor while a connection is open. Without a connection it connects to a
// supervisor, or starts one, as soon as there is a process to run or to wait for.
func (m *Manager) loop() {
	for {
		m.mu.Lock()
		conn := m.conn
		needed := m.need || len(m.tracked) > 0
		m.mu.Unlock()
		switch {
		case conn != nil:
			m.exchange(conn)
		case needed:
			if !m.reconnect() && !m.pause(retryPause) {
				return
			}
		default:
			select {
			case <-m.orders.Wake():
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

// pause waits for d. It returns false if the manager was closed meanwhile.
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

// exchange writes orders and reads exits until the connection breaks or the manager is closed.
func (m *Manager) exchange(conn *net.UnixConn) {
	broken := make(chan struct{})
	m.wg.Go(func() {
		defer close(broken)
		for {
			x, err := receive(conn)
			if err != nil {
				return
			}
			if x.Op == opExit && x.Exit != nil {
				m.exited(*x.Exit)
			}
		}
	})
	for {
		if !m.flush(conn) {
			_ = conn.Close()
		}
		select {
		case <-m.orders.Wake():
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

// flush writes the queued orders. It returns false if the connection is broken.
func (m *Manager) flush(conn *net.UnixConn) bool {
	m.mu.Lock()
	orders := m.orders.TakeAll()
	frames := make(net.Buffers, 0, len(orders))
	for _, x := range orders {
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

// exited passes an exit to the caller that waits for it.
func (m *Manager) exited(x Exit) {
	m.mu.Lock()
	listed := x.Ref
	x.Ref = m.trackedRef(listed)
	t := m.tracked[x.Ref]
	delete(m.tracked, x.Ref)
	m.need = len(m.tracked) > 0
	if t == nil && m.list != nil { // the process ended before Adopt was called for it
		m.list.Running = slices.DeleteFunc(m.list.Running, func(r Running) bool { return r.Ref == listed })
		m.list.Exits = append(m.list.Exits, x)
	}
	m.mu.Unlock()
	if t != nil {
		t.report(End{Exit: x})
	}
}

// trackedRef returns the reference of the tracked process that a supervisor reports. A supervisor of an earlier version
// reports the legacy form.
func (m *Manager) trackedRef(reported Ref) Ref {
	if m.tracked[reported] == nil && reported.ID < 0 {
		for id := range m.tracked {
			if id.matches(reported) {
				return id
			}
		}
	}
	return reported
}

// reconnect connects to a supervisor, or starts one. It then reports which processes of the previous connection have
// ended or are lost, and sends orders again that may not have arrived.
func (m *Manager) reconnect() bool {
	conn, list, err := m.connect()
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
	var reports []func()
	m.mu.Lock()
	m.conn, m.keyed, m.masking = conn, list.Keys, list.Masks
	m.orders.Put(slices.DeleteFunc(m.orders.TakeAll(), func(x order) bool { return !x.forget })...)
	for _, l := range m.leases {
		m.queue(message{Op: opLease, Lease: &l}, Ref{})
	}
	for _, id := range m.trackedRefs() {
		t := m.tracked[id]
		x, ended := exits[id]
		if !ended {
			x, ended = exits[id.legacy()]
		}
		x.Ref = id
		switch {
		case ended:
			delete(m.tracked, id)
			reports = append(reports, func() { t.report(End{Exit: x}) })
		case running[id] || running[id.legacy()]:
			m.resend(id, t)
		case !t.sent:
			m.queue(message{Op: opStart, Spec: t.spec}, id)
			m.resend(id, t)
		default:
			delete(m.tracked, id)
			reports = append(reports, func() {
				t.report(End{Lost: texts.New(texts.LostSupervisor, "the supervisor died, and its processes with it")})
			})
		}
	}
	m.need = len(m.tracked) > 0
	m.mu.Unlock()
	m.orders.Put()
	for _, report := range reports {
		report()
	}
	return true
}

// resend queues the orders that an earlier connection may have lost. The caller holds the lock.
func (m *Manager) resend(id Ref, t *tracked) {
	if t.lease != "" {
		m.queue(message{Op: opMove, Ref: id, Under: t.lease}, Ref{})
	}
	if t.kill != nil {
		m.queue(*t.kill, Ref{})
	}
}
