// Package registry admits executors: they register by Thrift over HTTP, or a person adds them by their address.
package registry

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

const (
	registerAgain = 30 * time.Second // interval between registrations
	maxEntries    = 1000             // of a list or map in a request
)

// Store stores the tokens and the executors.
type Store interface {
	// GroupOf returns the group of an executor token, or a not-found error.
	GroupOf(ctx context.Context, token string) (string, error)
	Executor(ctx context.Context, id string) (hive.Executor, error)
	// RegisterExecutor stores a new or known executor, unless admit refuses the one that is stored with its id.
	RegisterExecutor(ctx context.Context, e hive.Executor, admit func(known hive.Executor) error) error
}

// Handler serves the registry of the executor contract, at which executors register.
type Handler struct {
	cluster    string
	store      Store
	registered func(hive.Executor)
	leave      func(ctx context.Context, e hive.Executor)
	now        func() time.Time

	// duplicate returns the address of another process that uses the identity of an executor; "" if there is none.
	duplicate func(ctx context.Context, e hive.Executor) (address string, err error)
}

// New makes a handler. registered is called with every executor that registers.
func New(cluster string, store Store, registered func(hive.Executor), now func() time.Time) *Handler {
	return &Handler{cluster: cluster, store: store, registered: registered, now: now}
}

// OnLeave makes the handler call leave with every executor that announces its stop. The boot id names the process that
// stops, which is not always the stored one.
func (h *Handler) OnLeave(leave func(ctx context.Context, e hive.Executor)) { h.leave = leave }

// ServeHTTP serves TBinaryProtocol over HTTP: one call in each request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "executors register here by Thrift over HTTP POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, hivego.MAX_REGISTRATION_BYTES+1))
	if err != nil || len(body) > hivego.MAX_REGISTRATION_BYTES {
		http.Error(w, "a registration has at most 256 KiB", http.StatusRequestEntityTooLarge)
		return
	}
	cfg := &thrift.TConfiguration{
		MaxMessageSize: hivego.MAX_REGISTRATION_BYTES, MaxFrameSize: hivego.MAX_REGISTRATION_BYTES,
		MaxContainerSize: maxEntries,
	}
	in := thrift.NewStreamTransportR(bytes.NewReader(body))
	out := thrift.NewTMemoryBuffer()
	ok, terr := hivego.NewRegistryProcessor(h).Process(req.Context(),
		thrift.NewTBinaryProtocolConf(in, cfg), thrift.NewTBinaryProtocolConf(out, cfg))
	if !ok && out.Len() == 0 {
		http.Error(w, fmt.Sprintf("this is not a Thrift call: %v", terr), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-thrift")
	_, _ = w.Write(out.Bytes()) // on an error the executor does not get the answer, and registers again
}

func denied(format string, args ...any) error {
	words := fmt.Sprintf(format, args...)
	return &hivego.AccessDenied{Message: &words}
}

func bad(format string, args ...any) error {
	words := fmt.Sprintf(format, args...)
	return &hivego.BadCall{Message: &words}
}

// RegisterExecutor registers an executor, or notes that it is still in contact.
func (h *Handler) RegisterExecutor(ctx context.Context, c *hivego.RegisterCall) (*hivego.RegisterReply, error) {
	if c == nil { // Thrift does not require the argument
		c = &hivego.RegisterCall{}
	}
	group := c.GetGroup()
	if group == "" {
		group = hive.DefaultGroup
	}
	opens, known, err := h.groupOf(ctx, c.GetToken())
	if err != nil {
		return nil, err
	}
	if !known || opens != group {
		return nil, denied("the token does not open group %q; make one with: hivego token create --group %s", group,
			group)
	}
	e, err := h.read(c, group)
	if err != nil {
		return nil, err
	}
	stored, err := h.store.Executor(ctx, e.ID)
	switch {
	case err == nil:
		if err := admit(&stored, &e); err != nil {
			return nil, err
		}
		e.Offline, e.CreatedAt = stored.Offline, stored.CreatedAt
		e.Drained = stored.Drained && stored.BootID == e.BootID
	case hive.CodeOf(err) != hive.CodeNotFound:
		return nil, fmt.Errorf("look up executor: %w", err)
	}
	if err := h.refuseDuplicate(ctx, e); err != nil {
		return nil, err
	}
	// Another executor may have registered under the id since the first check.
	err = h.store.RegisterExecutor(ctx, e, func(known hive.Executor) error { return admit(&known, &e) })
	if err != nil {
		if refused, ok := errors.AsType[*hivego.AccessDenied](err); ok {
			return nil, refused
		}
		if he, ok := errors.AsType[*hive.Error](err); ok && he.Code != hive.CodeInternal {
			return nil, bad("%s", he.Words)
		}
		return nil, fmt.Errorf("save executor: %w", err)
	}
	h.registered(e)
	again := registerAgain.Milliseconds()
	return &hivego.RegisterReply{ClusterId: &h.cluster, AgainMillis: &again}, nil
}

// groupOf returns the group of an executor token; known is false if there is no such token. After an error the token
// may be right, so the executor tries again.
func (h *Handler) groupOf(ctx context.Context, token string) (group string, known bool, err error) {
	group, err = h.store.GroupOf(ctx, token)
	switch code := hive.CodeOf(err); {
	case err == nil:
		return group, true, nil
	case code == hive.CodeUnauthorized || code == hive.CodeNotFound:
		return "", false, nil
	default:
		return "", false, fmt.Errorf("look up the token: %w", err)
	}
}

// admit refuses a registration if the stored executor with its id has another secret.
func admit(known, e *hive.Executor) error {
	// A registered executor has a secret. If its key is lost, so is the secret, and a new one is accepted.
	lost := known.Secret == "" && known.Origin == hive.OriginRegistered
	if !lost && subtle.ConstantTimeCompare([]byte(known.Secret), []byte(e.Secret)) != 1 {
		return denied("executor %q is registered with another secret; was its data folder copied? "+
			"Remove the folder's identity, or delete the executor on the server", e.ID)
	}
	return nil
}

// read checks the description of an executor, because people see it, the database stores it, and the server dials its
// address.
func (h *Handler) read(c *hivego.RegisterCall, group string) (hive.Executor, error) {
	now := h.now()
	e := hive.Executor{
		ID: c.GetExecutorId(), Name: hive.Clean(c.GetName(), hivego.MAX_NAME_BYTES), Group: group,
		Address: c.GetAddress(), TLS: c.GetTLS(), Secret: c.GetSecret(), Slots: int(c.GetSlots()),
		Version: hive.Clean(c.GetVersion(), hivego.MAX_NAME_BYTES), BootID: c.GetBootId(), Durable: c.GetDurable(),
		CreatedAt: now, SeenAt: now, Labels: c.GetLabels(), Origin: hive.OriginRegistered,
	}
	if e.Labels == nil {
		e.Labels = map[string]string{}
	}
	switch {
	case !wire.IsName(e.ID, hivego.MAX_ID_BYTES), !wire.IsName(e.BootID, hivego.MAX_ID_BYTES),
		!wire.IsName(e.Name, hivego.MAX_NAME_BYTES):
		return e, bad("a registration names executorId, bootId and name, of printable characters without spaces")
	case len(e.Secret) < hivego.MIN_SECRET_BYTES || !wire.IsName(e.Secret, hivego.MAX_ID_BYTES):
		return e, bad("the secret must have between %d and %d printable characters",
			hivego.MIN_SECRET_BYTES, hivego.MAX_ID_BYTES)
	case e.Slots < 1 || e.Slots > hivego.MAX_SLOTS:
		return e, bad("slots is between 1 and %d, not %d", hivego.MAX_SLOTS, e.Slots)
	}
	if err := checkAddress(e.Address, e.TLS); err != nil {
		return e, err
	}
	if err := errors.Join(wire.CheckLabels(e.Labels), wire.CheckContract(e.Durable, c.GetContract())); err != nil {
		return e, bad("%s", err)
	}
	var err error
	if e.Handlers, err = wire.ReadHandlers(c.GetHandlers()); err != nil {
		return e, bad("%s", err)
	}
	return e, nil
}

// checkAddress refuses an address that cannot be dialed, or that must not be dialed without TLS.
func checkAddress(address string, secure bool) error {
	host, port, err := net.SplitHostPort(address)
	number, perr := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil || perr != nil || number == 0 || !wire.IsName(host, hivego.MAX_LABEL_BYTES):
		return bad("address %q is not host:port; say one that the server reaches with --advertise",
			hive.Clean(address, hivego.MAX_LABEL_BYTES))
	case !loopback(host) && !secure:
		return bad("beyond loopback an executor speaks TLS; make its certificate with: hivego certs")
	default:
		return nil
	}
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// errReplaced reports that another process of an executor has registered since.
var errReplaced = errors.New("another process has registered")

// DeregisterExecutor notes that a process of an executor stops. Its attempts are treated as if the executor had become
// silent.
func (h *Handler) DeregisterExecutor(ctx context.Context, c *hivego.DeregisterCall) (*hivego.DeregisterReply, error) {
	if c == nil {
		c = &hivego.DeregisterCall{}
	}
	if _, known, err := h.groupOf(ctx, c.GetToken()); err != nil {
		return nil, err
	} else if !known {
		return nil, denied("the token is not one of executors")
	}
	e, err := h.store.Executor(ctx, c.GetExecutorId())
	known := err == nil && subtle.ConstantTimeCompare([]byte(e.Secret), []byte(c.GetSecret())) == 1
	if err == nil && !known {
		return nil, denied("the secret is not this executor's")
	}
	latest := e.BootID
	if boot := c.GetBootId(); wire.IsName(boot, hivego.MAX_ID_BYTES) {
		e.BootID = boot
	}
	if known && h.leave != nil {
		h.leave(ctx, e)
	}
	if known && e.BootID == latest { // a late call does not concern the next process
		e.SeenAt = h.now()
		err := h.store.RegisterExecutor(ctx, e, func(stored hive.Executor) error {
			if stored.BootID != latest || stored.Secret != e.Secret {
				return errReplaced
			}
			return nil
		})
		if err != nil && !errors.Is(err, errReplaced) {
			return nil, fmt.Errorf("note executor: %w", err)
		}
	}
	return &hivego.DeregisterReply{Known: &known}, nil
}

// RefuseDuplicates makes the handler call duplicate (Fleet.DuplicateAddress by way of the loop) before it registers an
// executor. Of two processes with one identity, each would get some of the calls, and would lose the attempts of the
// other.
func (h *Handler) RefuseDuplicates(duplicate func(ctx context.Context, e hive.Executor) (address string, err error)) {
	h.duplicate = duplicate
}

// refuseDuplicate refuses an executor whose identity another process uses now.
func (h *Handler) refuseDuplicate(ctx context.Context, e hive.Executor) error {
	if h.duplicate == nil {
		return nil
	}
	address, err := h.duplicate(ctx, e)
	if err == nil && address != "" {
		err = denied("an executor with the same identity runs at %s; if this one's data folder is a copy, "+
			"start it with a folder of its own (--data)", address)
	}
	return err
}
