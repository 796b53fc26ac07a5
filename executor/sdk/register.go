package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

const (
	registerEvery = 30 * time.Second
	registerCall  = 10 * time.Second
	registerRetry = time.Second     // doubled at each failure, up to registerEvery
	goodbye       = 5 * time.Second // how long a stop waits for the server at most
)

// keepRegistered registers the executor with its server, and again at the interval that the server requests, until the
// executor stops. Then it deregisters.
func (e *Executor) keepRegistered() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-e.quit:
			cancel()
		case <-ctx.Done():
		}
	}()
	transport := &http.Transport{TLSClientConfig: e.cfg.ServerTLS, MaxIdleConns: 1, IdleConnTimeout: registerCall}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: registerCall}
	if e.cfg.Transport != nil {
		client.Transport = e.cfg.Transport
	}
	server := e.cfg.ServerURL
	if e.cfg.Transport != nil { // its address means nothing
		server = "in this process"
	}
	registered, retry := false, registerRetry
	for {
		again, err := e.register(ctx, client)
		switch {
		case ctx.Err() != nil: // the executor stops; the server may have registered it all the same
			e.deregister(client)
			return
		case err == nil:
			if !registered {
				e.log.Info("executor registered", "server", server)
			}
			registered, retry = true, registerRetry
		default:
			e.log.Warn("executor: not registered, will try again", "server", server, "error", err, "in", retry.String())
			registered, again = false, retry
			retry = min(2*retry, registerEvery)
		}
		timer := time.NewTimer(again)
		select {
		case <-timer.C:
		case <-e.quit:
			timer.Stop()
			e.deregister(client)
			return
		}
	}
}

// registry makes a client for one call; client reuses the HTTP connection.
func (e *Executor) registry(client *http.Client) (*hivego.RegistryClient, func(), error) {
	url := strings.TrimSuffix(e.cfg.ServerURL, "/") + "/thrift/registry"
	t, err := thrift.NewTHttpClientWithOptions(url, thrift.THttpClientOptions{Client: client})
	if err != nil {
		return nil, nil, err
	}
	conf := &thrift.TConfiguration{MaxMessageSize: maxFrame, MaxContainerSize: maxContainer}
	p := thrift.NewTBinaryProtocolConf(t, conf)
	return hivego.NewRegistryClient(thrift.NewTStandardClient(p, p)), func() { _ = t.Close() }, nil
}

// register registers this executor with the server and learns the cluster. It returns after how long to register again.
func (e *Executor) register(ctx context.Context, client *http.Client) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, registerCall)
	defer cancel()
	r, done, err := e.registry(client)
	if err != nil {
		return 0, err
	}
	defer done()
	address := e.cfg.Advertise
	if address == "" {
		address = e.address
	}
	reply, err := r.RegisterExecutor(ctx, &hivego.RegisterCall{
		Token: &e.cfg.Token, ExecutorId: &e.id.executorID, BootId: &e.id.bootID, Name: &e.cfg.Name, Group: &e.cfg.Group,
		Labels: e.cfg.Labels, Address: &address, TLS: new(e.cfg.TLS != nil), Secret: &e.id.secret,
		Slots: new(int32(e.cfg.Slots)), Handlers: infosOut(e.infos, e.durables), Version: &e.cfg.Version,
		Durable: new(true), Contract: new(int32(hivego.CONTRACT)),
	})
	if err != nil {
		return 0, explain(err)
	}
	if err := e.joinCluster(reply.GetClusterId()); err != nil {
		return 0, err
	}
	if again := millis(reply.GetAgainMillis()); again > 0 {
		return min(again, registerEvery), nil
	}
	return registerEvery, nil
}

// explain makes an error with a useful text for an exception of the server. The generated Error of such an exception
// would print a pointer instead of the message.
func explain(err error) error {
	if denied, ok := errors.AsType[*hivego.AccessDenied](err); ok {
		return fmt.Errorf("the server refuses this executor: %s", denied.GetMessage())
	}
	if wrong, ok := errors.AsType[*hivego.BadCall](err); ok {
		return fmt.Errorf("the server does not take this registration: %s", wrong.GetMessage())
	}
	return err
}

// joinCluster binds the executor to the cluster that it registered with.
func (e *Executor) joinCluster(id string) error {
	if id == "" {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	old := e.ledger.Cluster()
	st, ok := e.ledger.SetCluster(clock(), id)
	if !ok {
		return fmt.Errorf("this executor still runs attempts of cluster %s; it joins %s when they have ended", old, id)
	}
	if old != "" && old != id {
		e.log.Warn("executor: joined another cluster, and has forgotten the attempts of the former one",
			"old", old, "new", id)
	}
	e.commit(st, nil)
	return nil
}

// deregister tells the server that the executor stops.
func (e *Executor) deregister(client *http.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	r, done, err := e.registry(client)
	if err == nil {
		defer done()
		_, err = r.DeregisterExecutor(ctx, &hivego.DeregisterCall{
			Token: &e.cfg.Token, ExecutorId: &e.id.executorID, Secret: &e.id.secret, BootId: &e.id.bootID,
		})
	}
	if err != nil {
		e.log.Info("executor: the server could not be told of the stop", "error", explain(err))
	}
}
