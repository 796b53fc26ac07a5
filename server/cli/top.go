package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// topLimit is how many batches top lists unless told otherwise.
const topLimit = 20

// topAtLeast is the shortest time between two looks at the server.
const topAtLeast = 500 * time.Millisecond

func topCommand(c *connection) *cobra.Command {
	var once bool
	every := "2s"
	limit := topLimit
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch what runs, in a terminal",
		Long: `Shows the live batches with their tasks by state, and the executors with their slots, again and again
until Ctrl-C. If the server goes away, it waits for it. With --once, with -o json, or if the output is no terminal, it
shows them once.`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.BoolVar(&once, "once", false, "show it once, for scripts")
	f.StringVar(&every, "every", every, "how often to look, at least 500ms")
	f.IntVar(&limit, "limit", limit, "at most so many batches")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		pause, err := hive.ParseDuration(every)
		switch {
		case err != nil:
			return fmt.Errorf("--every: %w", err)
		case pause.Std() < topAtLeast:
			return fmt.Errorf("--every %s: at least %s", every, topAtLeast)
		case limit < 1 || limit > 200:
			return fmt.Errorf("--limit %d: between 1 and 200", limit)
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		look := func(ctx context.Context) (*picture, error) { return takePicture(ctx, api, limit) }
		w := cmd.OutOrStdout()
		if *out == formatJSON {
			p, err := look(cmd.Context())
			if err != nil {
				return err
			}
			return printJSON(w, p)
		}
		if once || !isTerminal(w) {
			p, err := look(cmd.Context())
			if err != nil {
				return err
			}
			p.print(w)
			return nil
		}
		return showLive(cmd.Context(), w, pause.Std(), look)
	}
	return cmd
}

// picture is what top shows.
type picture struct {
	Overview  model.Overview       `json:"overview"`
	Batches   []model.BatchSummary `json:"batches"` // live ones, newest first
	More      bool                 `json:"more"`    // there are more batches than were asked for
	Executors []model.Executor     `json:"executors"`
}

func takePicture(ctx context.Context, api *client.ClientWithResponses, limit int) (*picture, error) {
	o, err := checked(api.GetOverviewWithResponse(ctx))
	if err != nil {
		return nil, err
	}
	live := true
	b, err := checked(api.ListBatchesWithResponse(ctx, &model.ListBatchesParams{Live: &live, Limit: &limit}))
	if err != nil {
		return nil, err
	}
	x, err := checked(api.ListExecutorsWithResponse(ctx))
	if err != nil {
		return nil, err
	}
	return &picture{
		Overview: *o.JSON200, Batches: b.JSON200.Items, More: b.JSON200.Next != 0,
		Executors: x.JSON200.Items,
	}, nil
}

// print writes the picture as plain text.
func (p *picture) print(w io.Writer) {
	o := &p.Overview
	fmt.Fprintf(w, "Batches  %d running, %d queued, %d late, %d for a person\n", o.Running, o.Queued, o.Late,
		o.NeedsPerson)
	counts := model.Counts{}
	for i := range p.Batches {
		for state, n := range p.Batches[i].Counts {
			counts[state] += n
		}
	}
	words := stateCounts(counts)
	if p.More {
		words += ", and those of more batches"
	}
	fmt.Fprintf(w, "Tasks    %s\n", words)
	fmt.Fprintf(w, "Slots    %d of %d in use, executors online: %d\n", o.Busy, o.Slots, o.Executors)
	for _, a := range o.Alarms {
		fmt.Fprintf(w, "Alarm    %s\n", oneLine(a.Detail))
	}
	if len(p.Batches) > 0 {
		fmt.Fprintln(w)
		t := newTable("BATCH", "SCHEDULE", "STATE", "SINCE", "TASKS")
		for i := range p.Batches {
			b := &p.Batches[i]
			t.add(fmt.Sprint(b.ID), dash(b.Schedule), stateWord(b.State, b.Wish, b.Live), shortTime(b.RoundAt.Time),
				stateCounts(b.Counts))
		}
		t.print(w)
	}
	if len(p.Executors) > 0 {
		fmt.Fprintln(w)
		t := newTable("EXECUTOR", "GROUP", "RUNNING", "SLOTS", "STATE")
		for i := range p.Executors {
			e := &p.Executors[i]
			t.add(e.Name, e.Group, fmt.Sprint(e.Running), fmt.Sprint(e.Slots), executorState(e))
		}
		t.print(w)
	}
}

// stateCounts lists how many runs are in which state, in the order of the states.
func stateCounts(counts model.Counts) string {
	var parts []string
	for _, s := range hive.RunStates() {
		if n := counts[string(s)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return dash(strings.Join(parts, ", "))
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Controls of a terminal.
const (
	// otherScreen begins a screen of its own, without a cursor and without wrapping long lines.
	otherScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	ownScreen   = "\x1b[?7h\x1b[?25h\x1b[?1049l" // puts everything back
	topLeft     = "\x1b[H"
	clearLine   = "\x1b[K"
	clearBelow  = "\x1b[J"
)

// showLive shows one picture after another until ctx ends. The first error ends it, a later one is shown, and the
// picture stays.
func showLive(ctx context.Context, w io.Writer, every time.Duration,
	look func(ctx context.Context) (*picture, error),
) error {
	p, err := look(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(w, otherScreen)
	defer fmt.Fprint(w, ownScreen)
	for {
		if err := show(w, p, err); err != nil {
			return err
		}
		if wait(ctx, every) != nil {
			return nil // somebody has ended it
		}
		var next *picture
		if next, err = look(ctx); err == nil {
			p = next
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// show writes a whole picture at once, over the one before, so that nothing flickers.
func show(w io.Writer, p *picture, trouble error) error {
	var text, screen bytes.Buffer
	p.print(&text)
	screen.WriteString(topLeft)
	if trouble != nil {
		fmt.Fprintf(&screen, "%s%s\n", oneLine(trouble.Error()), clearLine)
	}
	for line := range strings.Lines(text.String()) {
		screen.WriteString(strings.TrimSuffix(line, "\n") + clearLine + "\n")
	}
	screen.WriteString(clearBelow)
	_, err := w.Write(screen.Bytes())
	return err
}
