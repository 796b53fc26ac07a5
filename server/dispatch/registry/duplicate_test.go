package registry

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

func TestDuplicateIsRefused(t *testing.T) {
	t.Parallel()
	store := registrar{map[string]hive.Executor{}}
	r := New("c", store, func(hive.Executor) { t.Error("the copy is taken in") }, time.Now)
	r.RefuseDuplicates(func(context.Context, hive.Executor) (string, error) { return "10.0.0.1:9999", nil })
	_, err := r.RegisterExecutor(t.Context(), registration())
	denied, ok := errors.AsType[*hivego.AccessDenied](err)
	if !ok || len(store.stored) > 0 || !strings.Contains(denied.GetMessage(), "10.0.0.1:9999") {
		t.Errorf("the copy is answered %v; %d stored", err, len(store.stored))
	}
}
