package dispatch

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
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Limits of a registration.
const (
	maxRegister   = hivego.MAX_REGISTRATION_BYTES // the HTTP server takes no more from those it does not know
	registerAgain = 30 * time.Second
	maxHandlers   = hivego.MAX_HANDLERS
	maxSchema     = hivego.MAX_SCHEMA_BYTES
	maxSchemas    = hivego.MAX_SCHEMAS_BYTES
	maxEntries    = 1000 // of a list or map
	maxSlots      = hivego.MAX_SLOTS
	maxLabels     = hivego.MAX_LABELS
	maxName       = hivego.MAX_NAME_BYTES
	maxLabel      = hivego.MAX_LABEL_BYTES // also of a host
	maxID         = hivego.MAX_ID_BYTES
	minSecret     = hivego.MIN_SECRET_BYTES
)

// Registrar is what the registry needs to know of tokens and to store.
type Registrar interface {
	// GroupOf answers the group that an executor token opens, or a not-found error.
	GroupOf(ctx context.Context, token string) (string, error)
	Executor(ctx context.Context, id string) (hive.Executor, error)
	SaveExecutor(ctx context.Context, e hive.Executor) error
}

// Registry is the server's side of the contract: executors make themselves known here.
type Registry struct {
	cluster string
	store   Registrar
	know    func(hive.Executor)
	leave   func(ctx context.Context, e hive.Executor)
	now     func() time.Time

	// duplicate returns the address of another process that uses the identity of an executor; "" if there is none.
	duplicate func(ctx context.Context, e hive.Executor) (address string, err error)
}

// NewRegistry makes the registry. know is told of every executor that registered.
func NewRegistry(cluster string, store Registrar, know func(hive.Executor), now func() time.Time) *Registry {
	return &Registry{cluster: cluster, store: store, know: know, now: now}
}

// TellLeaving makes the registry tell of every executor that says it stops, and of which life of it: not always the one
// that is stored.
func (r *Registry) TellLeaving(leave func(ctx context.Context, e hive.Executor)) { r.leave = leave }

// ServeHTTP speaks TBinaryProtocol over HTTP: one call a request.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "executors register here by Thrift over HTTP POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, maxRegister+1))
	if err != nil || len(body) > maxRegister {
		http.Error(w, "a registration has at most 256 KiB", http.StatusRequestEntityTooLarge)
		return
	}
	cfg := &thrift.TConfiguration{MaxMessageSize: maxRegister, MaxFrameSize: maxRegister, MaxContainerSize: maxEntries}
	in := thrift.NewStreamTransportR(bytes.NewReader(body))
	out := thrift.NewTMemoryBuffer()
	ok, terr := hivego.NewRegistryProcessor(r).Process(req.Context(),
		thrift.NewTBinaryProtocolConf(in, cfg), thrift.NewTBinaryProtocolConf(out, cfg))
	if !ok && out.Len() == 0 {
		http.Error(w, fmt.Sprintf("this is not a Thrift call: %v", terr), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-thrift")
	_, _ = w.Write(out.Bytes()) // else the executor is gone: it registers again
}

func denied(format string, args ...any) error {
	words := fmt.Sprintf(format, args...)
	return &hivego.AccessDenied{Message: &words}
}

func bad(format string, args ...any) error {
	words := fmt.Sprintf(format, args...)
	return &hivego.BadCall{Message: &words}
}

// RegisterExecutor takes an executor in, or notes that it is still there.
func (r *Registry) RegisterExecutor(ctx context.Context, c *hivego.RegisterCall) (*hivego.RegisterReply, error) {
	if c == nil { // nothing in Thrift makes a caller send it
		c = &hivego.RegisterCall{}
	}
	group := c.GetGroup()
	if group == "" {
		group = hive.DefaultGroup
	}
	opens, err := r.store.GroupOf(ctx, c.GetToken())
	if code := hive.CodeOf(err); err != nil && code != hive.CodeUnauthorized && code != hive.CodeNotFound {
		return nil, fmt.Errorf("look up the token: %w", err) // nothing is wrong with the token: it is tried again
	}
	if err != nil || opens != group {
		return nil, denied("the token does not open group %q; make one with: hivego token create --group %s", group,
			group)
	}
	e, err := r.read(c, group)
	if err != nil {
		return nil, err
	}
	known, err := r.store.Executor(ctx, e.ID)
	switch {
	case err == nil:
		// One that registered had a secret: it was given up with a lost key, and is taken anew.
		lost := known.Secret == "" && known.Origin == hive.OriginRegistered
		if !lost && subtle.ConstantTimeCompare([]byte(known.Secret), []byte(e.Secret)) != 1 {
			return nil, denied("executor %q is registered with another secret; was its data folder copied? "+
				"Remove the folder's identity, or delete the executor on the server", e.ID)
		}
		e.Offline, e.CreatedAt, e.Drained = known.Offline, known.CreatedAt, known.Drained && known.BootID == e.BootID
	case hive.CodeOf(err) != hive.CodeNotFound:
		return nil, fmt.Errorf("look up executor: %w", err)
	}
	if err := r.refuseDuplicate(ctx, e); err != nil {
		return nil, err
	}
	if err := r.store.SaveExecutor(ctx, e); err != nil {
		if he, ok := errors.AsType[*hive.Error](err); ok && he.Code != hive.CodeInternal {
			return nil, bad("%s", he.Words)
		}
		return nil, fmt.Errorf("save executor: %w", err)
	}
	r.know(e)
	again := registerAgain.Milliseconds()
	return &hivego.RegisterReply{ClusterId: &r.cluster, AgainMillis: &again}, nil
}

// read checks what an executor says of itself. It is shown to people, kept in the database, and dialled.
func (r *Registry) read(c *hivego.RegisterCall, group string) (hive.Executor, error) {
	now := r.now()
	e := hive.Executor{
		ID: c.GetExecutorId(), Name: hive.Clean(c.GetName(), maxName), Group: group,
		Address: c.GetAddress(), TLS: c.GetTLS(), Secret: c.GetSecret(), Slots: int(c.GetSlots()),
		Version: hive.Clean(c.GetVersion(), maxName), BootID: c.GetBootId(), Durable: c.GetDurable(),
		CreatedAt: now, SeenAt: now, Labels: c.GetLabels(), Origin: hive.OriginRegistered,
	}
	if e.Labels == nil {
		e.Labels = map[string]string{}
	}
	switch {
	case !word(e.ID, maxID) || !word(e.BootID, maxID) || !word(e.Name, maxName):
		return e, bad("a registration names executorId, bootId and name, of printable characters without spaces")
	case len(e.Secret) < minSecret || !word(e.Secret, maxID):
		return e, bad("the secret must have between %d and %d printable characters", minSecret, maxID)
	case e.Slots < 1 || e.Slots > maxSlots:
		return e, bad("slots is between 1 and %d, not %d", maxSlots, e.Slots)
	}
	if err := checkAddress(e.Address, e.TLS); err != nil {
		return e, err
	}
	if err := errors.Join(checkLabels(e.Labels), checkContract(e.Durable, c.GetContract())); err != nil {
		return e, bad("%s", err)
	}
	var err error
	if e.Handlers, err = readHandlers(c.GetHandlers()); err != nil {
		return e, bad("%s", err)
	}
	return e, nil
}

// word says that s is a name: at most so many bytes, printable, without spaces.
func word(s string, most int) bool {
	return s != "" && len(s) <= most && !strings.Contains(s, " ") && printable(s)
}

// printable says that s can be shown in a line: nothing in it steers a terminal or hides.
func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// checkAddress refuses what cannot be dialled, and what must not be dialled without TLS.
func checkAddress(address string, secure bool) error {
	host, port, err := net.SplitHostPort(address)
	number, perr := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil || perr != nil || number == 0 || !word(host, maxLabel):
		return bad("address %q is not host:port; say one that the server reaches with --advertise",
			hive.Clean(address, maxLabel))
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

// DeregisterExecutor notes that a life of an executor stops. What it runs is treated as when it fell silent.
func (r *Registry) DeregisterExecutor(ctx context.Context, c *hivego.DeregisterCall) (*hivego.DeregisterReply, error) {
	if c == nil {
		c = &hivego.DeregisterCall{}
	}
	if _, err := r.store.GroupOf(ctx, c.GetToken()); err != nil {
		return nil, denied("the token is not one of executors")
	}
	e, err := r.store.Executor(ctx, c.GetExecutorId())
	known := err == nil && subtle.ConstantTimeCompare([]byte(e.Secret), []byte(c.GetSecret())) == 1
	if err == nil && !known {
		return nil, denied("the secret is not this executor's")
	}
	latest := e.BootID
	if boot := c.GetBootId(); word(boot, maxID) {
		e.BootID = boot
	}
	if known && r.leave != nil {
		r.leave(ctx, e)
	}
	if known && e.BootID == latest { // a goodbye that is late says nothing of the life after it
		e.SeenAt = r.now()
		if err := r.store.SaveExecutor(ctx, e); err != nil {
			return nil, fmt.Errorf("note executor: %w", err)
		}
	}
	return &hivego.DeregisterReply{Known: &known}, nil
}

// RefuseDuplicates makes the registry call duplicate, which is Fleet.DuplicateAddress by way of the loop, before it takes
// an executor in. Two processes with one identity would be called in turns, and what one runs is lost to the other.
func (r *Registry) RefuseDuplicates(duplicate func(ctx context.Context, e hive.Executor) (address string, err error)) {
	r.duplicate = duplicate
}

// refuseDuplicate refuses an executor whose identity another process uses at this moment.
func (r *Registry) refuseDuplicate(ctx context.Context, e hive.Executor) error {
	if r.duplicate == nil {
		return nil
	}
	address, err := r.duplicate(ctx, e)
	if err == nil && address != "" {
		err = denied("an executor with the same identity runs at %s; if this one's data folder is a copy, "+
			"start it with a folder of its own (--data)", address)
	}
	return err
}
