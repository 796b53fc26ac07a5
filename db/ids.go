package db

import (
	"context"
	"fmt"
	"sync"

	"github.com/uptrace/bun"
)

// The counters. NextIDs takes the first two.
const (
	CounterRun     = "run"
	CounterAttempt = "attempt"
	counterBatch   = "batch" // SQLite only; PostgreSQL has a sequence
	counterEpoch   = "epoch"
)

// idBlock is how many ids a server takes from the database at once. Ids that it has not used when it stops are lost;
// they cost nothing.
const idBlock = 1000

// allocator hands out ids from blocks.
type allocator struct {
	reserve func(ctx context.Context, kind string, n int) (first int64, err error)

	mu     sync.Mutex
	blocks map[string]*block
}

type block struct {
	mu   sync.Mutex // held while a block is fetched: others of this kind wait for it
	next int64
	left int
}

// NextIDs returns the first of n consecutive ids of a kind (CounterRun, CounterAttempt). No other caller on any server
// gets them. Most calls do not touch the database.
func (s *Store) NextIDs(ctx context.Context, kind string, n int) (int64, error) {
	if n < 1 || (kind != CounterRun && kind != CounterAttempt) {
		return 0, fmt.Errorf("next ids: no %d ids of kind %q", n, kind)
	}
	return s.ids.take(ctx, kind, n)
}

func (a *allocator) take(ctx context.Context, kind string, n int) (int64, error) {
	b := a.block(kind)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < n {
		size := max(n, idBlock)
		first, err := a.reserve(ctx, kind, size)
		if err != nil {
			return 0, err
		}
		b.next, b.left = first, size
	}
	first := b.next
	b.next += int64(n)
	b.left -= n
	return first, nil
}

func (a *allocator) block(kind string) *block {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.blocks == nil {
		a.blocks = map[string]*block{}
	}
	b := a.blocks[kind]
	if b == nil {
		b = &block{}
		a.blocks[kind] = b
	}
	return b
}

func (s *Store) reserveBlock(ctx context.Context, kind string, n int) (int64, error) {
	var first int64
	err := s.write(ctx, "reserve ids", func(ctx context.Context, tx bun.Tx) (err error) {
		first, err = reserve(ctx, tx, kind, n)
		return err
	})
	return first, err
}

// reserve takes n ids of a counter within a transaction. Other callers wait for the end of the transaction.
func reserve(ctx context.Context, tx bun.IDB, counter string, n int) (first int64, err error) {
	var last int64
	err = tx.NewRaw("UPDATE counters SET value = value + ? WHERE name = ? RETURNING value", n, counter).Scan(ctx, &last)
	if err != nil {
		return 0, fmt.Errorf("reserve %d of counter %s: %w", n, counter,
			missing(err, "there is no counter %s", counter))
	}
	return last - int64(n) + 1, nil
}

// metaRow is one key of the table meta.
type metaRow struct {
	bun.BaseModel `bun:"table:meta"`

	Key   string `bun:"key,pk"`
	Value string `bun:"value"`
}

// Meta returns the value of a key such as MetaClusterID. hive.CodeNotFound if it was never set.
func (s *Store) Meta(ctx context.Context, key string) (string, error) {
	var row metaRow
	err := s.r.NewSelect().Model(&row).Where("key = ?", text(key)).Scan(ctx)
	return row.Value, s.fault("read meta", missing(err, "there is no %q", key))
}

// SetMeta stores the value of a key.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	_, err := s.w.NewInsert().Model(&metaRow{Key: text(key), Value: text(value)}).
		On("CONFLICT (key) DO UPDATE").Set("value = EXCLUDED.value").Exec(ctx)
	return s.fault("store meta", err)
}
