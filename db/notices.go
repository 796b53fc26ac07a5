package db

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// metaNotices holds the notices as JSON, newest first.
const metaNotices = "notices"

// maxNotices is how many notices are kept.
const maxNotices = 20

// Notices lists the notices, newest first.
func (s *Store) Notices(ctx context.Context) ([]hive.Notice, error) {
	raw, err := s.Meta(ctx, metaNotices)
	if hive.CodeOf(err) == hive.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return readNotices(raw)
}

func readNotices(raw string) ([]hive.Notice, error) {
	var out []hive.Notice
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
		return s.notice(ctx, tx, func(n *hive.Notice) {
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
		return s.notice(ctx, tx, func(n *hive.Notice) {
			for i := range found {
				addNoticed(n, found[i])
			}
		})
	})
}

// addNoticed adds an attempt to a notice, unless the notice has it.
func addNoticed(n *hive.Notice, a hive.NoticedAttempt) {
	same := func(o hive.NoticedAttempt) bool { return o.Executor == a.Executor && o.ID == a.ID && o.Key == a.Key }
	if slices.ContainsFunc(n.Attempts, same) {
		return
	}
	if a.Running {
		n.Running++
	} else {
		n.Ended++
	}
	if len(n.Attempts) < hive.MaxNoticed {
		a.Executor, a.Key, a.Schedule, a.Task = text(a.Executor), text(a.Key), text(a.Schedule), text(a.Task)
		n.Attempts = append(n.Attempts, a)
	}
}

// DismissNotice notes that somebody has read a notice. hive.CodeNotFound if there is none with this id.
func (s *Store) DismissNotice(ctx context.Context, id int64, by string) error {
	return s.write(ctx, "dismiss a notice", func(ctx context.Context, tx bun.Tx) error {
		return s.changeNotices(ctx, tx, func(all []hive.Notice, now time.Time) ([]hive.Notice, error) {
			i := slices.IndexFunc(all, func(n hive.Notice) bool { return n.ID == id })
			if i < 0 {
				return nil, hive.Errorf(hive.CodeNotFound, "there is no notice %d", id)
			}
			if all[i].DismissedAt.IsZero() {
				all[i].DismissedAt, all[i].DismissedBy = now, text(by)
			}
			return all, nil
		})
	})
}

// notice changes the notice that nobody has dismissed; it makes one if there is none.
func (s *Store) notice(ctx context.Context, tx bun.Tx, change func(n *hive.Notice)) error {
	return s.changeNotices(ctx, tx, func(all []hive.Notice, now time.Time) ([]hive.Notice, error) {
		if len(all) == 0 || !all[0].DismissedAt.IsZero() {
			var id int64 = 1
			if len(all) > 0 {
				id = all[0].ID + 1
			}
			all = slices.Insert(all, 0,
				hive.Notice{ID: id, At: now, Executors: []string{}, Attempts: []hive.NoticedAttempt{}})
		}
		change(&all[0])
		return all[:min(len(all), maxNotices)], nil
	})
}

// changeNotices rewrites the notices. Other changes wait for the end of the transaction.
func (s *Store) changeNotices(
	ctx context.Context, tx bun.Tx, change func(all []hive.Notice, now time.Time) ([]hive.Notice, error),
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
