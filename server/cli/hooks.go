package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// printHooks lists the hooks that follow a batch, its jobs and its tasks, oldest first. Without any it prints nothing.
func printHooks(ctx context.Context, w io.Writer, api *client.ClientWithResponses, batch int64) error {
	limit := 500
	r, err := checked(api.ListBatchesWithResponse(ctx, &model.ListBatchesParams{HookOf: &batch, Limit: &limit}))
	if hive.CodeOf(err) == hive.CodeInvalid { // a server that is older than hooks does not know the parameter
		return nil
	}
	if err != nil || len(r.JSON200.Items) == 0 {
		return err
	}
	t := newTable("HOOKS", "OF", "AFTER", "ROUND", "STATE", "STARTED", "TOOK")
	now := time.Now()
	for i := range r.JSON200.Items {
		b := &r.JSON200.Items[len(r.JSON200.Items)-1-i]
		if b.Hook == nil {
			continue
		}
		of := string(b.Hook.Scope)
		if b.Hook.Key != "" {
			of += " " + b.Hook.Key
		}
		t.add(fmt.Sprint(b.ID), of, string(b.Hook.State), strconv.Itoa(b.Hook.Round),
			stateWord(b.State, b.Wish, b.Live), shortTime(b.RoundAt.Time), took(b.RoundAt.Time, b.FinishedAt.Time, now))
	}
	if len(t.rows) > 1 {
		fmt.Fprintln(w)
		t.print(w)
	}
	return nil
}
