package app

import (
	"context"
	"net"
	"slices"
	"time"

	"github.com/rprp/hivego/server/dispatch/registry"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// Add asks the executor at an address for its description, and stores it.
func (x *executors) Add(ctx context.Context, n hive.NewExecutor) (hive.ExecutorView, error) {
	if err := registry.CheckNew(&n); err != nil {
		return hive.ExecutorView{}, err
	}
	if x.own(ctx, n.Address) {
		return hive.ExecutorView{},
			hive.Errorf(hive.CodeInvalid, "%s is this server itself; name the address of an executor", n.Address).
				WithReason(hive.ErrorExecutorSelf, "address", n.Address)
	}
	d, err := x.fleet.Describe(ctx, hive.Executor{Address: n.Address, TLS: n.TLS, Secret: n.Token})
	if err != nil {
		return hive.ExecutorView{}, err
	}
	if len(d.Handlers) == 0 {
		return hive.ExecutorView{}, hive.Errorf(hive.CodeInvalid,
			"%s is not added: it offers no handlers, so it could not run anything; have describe name them", n.Address).
			WithReason(hive.ErrorExecutorNoHandlers, "address", n.Address)
	}
	now := time.Now()
	fresh := registry.NewExecutor(&n, d, nil, now)
	known, err := x.makeRoom(ctx, &fresh)
	if err != nil {
		return hive.ExecutorView{}, err
	}
	if known != nil && known.Durable != d.Durable { // its attempts were handed over by the other protocol
		if err := x.idle(ctx, known); err != nil {
			return hive.ExecutorView{}, err
		}
	}
	e := registry.NewExecutor(&n, d, known, now)
	if err := x.store.SaveExecutor(ctx, e); err != nil {
		return hive.ExecutorView{}, err
	}
	if err := x.loop(ctx, func(now time.Time) { x.fleet.Register(now, e) }); err != nil {
		return hive.ExecutorView{}, err
	}
	v := hive.ExecutorView{Executor: e, State: hive.ExecutorOnline}
	if d.Load != nil && d.Load.Draining || e.Drained {
		v.State = hive.ExecutorDraining
	}
	return v, nil
}

// makeRoom finds the executor with the same id or address. It returns one that was added before, and refuses to replace
// one that came in another way.
func (x *executors) makeRoom(ctx context.Context, e *hive.Executor) (*hive.Executor, error) {
	rows, err := x.store.Executors(ctx)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(rows, func(k hive.Executor) bool { return k.ID == e.ID }); at >= 0 {
		k := &rows[at]
		if k.Origin != hive.OriginAddress {
			return nil, hive.Errorf(hive.CodeConflict,
				"that is executor %q, which registers itself; it need not be added", k.Name).
				WithReason(hive.ErrorExecutorRegistered, "executor", k.Name)
		}
		if k.Address != e.Address && x.answers(ctx, k.ID) {
			return nil, hive.Errorf(hive.CodeConflict,
				"executor %q answers at %s and says the same id; if its data folder was copied, give this one a "+
					"folder of its own",
				k.Name, k.Address).WithReason(hive.ErrorExecutorElsewhere, "executor", k.Name, "address", k.Address)
		}
		return k, nil
	}
	// Another id at the same address: the executor was installed again.
	at := slices.IndexFunc(rows,
		func(k hive.Executor) bool { return k.Address == e.Address && k.Origin == hive.OriginAddress })
	if at < 0 {
		return nil, nil //nolint:nilnil // it is new
	}
	k := &rows[at]
	return k, x.remove(ctx, k)
}

// answers reports whether an executor is in contact now.
func (x *executors) answers(ctx context.Context, id string) bool {
	heard := true // assume so if the loop does not answer
	_ = x.loop(ctx, func(now time.Time) {
		heard = slices.ContainsFunc(x.fleet.Statuses(now), func(s fleet.Status) bool {
			return s.Executor.ID == id && (s.State == hive.ExecutorOnline || s.State == hive.ExecutorDraining)
		})
	})
	return heard
}

// own reports whether an address is where this server's API listens.
func (x *executors) own(ctx context.Context, address string) bool {
	host, port, err := net.SplitHostPort(address)
	_, mine, lerr := net.SplitHostPort(x.listen)
	if err != nil || lerr != nil || port != mine {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	found, err := new(net.Resolver).LookupIPAddr(ctx, host)
	if err != nil {
		return false // such an address cannot be called either
	}
	local, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(found, func(a net.IPAddr) bool {
		return a.IP.IsLoopback() || slices.ContainsFunc(local, func(l net.Addr) bool {
			n, ok := l.(*net.IPNet)
			return ok && n.IP.Equal(a.IP)
		})
	})
}

// SetDrained stops sending new work to an executor until it is started again, or allows new work.
func (x *executors) SetDrained(ctx context.Context, name string, drained bool) error {
	if err := x.store.SetDrained(ctx, name, drained); err != nil {
		return err
	}
	return x.refresh(ctx, name)
}

// Held lists the attempts that an executor holds or was offered, oldest first.
func (x *executors) Held(ctx context.Context, name string) ([]hive.HeldView, error) {
	rows, err := x.store.Executors(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rows, func(e hive.Executor) bool { return e.Name == name })
	if at < 0 {
		return nil, unknown(name)
	}
	return x.store.Held(ctx, rows[at].ID)
}
