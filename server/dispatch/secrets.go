package dispatch

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// Secrets fetches the values of secrets.
type Secrets interface {
	// Fetch returns the values for an executor of a group, by name. refusal says why one of them cannot be had; err
	// says that the database could not be asked.
	Fetch(ctx context.Context, group string, names []string) (
		values map[string]string, refusal hive.Sentence, err error)
}

// Connections fetches connections of the server.
type Connections interface {
	// Fetch returns those of the named connections that there are, for an executor. private says that nobody reads what
	// is sent to it. One that it may not have says why, and has nothing else.
	Fetch(ctx context.Context, e *hive.Executor, private bool, names []string) ([]hive.Connection, error)
}

// fetchTime is how long the database may take to answer.
const fetchTime = 10 * time.Second

// maxSecrets is how many bytes the secrets of one task may take in a call. An executor would refuse a larger frame.
const maxSecrets = 4 << 20

// make makes a call. The secrets and connections of the assignments of a submit are fetched for the call alone: nothing
// keeps them.
func (s *Service) make(ctx context.Context, from wire.Caller, call fleet.SessionCall) fleet.Answer {
	c, ok := call.(*fleet.SubmitCall)
	if !ok || !slices.ContainsFunc(c.Assignments, needsFetch) {
		return s.client.Make(ctx, from, call)
	}
	sent := *c
	sent.Assignments = make([]hive.Assignment, 0, len(c.Assignments))
	secrets, refusals := wire.Confidentials{}, map[hive.AttemptRef]hive.Sentence{}
	away := false
	for i := range c.Assignments {
		a := c.Assignments[i]
		if away && needsFetch(a) {
			continue // as the one before: a call of many must not wait for the database many times
		}
		part, refusal, err := s.confidentialOf(ctx, &c.Executor, &a)
		if err != nil { // it is left out of the call, and comes again
			s.cfg.Log.Error("the secrets or connections of an attempt cannot be read; it is offered again",
				"attempt", a.Attempt, "error", err)
			away = true
			continue
		}
		if refusal.Text != "" {
			refusals[a.Ref()] = refusal
			a = withoutWork(&a)
		}
		secrets[a.Ref()] = part
		sent.Assignments = append(sent.Assignments, a)
	}
	if len(sent.Assignments) == 0 {
		return &fleet.SubmitAnswer{Call: c}
	}
	answer := s.client.Submit(ctx, from, &sent, secrets)
	switch got := answer.(type) {
	case *fleet.SubmitAnswer:
		got.Call = c
		for i := range got.Receipts {
			r := &got.Receipts[i]
			if words, ok := refusals[r.Attempt]; ok && r.Code == fleet.ReceiptRefused {
				r.Words = words
			}
		}
	case *fleet.Unanswered:
		got.Call = c
	}
	return answer
}

// needsFetch reports whether the database has a part of an assignment.
func needsFetch(a hive.Assignment) bool { return len(a.Secrets)+len(a.Connections) > 0 }

// private reports whether nobody reads what is sent to an executor.
func private(e *hive.Executor) bool { return e.TLS || onLoopback(e.Address) }

// confidentialOf returns the secrets and connections of an assignment, if its executor may have them. Refused
// connections are part of the result: the executor may have its own.
func (s *Service) confidentialOf(ctx context.Context, e *hive.Executor, a *hive.Assignment) (
	part wire.Confidential, refusal hive.Sentence, err error,
) {
	part.Secrets, refusal, err = s.secretsOf(ctx, e, a)
	if err != nil || refusal.Text != "" || len(a.Connections) == 0 || s.cfg.Connections == nil {
		return part, refusal, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	part.Connections, err = s.cfg.Connections.Fetch(ctx, e, private(e), a.Connections)
	return part, refusal, err
}

// withoutWork returns an assignment that no executor begins, because it names no handler. But an executor that has
// begun the attempt by an earlier call says so.
func withoutWork(a *hive.Assignment) hive.Assignment {
	return hive.Assignment{
		Attempt: a.Attempt, Key: a.Key, Executor: a.Executor, RunID: a.RunID, BatchID: a.BatchID, Schedule: a.Schedule,
		Job: a.Job, Task: a.Task, Number: a.Number, Round: a.Round, Moment: a.Moment, Workspace: a.Workspace,
	}
}

// secretsOf returns the secrets of an assignment, if its executor may have them.
func (s *Service) secretsOf(ctx context.Context, e *hive.Executor, a *hive.Assignment) (
	texts []wire.Secret, refusal hive.Sentence, err error,
) {
	if len(a.Secrets) == 0 {
		return nil, refusal, nil
	}
	if !private(e) {
		return nil, hive.NewSentence(hive.SentenceSecretOpen, "the secret ‹secret› is not sent to ‹executor›, which "+
			"speaks "+
			"no TLS; give that executor a certificate (`hivego certs`)",
			"secret", a.Secrets[0].Name, "executor", e.Name), nil
	}
	var names []string
	for _, use := range a.Secrets {
		if !slices.Contains(names, use.Name) {
			names = append(names, use.Name)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	values, refusal, err := s.cfg.Secrets.Fetch(ctx, e.Group, names)
	if err != nil || refusal.Text != "" {
		return nil, refusal, err
	}
	size := 0
	for _, use := range a.Secrets {
		value := values[use.Name]
		text := value
		if use.JSON {
			text = insideJSON(value)
		}
		texts = append(texts, wire.Secret{Mark: use.Mark, Text: text, Value: value})
		size += len(use.Mark) + len(text) + len(value)
	}
	if size > maxSecrets {
		return nil, hive.NewSentence(hive.SentenceSecretsLarge, "the secrets of the task take more than ‹most› bytes; "+
			"use fewer or smaller ones", "most", maxSecrets), nil
	}
	return texts, refusal, nil
}

// insideJSON encodes a text as it stands within the quotes of a JSON string.
func insideJSON(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // texts can always be written
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(data), `"`), `"`)
}

// onLoopback reports whether an address is on this machine.
func onLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
