package sdk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

const secretValue = "co\"rrect\nhorse"

func secretAssignment(id int64, handler string) *hivego.Assignment {
	a := assignment(id, handler)
	a.ParamsJson = new(`{"a": "x <A> y", "b": {"<A>": ["<A>"]}, "n": 12345678901234567890, "j": "{\"p\": \"<J>\"}"}`)
	a.Secrets = []*hivego.SecretText{
		{Mark: new("<A>"), Text: new(secretValue), Value: new(secretValue)},
		{Mark: new("<J>"), Text: new(`co\"rrect\nhorse`), Value: new(secretValue)},
	}
	return a
}

// filesWith lists the files of a folder that contain a text.
func filesWith(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), text) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A handler gets the values in its params. Its log, error and outputs have them masked, and no file of the executor has
// one.
func TestSecrets(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	params := make(chan string, 2)
	leak := handler{"leak", func(_ context.Context, t *sdk.Task) error {
		params <- string(t.Params)
		t.Printf("it is %s", secretValue)
		_, _ = t.Log().Write([]byte("in two: co\"rrect\nho"))
		_, _ = t.Log().Write([]byte("rse"))
		if err := t.Output("out", secretValue); err != nil {
			return err
		}
		return errors.New("failed with " + secretValue)
	}}
	e := start(t, sdk.Config{Data: data}, leak)
	s := connect(t, e, "s", 1)
	s.attach()
	s.submit(secretAssignment(1, "leak"))
	want := `{"a":"x co\"rrect\nhorse y","b":{"\u003cA\u003e":["co\"rrect\nhorse"]},` +
		`"j":"{\"p\": \"co\\\"rrect\\nhorse\"}","n":12345678901234567890}`
	if got := <-params; got != want {
		t.Errorf("params %s, want %s", got, want)
	}
	o := s.outcome(1)
	if o.GetError() != "failed with ***" || o.GetOutputs()["out"] != "***" {
		t.Errorf("error %q, outputs %v", o.GetError(), o.GetOutputs())
	}
	text, _ := s.log(1)
	if strings.Contains(text, "rrect") || strings.Contains(text, "horse") || !strings.Contains(text, "it is ***") ||
		!strings.Contains(text, "in two: ***") {
		t.Errorf("log %s", text)
	}
	if found := filesWith(t, data, "rrect"); found != nil {
		t.Errorf("files with the value: %v", found)
	}
}

// A refusal quotes no value.
func TestRefusedSecret(t *testing.T) {
	t.Parallel()
	strict := checking{handler{"strict", nil}}
	e := start(t, sdk.Config{}, strict)
	s := connect(t, e, "s", 1)
	s.attach()
	r := s.submit(secretAssignment(1, "strict"))[0]
	if r.GetCode() != hivego.ReceiptCode_REFUSED || strings.Contains(r.GetWords(), "rrect") ||
		!strings.Contains(r.GetWords(), "***") {
		t.Errorf("receipt %v %q", r.GetCode(), r.GetWords())
	}
}

// checking refuses everything, with its params.
type checking struct{ handler }

func (checking) Check(*sdk.Task) error { return errors.New("unfit: " + secretValue) }

// resuming is a handler that stores a checkpoint and waits.
type resuming struct{ stored chan error }

func (resuming) Info() sdk.Info { return sdk.Info{Name: "resuming"} }

func (h resuming) Run(ctx context.Context, t *sdk.Task) error {
	h.stored <- t.Checkpoint([]byte("state"))
	<-ctx.Done()
	return context.Cause(ctx)
}

func (h resuming) Resume(context.Context, *sdk.Task, []byte) error {
	h.stored <- errors.New("it was resumed without its secrets")
	return nil
}

// No checkpoint has a value. So the attempt is lost at a restart, and a new one fetches its secrets again.
func TestNoCheckpointOfSecrets(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	h := resuming{make(chan error, 2)}
	e := start(t, sdk.Config{Data: data}, h)
	s := connect(t, e, "s", 1)
	s.attach()
	s.submit(secretAssignment(1, "resuming"))
	if err := <-h.stored; err != nil {
		t.Fatal(err)
	}
	if found := filesWith(t, data, "rrect"); found != nil {
		t.Errorf("files with the value: %v", found)
	}
	e.Stop()
	e = start(t, sdk.Config{Data: data}, h)
	s = connect(t, e, "s", 1)
	s.attach(1)
	if o := s.outcome(1); o.GetKind() != hivego.OutcomeKind_LOST {
		t.Errorf("outcome %v", o.GetKind())
	}
	select {
	case err := <-h.stored:
		t.Error(err)
	case <-time.After(time.Millisecond):
	}
}

// A mark that stands in many places cannot make params that fill the memory.
func TestSecretInTooManyPlaces(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{}, handler{"leak", nil})
	s := connect(t, e, "s", 1)
	s.attach()
	a := secretAssignment(1, "leak")
	a.ParamsJson = new(`{"a": "` + strings.Repeat("<A>", 2000) + `"}`)
	a.Secrets = []*hivego.SecretText{{
		Mark: new("<A>"), Text: new(strings.Repeat("s", 16<<10)), Value: new(strings.Repeat("s", 16<<10)),
	}}
	r := s.submit(a)[0]
	if r.GetCode() != hivego.ReceiptCode_REFUSED || !strings.Contains(r.GetWords(), "use them in fewer places") {
		t.Errorf("receipt %v %q", r.GetCode(), r.GetWords())
	}
}
