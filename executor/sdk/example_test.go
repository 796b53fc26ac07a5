package sdk_test

import (
	"context"
	"fmt"

	"github.com/rprp/hivego/executor/sdk"
)

type greet struct{}

func (greet) Info() sdk.Info { return sdk.Info{Name: "greet", Title: "Greet"} }

func (greet) Run(_ context.Context, t *sdk.Task) error {
	t.Printf("hello %v", t.Values["name"])
	return t.Output("greeted", "yes")
}

func ExampleServe() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // a real program lets a signal do it
	err := sdk.Serve(ctx, sdk.Config{Listen: "everywhere"}, greet{})
	fmt.Println(err)
	// Output: executor: no data folder
}
