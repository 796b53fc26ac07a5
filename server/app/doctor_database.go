package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/doctor"
	"github.com/rprp/hivego/server/hive"
)

// doctorCalls is how many executors the doctor calls at once.
const doctorCalls = 16

// examination looks at the database and at what it knows.
type examination struct {
	cfg   *config.Serve
	facts *doctor.Facts
	store *db.Store
	now   time.Time // of the database
}

// database opens the database and looks at it. If its schema is another one, it reads nothing more.
func (x *examination) database(ctx context.Context) {
	d := &doctor.Database{}
	x.facts.Database = d
	store, err := db.Open(ctx, db.Config{
		URL: x.cfg.DatabaseURL, Schema: x.cfg.DatabaseSchema, Dir: x.cfg.Data, Examine: true,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		d.Err = err
		return
	}
	defer func() { _ = store.Close() }()
	x.store = store
	d.Err = x.read(ctx, d)
	if d.Err != nil || d.Have != d.Want {
		return
	}
	d.Write = causeOf(store.TryWrite(ctx))
	ahead, err := store.MarkedAfter(ctx, time.Now().Add(10*time.Second))
	if d.Ahead = len(ahead); err != nil {
		d.Err = err
		return
	}
	if d.Err = x.servers(ctx); d.Err == nil {
		d.Err = x.executors(ctx)
	}
}

// causeOf adds the cause to the error, which people do not see elsewhere.
func causeOf(err error) error {
	if e, ok := errors.AsType[*hive.Error](err); ok && e.Err != nil {
		return fmt.Errorf("%w: %w", err, e.Err)
	}
	return err
}

// read reads what any schema has.
func (x *examination) read(ctx context.Context, d *doctor.Database) (err error) {
	if d.Product, err = x.store.Product(ctx); err != nil {
		return causeOf(err)
	}
	if d.Have, d.Want, err = x.store.Schema(ctx); err != nil {
		return causeOf(err)
	}
	began := time.Now()
	if x.now, err = x.store.Clock(ctx); err != nil {
		return causeOf(err)
	}
	d.Offset = began.Add(time.Since(began) / 2).Sub(x.now)
	return nil
}

// servers lists the servers that work on the database now.
func (x *examination) servers(ctx context.Context) error {
	all, err := x.store.Servers(ctx)
	x.facts.Servers = slices.DeleteFunc(all, func(s hive.Server) bool { return !s.LeaseUntil.After(x.now) })
	return err
}

// executors calls all executors.
func (x *examination) executors(ctx context.Context) error {
	if err := x.key(ctx); err != nil || x.facts.Key.Err != nil {
		return err
	}
	list, err := x.store.Executors(ctx)
	if err != nil {
		return err
	}
	trust, err := authorities(x.cfg.CA)
	if err != nil {
		return nil // it is a fault of the configuration, see certificates
	}
	cluster, err := x.store.Meta(ctx, db.MetaClusterID)
	if err != nil {
		return err
	}
	caller := wire.Caller{Cluster: cluster, Server: readText(x.cfg.Data, identityFile), Session: "doctor"}
	client := wire.NewClient(trust)
	defer client.Close()
	own := readText(executorData(x.cfg), "executor-id")
	out := make([]doctor.Executor, len(list))
	var calls sync.WaitGroup
	limit := make(chan struct{}, doctorCalls)
	for i := range list {
		e := &list[i]
		out[i] = doctor.Executor{
			Name: e.Name, Address: e.Address, Version: e.Version, Durable: e.Durable, Offline: e.Offline,
			Inside: own != "" && own == e.ID,
		}
		calls.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			callExecutor(ctx, client, caller, e, &out[i])
		})
	}
	calls.Wait()
	x.facts.Executors, x.facts.Called = out, true
	return nil
}

// callExecutor asks an executor for its description.
func callExecutor(ctx context.Context, client *wire.Client, from wire.Caller, e *hive.Executor, out *doctor.Executor) {
	from.Token = e.Secret
	d, err := client.Describe(ctx, *e, from, slog.New(slog.DiscardHandler))
	switch {
	case err != nil:
		out.Err = err
	case !d.Fits(e):
		out.Err = errors.New("another executor answers at its address")
	default:
		out.Offset, out.OffsetKnown = d.Offset, d.OffsetKnown
		out.Version = cmp.Or(d.Version, out.Version)
	}
}

// key looks at the key of the secrets, and uses it to read the executors' secrets.
func (x *examination) key(ctx context.Context) error {
	source := keySourceOf(x.cfg)
	k := &doctor.Key{Path: source.file, Listed: !source.inFiles()}
	x.facts.Key = k
	wanted, err := x.store.SecretKeyID(ctx)
	if err != nil || wanted == "" { // a database without a key gets one at the first start
		return err
	}
	former, err := x.store.FormerSecretKeyID(ctx)
	if err != nil {
		return err
	}
	keys, err := source.find(ctx, wanted, former)
	if k.Err = err; err == nil {
		k.Err = x.store.ReadSecrets(ctx, keys[0], keys[1:]...)
	}
	return nil
}

// readText returns the text of a small file, or "" if there is none yet.
func readText(folder, name string) string {
	raw, _ := os.ReadFile(filepath.Join(folder, name))
	return strings.TrimSpace(string(raw))
}
