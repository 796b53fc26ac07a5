package db

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// metaNotices holds the notices as JSON, newest first.
const metaNotices = "notices"

// maxNotices is how many notices are kept.
const maxNotices = 20

// storedNotice is a notice as the database has it.
type storedNotice struct {
	hive.Notice

	// Unnamed has the hashes of the attempts that the notice counts and does not name, 8 bytes each. Each session of
	// the server finds them again, and they must not count again.
	Unnamed []byte `json:"unnamed,omitempty"`
}

// maxUnnamed limits the bytes of Unnamed. Attempts beyond it may count more than once.
const maxUnnamed = 8 * 100_000

// Notices lists the notices, newest first.
func (s *Store) Notices(ctx context.Context) ([]hive.Notice, error) {
	raw, err := s.Meta(ctx, metaNotices)
	if hive.CodeOf(err) == hive.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stored, err := readNotices(raw)
	out := make([]hive.Notice, len(stored))
	for i := range stored {
		out[i] = stored[i].Notice
	}
	return out, err
}

func readNotices(raw string) ([]storedNotice, error) {
	var out []storedNotice
	err := json.Unmarshal([]byte(raw), &out)
	return out, err
}

// RaiseEpoch gives the session me with this epoch a new epoch, higher than any before in the cluster and than the one
// that an executor has heard of, and adds a notice. From then on only fresh is valid, so no Commit of this session may
// be under way. hive.ErrSessionLost if the session has ended.
func (s *Store) RaiseEpoch(ctx context.Context, me string, epoch int64, lease time.Duration, later hive.Later) (
	fresh int64, err error,
) {
	err = s.write(ctx, "raise the epoch", func(ctx context.Context, tx bun.Tx) error {
		if err := s.sessionHolds(ctx, tx, me, epoch, "UPDATE"); err != nil {
			return err
		}
		_, err := tx.NewRaw("UPDATE counters SET value = ? WHERE name = ? AND value < ?", later.Epoch, counterEpoch,
			later.Epoch).
			Exec(ctx)
		if err != nil {
			return err
		}
		if fresh, err = reserve(ctx, tx, counterEpoch, 1); err != nil {
			return err
		}
		_, err = tx.NewUpdate().Model((*serverRow)(nil)).Set("epoch = ?", fresh).
			Set("lease_until = "+s.kind.now()+" + ?", lease.Milliseconds()).Where("id = ?", text(me)).Exec(ctx)
		if err != nil {
			return err
		}
		return s.notice(ctx, tx, func(n *storedNotice) {
			n.Epoch, n.Session = max(n.Epoch, later.Epoch), fresh
			if name := text(later.Executor); !slices.Contains(n.Executors, name) && len(n.Executors) < hive.MaxNoticed {
				n.Executors = append(n.Executors, name)
			}
		})
	})
	return fresh, err
}

// NoteAttempts adds attempts to a notice that an executor has and the database does not have.
func (s *Store) NoteAttempts(ctx context.Context, found []hive.NoticedAttempt) error {
	return s.write(ctx, "note attempts that are not known", func(ctx context.Context, tx bun.Tx) error {
		return s.notice(ctx, tx, func(n *storedNotice) {
			has := n.hashes()
			for i := range found {
				a := found[i]
				a.Executor, a.Key, a.Schedule, a.Task = text(a.Executor), text(a.Key), text(a.Schedule), text(a.Task)
				if h := hashOf(&a); !has[h] {
					has[h] = true
					n.add(&a, h)
				}
			}
		})
	})
}

// hashes returns the hashes of the attempts that a notice counts.
func (n *storedNotice) hashes() map[uint64]bool {
	has := make(map[uint64]bool, len(n.Attempts)+len(n.Unnamed)/8)
	for i := range n.Attempts {
		has[hashOf(&n.Attempts[i])] = true
	}
	for rest := n.Unnamed; len(rest) >= 8; rest = rest[8:] {
		has[binary.BigEndian.Uint64(rest)] = true
	}
	return has
}

// hashOf returns the hash of an attempt's identity.
func hashOf(a *hive.NoticedAttempt) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s\x00%d\x00%s", a.Executor, a.ID, a.Key) // never fails
	return h.Sum64()
}

// add counts an attempt, and names it while the notice names few.
func (n *storedNotice) add(a *hive.NoticedAttempt, hash uint64) {
	if a.Running {
		n.Running++
	} else {
		n.Ended++
	}
	switch {
	case len(n.Attempts) < hive.MaxNoticed:
		n.Attempts = append(n.Attempts, *a)
	case len(n.Unnamed) < maxUnnamed:
		n.Unnamed = binary.BigEndian.AppendUint64(n.Unnamed, hash)
	}
}

// DismissNotice notes that somebody has read a notice. hive.CodeNotFound if there is none with this id.
func (s *Store) DismissNotice(ctx context.Context, id int64, by string) error {
	return s.write(ctx, "dismiss a notice", func(ctx context.Context, tx bun.Tx) error {
		return s.changeNotices(ctx, tx, func(all []storedNotice, now time.Time) ([]storedNotice, error) {
			i := slices.IndexFunc(all, func(n storedNotice) bool { return n.ID == id })
			if i < 0 {
				return nil, hive.Errorf(hive.CodeNotFound, "there is no notice %d", id)
			}
			if all[i].DismissedAt.IsZero() {
				all[i].DismissedAt, all[i].DismissedBy = now, text(by)
				all[i].Unnamed = nil // nothing is added to it any more
			}
			return all, nil
		})
	})
}

// notice changes the notice that nobody has dismissed; it makes one if there is none.
func (s *Store) notice(ctx context.Context, tx bun.Tx, change func(n *storedNotice)) error {
	return s.changeNotices(ctx, tx, func(all []storedNotice, now time.Time) ([]storedNotice, error) {
		if len(all) == 0 || !all[0].DismissedAt.IsZero() {
			var id int64 = 1
			if len(all) > 0 {
				id = all[0].ID + 1
			}
			fresh := hive.Notice{ID: id, At: now, Executors: []string{}, Attempts: []hive.NoticedAttempt{}}
			all = slices.Insert(all, 0, storedNotice{Notice: fresh})
		}
		change(&all[0])
		return all[:min(len(all), maxNotices)], nil
	})
}

// changeNotices rewrites the notices. Other changes wait for the end of the transaction.
func (s *Store) changeNotices(
	ctx context.Context, tx bun.Tx, change func(all []storedNotice, now time.Time) ([]storedNotice, error),
) error {
	_, err := tx.NewInsert().Model(&metaRow{Key: metaNotices, Value: "[]"}).On("CONFLICT (key) DO NOTHING").Exec(ctx)
	if err != nil {
		return err
	}
	var raw string
	err = tx.NewRaw("SELECT value FROM meta WHERE key = ?"+s.kind.lock("UPDATE"), metaNotices).Scan(ctx, &raw)
	if err != nil {
		return err
	}
	all, err := readNotices(raw)
	if err != nil {
		return err
	}
	if all, err = change(all, time.Now().UTC().Truncate(time.Millisecond)); err != nil {
		return err
	}
	b, err := json.Marshal(all)
	_, uerr := tx.NewUpdate().Model(&metaRow{Key: metaNotices, Value: string(b)}).WherePK().Exec(ctx)
	return errors.Join(err, uerr)
}
