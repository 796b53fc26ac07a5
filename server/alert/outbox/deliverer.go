package outbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/alert/channel"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

const (
	// lease is for how long deliveries belong to a server, unless it renews the lease.
	lease = 2*channel.Timeout + 2*renewal
	// renewal is the pause between two renewals of a lease while a message is being sent: a mail to many recipients
	// takes longer than a lease.
	renewal = 30 * time.Second
	// together limits the deliveries of one message.
	together = 100
	// atOnce is how many messages a server sends at the same time.
	atOnce = 4
	// idle is the longest time between two looks for due deliveries, which other servers may have stored.
	idle = 10 * time.Second
)

// waits returns the pauses before the next tries. After the last one a message is given up: after about a day.
func waits() []time.Duration {
	return []time.Duration{
		30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour,
		3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	}
}

// DeliveryStore leases deliveries, and notes what becomes of them.
type DeliveryStore interface {
	NextDelivery(ctx context.Context) (time.Time, error)
	LeaseDeliveries(ctx context.Context, server string, lease time.Duration, now time.Time, limit int) (
		hive.DueDeliveries, error)
	RenewDeliveries(ctx context.Context, server string, ids []int64, lease time.Duration) (held bool, err error)
	EndDeliveries(ctx context.Context, server string, ids []int64, state hive.DeliveryState, due time.Time,
		try hive.AlertTry) error
}

// Send makes one try to send a message. A failure is a *channel.Error.
type Send func(ctx context.Context, def *hive.ChannelDefinition, secrets map[string]string, m *alert.Message) (
	answer string, err error)

// DelivererConfig holds the dependencies of a Deliverer.
type DelivererConfig struct {
	Store     DeliveryStore
	Documents *Documents
	Send      Send
	Server    string        // id of this server
	Renewal   time.Duration // pause between two renewals of a lease; 30 s when 0
	Base      func() string // the address that people open
	Now       func() time.Time
	Log       *slog.Logger
}

// Deliverer sends what is due. Start sets it going; Notify tells it that there may be something new.
type Deliverer struct {
	*service.Sweeper
	config DelivererConfig
}

// NewDeliverer makes a Deliverer.
func NewDeliverer(c DelivererConfig) *Deliverer {
	c.Renewal = cmp.Or(c.Renewal, renewal)
	d := &Deliverer{config: c}
	d.Sweeper = service.NewSweeper(func(ctx context.Context) time.Duration {
		if err := d.RunOnce(ctx); err != nil && ctx.Err() == nil {
			d.config.Log.Warn("messages of alerts cannot be sent now; trying again", "error", err)
			return idle
		}
		return d.pause(ctx)
	})
	return d
}

// pause returns the time until the next delivery is due.
func (d *Deliverer) pause(ctx context.Context) time.Duration {
	next, err := d.config.Store.NextDelivery(ctx)
	if err != nil || next.IsZero() {
		return idle
	}
	return min(max(next.Sub(d.config.Now()), time.Second), idle)
}

// RunOnce sends all messages that are due, and returns once each has been tried. Start calls it in a loop.
func (d *Deliverer) RunOnce(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	slots := make(chan struct{}, atOnce)
	var failed []error
	var lock sync.Mutex
	for ctx.Err() == nil {
		slots <- struct{}{}
		due, err := d.config.Store.LeaseDeliveries(ctx, d.config.Server, lease, d.config.Now(), together)
		if err != nil || len(due.Deliveries) == 0 {
			group.Wait()
			return errors.Join(append(failed, err)...)
		}
		group.Go(func() {
			defer func() { <-slots }()
			if err := d.deliver(ctx, &due); err != nil {
				lock.Lock()
				defer lock.Unlock()
				failed = append(failed, err)
			}
		})
	}
	return ctx.Err()
}

// deliver makes one try to send leased deliveries as one message.
func (d *Deliverer) deliver(ctx context.Context, due *hive.DueDeliveries) error {
	ids := make([]int64, len(due.Deliveries))
	tries := 0
	for i := range due.Deliveries {
		ids[i] = due.Deliveries[i].ID
		tries = max(tries, due.Deliveries[i].Tries)
	}
	rule, err := d.rule(ctx, due.Rule)
	if err != nil {
		return err
	}
	try := hive.AlertTry{Message: messageID(ids), Server: d.config.Server, At: d.config.Now().UTC()}
	began := time.Now()
	held, release := d.hold(ctx, ids)
	answer, err := d.send(held, due, rule, try.Message, "")
	release()
	if stopped := ctx.Err(); stopped != nil {
		return stopped // the lease ends, and another try follows
	}
	try.Took, try.Done, try.Detail = time.Since(began), err == nil, answer
	state, next := hive.DeliverySent, time.Time{}
	if err != nil {
		why, known := errors.AsType[*channel.Error](err)
		if !known {
			return err // nothing was tried
		}
		try.Detail = why.Detail
		state, next = verdict(why, tries, try.At)
		if state == hive.DeliveryPending {
			next = rule.Loud(next)
		}
		d.config.Log.Warn("a message of an alert was not delivered", "rule", due.Rule, "channel", due.Channel,
			"message", try.Message, "try", tries+1, "state", state, "error", why.Detail)
	}
	return d.config.Store.EndDeliveries(ctx, d.config.Server, ids, state, next, try)
}

// hold keeps the lease of deliveries until release is called. If the lease cannot be kept, the context ends so early
// that the mail under way ends before another server may begin.
func (d *Deliverer) hold(ctx context.Context, ids []int64) (held context.Context, release func()) {
	held, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		defer cancel()
		tick := time.NewTicker(d.config.Renewal)
		defer tick.Stop()
		kept := time.Now()
		for {
			select {
			case <-held.Done():
				return
			case <-tick.C:
			}
			ask, done := context.WithTimeout(held, renewal)
			mine, err := d.config.Store.RenewDeliveries(ask, d.config.Server, ids, lease)
			done()
			switch {
			case err == nil && mine:
				kept = time.Now()
			case err == nil || time.Since(kept) > renewal:
				d.config.Log.Warn("the lease of a message of an alert is lost; no further mail of it is sent",
					"error", err)
				return
			}
		}
	})
	return held, func() { cancel(); group.Wait() }
}

// verdict decides what follows a failed try, given the number of those before.
func verdict(why *channel.Error, before int, now time.Time) (hive.DeliveryState, time.Time) {
	pauses := waits()
	if !why.Retry || before >= len(pauses) {
		return hive.DeliveryFailed, time.Time{}
	}
	return hive.DeliveryPending, now.Add(max(pauses[before], why.After))
}

// rule returns a rule. Of a deleted one, the name is left.
func (d *Deliverer) rule(ctx context.Context, name string) (*alert.Rule, error) {
	rules, err := d.config.Documents.Rules(ctx)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(rules, func(r *alert.Rule) bool { return r.Name == name }); i >= 0 {
		return rules[i], nil
	}
	return alert.NewRule(&hive.AlertDefinition{Name: name}), nil
}

// send sends a message to its channel, in the channel's language if it is empty. An error that is no *channel.Error
// means that nothing was tried.
func (d *Deliverer) send(
	ctx context.Context, due *hive.DueDeliveries, rule *alert.Rule, id, language string,
) (string, error) {
	all, err := d.config.Documents.channels(ctx)
	if err != nil {
		return "", err
	}
	to, ok := all[due.Channel]
	if !ok {
		return "", &channel.Error{Detail: fmt.Sprintf("there is no channel %q any more", due.Channel)}
	}
	secrets, err := d.secrets(ctx, to.row.ID)
	if err != nil {
		return "", err
	}
	return d.sendTo(ctx, to.doc.Channel, secrets, due, rule, id, language)
}

// secrets opens the secrets of a stored channel. An error that is no *channel.Error means that nothing was tried.
func (d *Deliverer) secrets(ctx context.Context, stored int64) (map[string]string, error) {
	secrets, err := d.config.Documents.store.OpenChannelSecrets(ctx, stored)
	if err != nil && !errors.Is(err, hive.ErrConnection) {
		return nil, &channel.Error{Detail: err.Error()}
	}
	return secrets, err
}

func (d *Deliverer) sendTo(ctx context.Context, def *hive.ChannelDefinition, secrets map[string]string,
	due *hive.DueDeliveries, rule *alert.Rule, id, language string,
) (string, error) {
	m := alert.Render(id, rule, due.Events, alert.Context{
		Language: cmp.Or(language, def.Language), Base: d.config.Base(), Now: d.config.Now(),
		Escalation: due.Escalation,
	})
	return d.config.Send(ctx, def, secrets, &m)
}

// messageID makes the id of a message of its deliveries. A message that is sent again has the same id, unless more has
// joined it.
func messageID(ids []int64) string {
	sum := sha256.Sum256(fmt.Append(nil, ids))
	return "alert-" + hex.EncodeToString(sum[:10])
}

// Test sends a test message to a channel at once; in the channel's language if it is empty. What keeps it from being
// sent is part of the result.
func (d *Deliverer) Test(ctx context.Context, name, language string) (hive.ChannelTest, error) {
	ctx, cancel := context.WithTimeout(ctx, channel.Timeout)
	defer cancel()
	due, rule, id := d.test(name)
	return tested(d.send(ctx, due, rule, id, language))
}

// Try sends a test message at once to a channel that need not be stored. What keeps it from being sent is part of the
// result.
func (d *Deliverer) Try(ctx context.Context, r hive.PreparedTrial) (hive.ChannelTest, error) {
	ctx, cancel := context.WithTimeout(ctx, channel.Timeout)
	defer cancel()
	due, rule, id := d.test(r.Channel.Name)
	secrets := map[string]string{}
	if r.Stored != 0 {
		stored, err := d.secrets(ctx, r.Stored)
		if err != nil {
			return tested("", err)
		}
		maps.Copy(secrets, stored)
	}
	maps.Copy(secrets, r.Secrets)
	// What is stored shows who changed a channel. Here only the log does.
	d.config.Log.Info("a test is sent to a channel that is not saved", "channel", r.Channel.Name, "by", r.By)
	return tested(d.sendTo(ctx, r.Channel, secrets, due, rule, id, r.Language))
}

// test makes the only delivery of a test message, with its rule and the id of the message.
func (d *Deliverer) test(name string) (*hive.DueDeliveries, *alert.Rule, string) {
	now := d.config.Now().UTC()
	e := hive.AlertEvent{Kind: hive.AlertTest, At: now, Key: "test", AlertFacets: hive.AlertFacets{Channel: name}}
	due := &hive.DueDeliveries{AlertPair: hive.AlertPair{Rule: "test", Channel: name}, Events: []hive.AlertEvent{e}}
	return due, alert.NewRule(&hive.AlertDefinition{Name: "test"}), fmt.Sprintf("alert-test-%d", now.UnixMilli())
}

// tested makes the result of a test.
func tested(answer string, err error) (hive.ChannelTest, error) {
	if why, ok := errors.AsType[*channel.Error](err); ok {
		return hive.ChannelTest{Detail: why.Detail}, nil
	}
	return hive.ChannelTest{Sent: err == nil, Detail: answer}, err
}
