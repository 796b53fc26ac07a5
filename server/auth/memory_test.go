package auth

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (m *memory) AddFirstUser(_ context.Context, u hive.User) (hive.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.users) > 0 {
		return u, hive.Errorf(hive.CodeConflict, "not the first")
	}
	return m.addUser(u)
}

func (m *memory) Users(context.Context) ([]hive.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.users)), m.err
}

func (m *memory) LiveTokens(_ context.Context, ids []int64, now time.Time) ([]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var live []int64
	for _, t := range m.tokens {
		if slices.Contains(ids, t.ID) && (t.ExpiresAt.IsZero() || now.Before(t.ExpiresAt)) {
			live = append(live, t.ID)
		}
	}
	return live, m.err
}

func (m *memory) AddSession(_ context.Context, n hive.Session, passwordHash string) (hive.Session, error) {
	if m.onAdd != nil {
		m.onAdd()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if u, ok := m.users[n.UserID]; !ok || u.PasswordHash != passwordHash {
		return n, hive.Errorf(hive.CodeConflict, "another password")
	}
	m.last++
	n.ID = m.last
	m.sessions[n.ID] = n
	return n, m.err
}

func (m *memory) SessionByHash(_ context.Context, hash string) (hive.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return hive.Session{}, m.err
	}
	for _, n := range m.sessions {
		if n.Hash == hash {
			return n, nil
		}
	}
	return hive.Session{}, hive.Errorf(hive.CodeNotFound, "no session")
}

func (m *memory) TouchSession(_ context.Context, id int64, seen, idle time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.sessions[id]; ok {
		n.SeenAt, n.IdleAt = seen, idle
		m.sessions[id] = n
		m.touched++
	}
	return m.err
}

func (m *memory) DeleteSession(_ context.Context, id int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, id)
	return m.err
}

func (m *memory) LiveSessions(_ context.Context, ids []int64, now time.Time) ([]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var live []int64
	for _, n := range m.sessions {
		if slices.Contains(ids, n.ID) && n.Live(now) {
			live = append(live, n.ID)
		}
	}
	return live, m.err
}

func (m *memory) SetPassword(_ context.Context, user int64, before, hash string, keep int64) ([]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.users[user]
	if u.PasswordHash != before {
		return nil, hive.Errorf(hive.CodeConflict, "another password")
	}
	u.PasswordHash = hash
	m.users[user] = u
	var ended []int64
	for id, n := range m.sessions {
		if n.UserID == user && id != keep {
			ended = append(ended, id)
			delete(m.sessions, id)
		}
	}
	return ended, m.err
}

func (m *memory) SweepSessions(_ context.Context, now time.Time) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.sessions)
	maps.DeleteFunc(m.sessions, func(_ int64, n hive.Session) bool { return !n.Live(now) })
	return int64(before - len(m.sessions)), m.err
}
