package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// registrar is a Store over a map, with one token, "right", for the group etl.
type registrar struct{ stored map[string]hive.Executor }

func (r registrar) GroupOf(_ context.Context, token string) (string, error) {
	if token != "right" {
		return "", hive.Errorf(hive.CodeUnauthorized, "wrong")
	}
	return "etl", nil
}

func (r registrar) Executor(_ context.Context, id string) (hive.Executor, error) {
	if e, ok := r.stored[id]; ok {
		return e, nil
	}
	return hive.Executor{}, hive.Errorf(hive.CodeNotFound, "none")
}

func (r registrar) RegisterExecutor(
	_ context.Context, e hive.Executor, admit func(known hive.Executor) error,
) error {
	if known, ok := r.stored[e.ID]; ok {
		if err := admit(known); err != nil {
			return fmt.Errorf("register: %w", err)
		}
	}
	r.stored[e.ID] = e
	return nil
}

const secret = "0123456789abcdef0123456789abcdef"

// registration returns a call that is accepted.
func registration() *hivego.RegisterCall {
	return &hivego.RegisterCall{
		Token: new("right"), ExecutorId: new("x1"), BootId: new("b1"), Name: new("batch1.example"), Group: new("etl"),
		Address: new("192.0.2.1:9999"), TLS: new(true), Secret: new(secret), Slots: new(int32(4)), Durable: new(true),
		Contract: new(int32(2)),
		Labels:   map[string]string{"zone": "east coast"}, Handlers: []*hivego.HandlerInfo{{Name: new("shell")}},
	}
}

func TestRegistration(t *testing.T) {
	t.Parallel()
	labels := map[string]string{}
	for i := range hivego.MAX_LABELS + 1 {
		labels[fmt.Sprint("l", i)] = ""
	}
	// Each call has a target of its own: the rows run in parallel.
	denied := func(err error) bool { return errors.As(err, new(*hivego.AccessDenied)) }
	bad := func(err error) bool { return errors.As(err, new(*hivego.BadCall)) }
	for name, tc := range map[string]struct {
		change func(c *hivego.RegisterCall)
		want   func(error) bool
	}{
		"good": {func(*hivego.RegisterCall) {}, nil},
		"IPv6": {func(c *hivego.RegisterCall) { c.Address = new("[2001:db8::1]:9999") }, nil},
		"without TLS, on loopback": {func(c *hivego.RegisterCall) {
			c.TLS, c.Address = new(false),
				new("127.0.0.1:9999")
		}, nil},
		"a name in Chinese": {func(c *hivego.RegisterCall) { c.Name = new("数据一号") }, nil},
		"only run":          {func(c *hivego.RegisterCall) { c.Durable = nil }, nil},
		"no token":          {func(c *hivego.RegisterCall) { c.Token = nil }, denied},
		"wrong token":       {func(c *hivego.RegisterCall) { c.Token = new("wrong") }, denied},
		"another group":     {func(c *hivego.RegisterCall) { c.Group = new("dw") }, denied},
		"the default group": {func(c *hivego.RegisterCall) { c.Group = nil }, denied},
		"no id":             {func(c *hivego.RegisterCall) { c.ExecutorId = nil }, bad},
		"a long id": {
			func(c *hivego.RegisterCall) { c.ExecutorId = new(strings.Repeat("x", 129)) },
			bad,
		},
		"a name that steers":  {func(c *hivego.RegisterCall) { c.Name = new("a\x1b[2J") }, bad},
		"a name of two lines": {func(c *hivego.RegisterCall) { c.Name = new("a\nb") }, bad},
		"a name that turns":   {func(c *hivego.RegisterCall) { c.Name = new("a\u202Eb") }, bad},
		"a name with a space": {func(c *hivego.RegisterCall) { c.Name = new("a b") }, bad},
		"without TLS":         {func(c *hivego.RegisterCall) { c.TLS = nil }, bad},
		"no port":             {func(c *hivego.RegisterCall) { c.Address = new("192.0.2.1") }, bad},
		"port 0":              {func(c *hivego.RegisterCall) { c.Address = new("192.0.2.1:0") }, bad},
		"a port too high":     {func(c *hivego.RegisterCall) { c.Address = new("192.0.2.1:65536") }, bad},
		"a named port":        {func(c *hivego.RegisterCall) { c.Address = new("192.0.2.1:http") }, bad},
		"no host":             {func(c *hivego.RegisterCall) { c.Address = new(":9999") }, bad},
		"a long host": {
			func(c *hivego.RegisterCall) { c.Address = new(strings.Repeat("x", 256) + ":1") },
			bad,
		},
		"a host that steers":  {func(c *hivego.RegisterCall) { c.Address = new("a\x1b:1") }, bad},
		"a short secret":      {func(c *hivego.RegisterCall) { c.Secret = new("short") }, bad},
		"a long secret":       {func(c *hivego.RegisterCall) { c.Secret = new(strings.Repeat("x", 129)) }, bad},
		"no slots":            {func(c *hivego.RegisterCall) { c.Slots = nil }, bad},
		"many slots":          {func(c *hivego.RegisterCall) { c.Slots = new(int32(1 << 30)) }, bad},
		"many labels":         {func(c *hivego.RegisterCall) { c.Labels = labels }, bad},
		"a label that steers": {func(c *hivego.RegisterCall) { c.Labels = map[string]string{"a": "\x1b"} }, bad},
		"a handler twice": {
			func(c *hivego.RegisterCall) { c.Handlers = append(c.Handlers, c.Handlers[0]) },
			bad,
		},
		"a handler without a name": {func(c *hivego.RegisterCall) { c.Handlers[0].Name = nil }, bad},
		"many handlers": {func(c *hivego.RegisterCall) {
			c.Handlers = make([]*hivego.HandlerInfo,
				hivego.MAX_HANDLERS+1)
		}, bad},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, known := registrar{map[string]hive.Executor{}}, 0
			r := New("c", store, func(hive.Executor) { known++ }, time.Now)
			c := registration()
			tc.change(c)
			_, err := r.RegisterExecutor(t.Context(), c)
			ok := err == nil
			if tc.want != nil {
				ok = tc.want(err) && len(store.stored) == 0
			}
			if !ok || (known == 1) != (err == nil) {
				t.Errorf("%v, %d stored, told %d times", err, len(store.stored), known)
			}
		})
	}
}

// An executor that registers and has lost its secret may set a new one, but not if a person added it without one.
func TestLostSecret(t *testing.T) {
	t.Parallel()
	for origin, taken := range map[hive.Origin]bool{hive.OriginRegistered: true, hive.OriginAddress: false} {
		store := registrar{map[string]hive.Executor{"x1": {ID: "x1", Name: "x1", Origin: origin}}}
		r := New("c", store, func(hive.Executor) {}, time.Now)
		_, err := r.RegisterExecutor(t.Context(), registration())
		if (err == nil) != taken || (store.stored["x1"].Secret == secret) != taken {
			t.Errorf("%s: %v, %+v", origin, err, store.stored["x1"])
		}
	}
}

func TestSomebodyElsesExecutor(t *testing.T) {
	t.Parallel()
	store := registrar{map[string]hive.Executor{}}
	r := New("c", store, func(hive.Executor) {}, time.Now)
	if _, err := r.RegisterExecutor(t.Context(), registration()); err != nil {
		t.Fatal(err)
	}
	before := maps.Clone(store.stored)
	var denied *hivego.AccessDenied
	c := registration()
	c.Secret, c.Address = new(strings.Repeat("y", 32)), new("192.0.2.66:9999")
	if _, err := r.RegisterExecutor(t.Context(), c); !errors.As(err, &denied) {
		t.Errorf("registered by another secret: %v", err)
	}
	for name, d := range map[string]*hivego.DeregisterCall{
		"no token":     {ExecutorId: new("x1"), Secret: new(secret)},
		"wrong token":  {Token: new("wrong"), ExecutorId: new("x1"), Secret: new(secret)},
		"nobody's":     {Token: new("wrong"), ExecutorId: new("x2"), Secret: new(secret)},
		"no secret":    {Token: new("right"), ExecutorId: new("x1")},
		"wrong secret": {Token: new("right"), ExecutorId: new("x1"), Secret: new("y")},
	} {
		if _, err := r.DeregisterExecutor(t.Context(), d); !errors.As(err, &denied) {
			t.Errorf("deregistered with %s: %v", name, err)
		}
	}
	if after := store.stored["x1"]; after.Address != before["x1"].Address || !after.SeenAt.Equal(before["x1"].SeenAt) {
		t.Errorf("changed: %+v", after)
	}
	reply, err := r.DeregisterExecutor(t.Context(),
		&hivego.DeregisterCall{Token: new("right"), ExecutorId: new("x1"), Secret: new(secret)})
	if err != nil || !reply.GetKnown() {
		t.Errorf("%v %v", reply, err)
	}
}

// late is a store in which another executor registers between a look at an executor and its registration.
type late struct {
	registrar

	other hive.Executor
}

func (l late) RegisterExecutor(
	ctx context.Context, e hive.Executor, admit func(known hive.Executor) error,
) error {
	l.stored[l.other.ID] = l.other
	return l.registrar.RegisterExecutor(ctx, e, admit)
}

// Of two executors that register under one new id at once, the second one is refused.
func TestRegistrationAtOnce(t *testing.T) {
	t.Parallel()
	for other, taken := range map[string]bool{secret: true, strings.Repeat("y", 32): false} {
		store := late{
			registrar{map[string]hive.Executor{}},
			hive.Executor{ID: "x1", Secret: other, Origin: hive.OriginRegistered},
		}
		registered := 0
		r := New("c", store, func(hive.Executor) { registered++ }, time.Now)
		_, err := r.RegisterExecutor(t.Context(), registration())
		var denied *hivego.AccessDenied
		if taken != (err == nil) || !taken && !errors.As(err, &denied) || (registered == 1) != taken {
			t.Errorf("secret %s: %v, registered %d times", other, err, registered)
		}
		if got := store.stored["x1"].Secret; got != other {
			t.Errorf("the secret is %s, not %s", got, other)
		}
	}
}

// away is a store whose database cannot be reached.
type away struct{ registrar }

func (away) GroupOf(context.Context, string) (string, error) {
	return "", hive.Errorf(hive.CodeUnavailable, "the database is out of reach")
}

// While the database is out of reach, no token is known to be wrong.
func TestTokenThatCannotBeRead(t *testing.T) {
	t.Parallel()
	r := New("c", away{registrar{map[string]hive.Executor{}}}, func(hive.Executor) {}, time.Now)
	_, rerr := r.RegisterExecutor(t.Context(), registration())
	_, derr := r.DeregisterExecutor(t.Context(), &hivego.DeregisterCall{Token: new("right"), ExecutorId: new("x1")})
	for what, err := range map[string]error{"register": rerr, "deregister": derr} {
		var denied *hivego.AccessDenied
		if err == nil || errors.As(err, &denied) || !strings.Contains(err.Error(), "out of reach") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
