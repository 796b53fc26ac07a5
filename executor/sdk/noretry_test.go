package sdk_test

import (
	"context"
	"testing"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// A handler may mark its error: the outcome then asks not to retry, with the same text and exit code, also after a
// restart. Other failures ask for nothing.
func TestNoRetry(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	final := handler{"final", func(context.Context, *sdk.Task) error {
		return sdk.NoRetry(&sdk.Exit{Code: 4, Message: "bad data"})
	}}
	e := start(t, sdk.Config{Data: data}, final)
	s := connect(t, e, "s", 1)
	s.attach()
	for _, want := range []struct {
		id      int64
		handler string
		hivego.Outcome
	}{
		{1, "final", hivego.Outcome{Error: new("bad data"), ExitCode: new(int32(4)), NoRetry: new(true)}},
		{2, "fail", hivego.Outcome{Error: new("no luck"), ExitCode: new(int32(3))}},
	} {
		s.submit(assignment(want.id, want.handler))
		o := s.outcome(want.id)
		if o.GetKind() != hivego.OutcomeKind_FAILURE || o.GetError() != want.GetError() ||
			o.GetExitCode() != want.GetExitCode() || o.GetNoRetry() != want.GetNoRetry() ||
			o.IsSetNoRetry() != want.IsSetNoRetry() {
			t.Errorf("attempt %d: %v", want.id, o)
		}
	}
	e.Stop()
	s = connect(t, start(t, sdk.Config{Data: data}, final), "s", 2)
	s.attach(1)
	if o := s.outcome(1); !o.GetNoRetry() {
		t.Errorf("after a restart: %v", o)
	}
	if sdk.NoRetry(nil) != nil {
		t.Error("no error became one")
	}
}
