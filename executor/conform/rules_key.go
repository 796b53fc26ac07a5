package conform

import (
	"context"
	"errors"
	"fmt"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// keyRules returns the rules of keys: an attempt is identified by its id and its key.
func keyRules() []rule {
	return []rule{
		{
			name: "describe.contract", check: describeContract,
			text: "a durable executor reports the number of its contract: 2",
			remedy: "keep attempts by id and key, and set contract to the constant CONTRACT; a server " +
				"refuses it otherwise",
		},
		{
			name: "key.submit", check: keySubmit,
			text:   "an id that was submitted before is another attempt with another key, and runs too",
			remedy: "look attempts up by attemptId and key together; a key that was left out is \"\"",
		},
		{
			name: "key.answers", check: keyAnswers,
			text:   "receipts, events, reports and statuses of kills contain the key of their attempt",
			remedy: "copy key wherever you copy attemptId",
		},
		{
			name: "key.attach", check: keyAttach,
			text:   "attach answers FORGOTTEN for a known id with another key, and that attempt never starts any more",
			remedy: "read keys beside attemptIds; write the tombstone for id and key",
		},
		{
			name: "key.kill", check: keyKill,
			text:   "kill of a known id with another key answers FORGOTTEN and kills nothing",
			remedy: "compare the key of a KillOrder before you end the work",
		},
		{
			name: "key.log", check: keyLog,
			text:   "readLog of a known id with another key finds nothing",
			remedy: "compare the key of a LogCall, and name log files by id and key",
		},
		{
			name: "key.release", check: keyRelease,
			text:   "an ack or a release with another key changes nothing",
			remedy: "compare the key of an Ack, and releaseKeys beside releases, before you forget",
		},
		{
			name: "key.lists", check: keyLists,
			text:   "keys and releaseKeys whose number differs from their ids are refused with BadCall",
			remedy: "compare the lengths before anything else; lists that were left out are all \"\"",
		},
	}
}

// contract is the number that durable executors report.
const contract = hivego.CONTRACT

func describeContract(_ context.Context, p *probe) error {
	if got := p.described.GetContract(); got < contract {
		return fmt.Errorf("contract is %d, and the contract of attempts with keys has number %d", got, contract)
	}
	return nil
}

// pair makes two assignments with the same id and different keys. Only the rule key.submit submits the other one.
func (p *probe) pair(params string) (a, other *hivego.Assignment) {
	a = p.assignment(params)
	a.Key = new(random())
	duplicate := *a
	duplicate.Key = new(random())
	return a, &duplicate
}

// paired makes a session with an attempt that has succeeded, and another one with the same id that is not submitted.
func (p *probe) paired(ctx context.Context) (s *session, first, other *hivego.Assignment, err error) {
	if s, err = p.attached(ctx); err != nil {
		return nil, nil, nil, err
	}
	first, other = p.pair(p.Work.Good)
	if err = s.expectReceipt(ctx, first, hivego.ReceiptCode_STARTED); err == nil {
		_, err = s.end(ctx, refOf(first))
	}
	if err != nil {
		s.finish()
		return nil, nil, nil, err
	}
	return s, first, other, nil
}

func keySubmit(ctx context.Context, p *probe) error {
	s, first, other, err := p.paired(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	if err := s.expectReceipt(ctx, other, hivego.ReceiptCode_STARTED); err != nil {
		return fmt.Errorf("the same id with another key: %w", err)
	}
	e, err := s.end(ctx, refOf(other))
	if err != nil {
		return fmt.Errorf("the same id with another key: %w", err)
	}
	if err := isKind(e.outcome, hivego.OutcomeKind_SUCCESS); err != nil {
		return fmt.Errorf("the same id with another key: %w", err)
	}
	r, err := s.state(ctx, refOf(first))
	if err != nil {
		return err
	}
	if err := isState(r, hivego.AttemptState_ENDED); err != nil {
		return fmt.Errorf("of the first attempt, after one with the same id has run, %w", err)
	}
	return nil
}

func keyAnswers(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	a, _ := p.pair(p.Work.Good)
	id := refOf(a)
	r, err := s.link.Submit(ctx, &hivego.SubmitCall{Caller: s.caller, Assignments: []*hivego.Assignment{a}})
	if err != nil {
		return fmt.Errorf("submit: %w", reported(ctx, err))
	}
	s.ours[id] = true
	for _, x := range r.GetReceipts() {
		if x.GetKey() != id.key {
			return fmt.Errorf("a receipt has the key %q, not %q", x.GetKey(), id.key)
		}
	}
	if _, err := s.end(ctx, id); err != nil {
		return fmt.Errorf("ENDED with its key: %w", err)
	}
	k, err := s.link.Kill(ctx,
		&hivego.KillCall{Caller: s.caller, Orders: []*hivego.KillOrder{{AttemptId: &id.id, Key: &id.key}}})
	if err != nil {
		return fmt.Errorf("kill: %w", reported(ctx, err))
	}
	for _, x := range k.GetStatuses() {
		if x.GetKey() != id.key {
			return fmt.Errorf("a status of a kill has the key %q, not %q", x.GetKey(), id.key)
		}
	}
	named, err := s.attach(ctx, id)
	if err != nil {
		return err
	}
	unnamed, err := s.attach(ctx)
	if err != nil {
		return err
	}
	for what, list := range map[string][]*hivego.AttemptReport{
		"attempts": named.GetAttempts(),
		"others":   unnamed.GetOthers(),
	} {
		for _, x := range list {
			if x.GetAttemptId() == id.id && x.GetKey() != id.key {
				return fmt.Errorf("a report in %s has the key %q, not %q", what, x.GetKey(), id.key)
			}
		}
	}
	return nil
}

func keyAttach(ctx context.Context, p *probe) error {
	s, first, other, err := p.paired(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	r, err := s.state(ctx, refOf(other))
	if err != nil {
		return err
	}
	if err := isState(r, hivego.AttemptState_FORGOTTEN); err != nil {
		return fmt.Errorf("of a known id with another key, %w", err)
	}
	if err := s.expectReceipt(ctx, other, hivego.ReceiptCode_FORGOTTEN); err != nil {
		return fmt.Errorf("a submit of it: %w", err)
	}
	if r, err = s.state(ctx, refOf(first)); err != nil {
		return err
	}
	if err := isState(r, hivego.AttemptState_ENDED); err != nil {
		return fmt.Errorf("of the attempt with its own key, %w", err)
	}
	return nil
}

// killPolls is how many polls wait for an end that must not come. The first ones are answered at once, with earlier
// events.
const killPolls = 4

func keyKill(ctx context.Context, p *probe) error {
	if err := p.needLong(); err != nil {
		return err
	}
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	first, other := p.pair(p.Work.Long)
	if err := s.expectReceipt(ctx, first, hivego.ReceiptCode_STARTED); err != nil {
		return err
	}
	if err := s.expectKill(ctx, refOf(other), hivego.KillCode_FORGOTTEN); err != nil {
		return fmt.Errorf("of a known id with another key, %w", err)
	}
	for range killPolls { // an end would be reported now
		if _, err := s.poll(ctx, pollCall{wait: pollWait}); err != nil {
			return err
		}
		if _, over := s.ended[refOf(first)]; over {
			return errors.New("after the kill of its id with another key, it ended")
		}
	}
	r, err := s.state(ctx, refOf(first))
	if err != nil {
		return err
	}
	if err := isState(r, hivego.AttemptState_RUNNING); err != nil {
		return fmt.Errorf("after the kill of its id with another key, %w", err)
	}
	return s.expectKill(ctx, refOf(first), hivego.KillCode_KILLING)
}

func keyLog(ctx context.Context, p *probe) error {
	s, first, other, err := p.paired(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	r, err := s.readLog(ctx, refOf(other), 0, maxLog)
	if err != nil {
		return err
	}
	if r.GetFound() || len(r.GetData()) > 0 {
		return fmt.Errorf("with another key, found = %t and %d bytes are answered", r.GetFound(), len(r.GetData()))
	}
	if r, err = s.readLog(ctx, refOf(first), 0, maxLog); err != nil {
		return err
	}
	if !r.GetFound() {
		return errors.New("with its own key the log is not found")
	}
	return nil
}

func keyRelease(ctx context.Context, p *probe) error {
	s, first, other, err := p.paired(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	id := refOf(first)
	before := s.ended[id]
	if _, err := s.poll(ctx, pollCall{acks: []*hivego.Ack{ack(refOf(other), before.seq)}}); err != nil {
		return err
	}
	if s.ended[id].reported != before.reported+1 {
		return errors.New("after an ack with another key, ENDED is not reported any more")
	}
	if _, err := s.poll(ctx, pollCall{releases: []ref{refOf(other)}}); err != nil {
		return err
	}
	if err := s.checkStored(ctx, id, true); err != nil {
		return fmt.Errorf("after a release with another key: %w", err)
	}
	if _, err := s.poll(ctx, pollCall{acks: []*hivego.Ack{ack(id, before.seq)}, releases: []ref{id}}); err != nil {
		return err
	}
	if err := s.checkStored(ctx, id, false); err != nil {
		return fmt.Errorf("after the release with its own key: %w", err)
	}
	return nil
}

func keyLists(ctx context.Context, p *probe) error {
	s, err := p.attached(ctx)
	if err != nil {
		return err
	}
	defer s.finish()
	ids, keys := []int64{p.ids.Add(1)}, []string{random(), random()}
	for _, call := range []struct {
		name string
		make func() error
	}{
		{"attach", func() error {
			_, err := s.link.Attach(ctx, &hivego.AttachCall{Caller: s.caller, AttemptIds: ids, Keys: keys})
			return err
		}},
		{"poll", func() error {
			_, err := s.link.Poll(ctx, &hivego.PollCall{Caller: s.caller, Releases: ids, ReleaseKeys: keys})
			return err
		}},
	} {
		err := call.make()
		if err == nil {
			return fmt.Errorf("%s with one id and two keys was answered", call.name)
		}
		if !isA[*hivego.BadCall](err) {
			return fmt.Errorf("%s with one id and two keys: %w", call.name, reported(ctx, err))
		}
	}
	return nil
}
