package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// planFlags is what the command plan is given.
type planFlags struct {
	skip, hold, undo bool
	move             string
	params           []string
	reason           string
}

func planCommand(c *connection) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan NAME [MOMENT]",
		Short: "Change one coming moment of a schedule, undo that, or list the planned changes",
		Long: `Skip one coming moment of a schedule, move it, hold it or run it with other params. The schedule itself
stays as it is. The ledger keeps who did it and why. Without a moment, it lists the planned changes of the
schedule. --undo is possible until the moment is decided. hivego forecast lists the coming moments; hivego
release starts or skips a held one.`,
		Example: `  hivego plan warehouse 2026-12-01T02:00:00Z --skip --reason "inventory"
  hivego plan warehouse 2026-12-01T02:00:00Z --move 2026-12-01T05:00:00Z --param region=west --reason "late files"
  hivego plan warehouse 2026-12-01T02:00:00Z --undo
  hivego plan warehouse`,
		Args: cobra.RangeArgs(1, 2),
	}
	b := cmd.Flags()
	b.BoolVar(&f.skip, "skip", false, "make no batch")
	b.StringVar(&f.move, "move", "", "decide it at this moment (RFC 3339), or so long after its own (such as 3h)")
	b.BoolVar(&f.hold, "hold", false, "let it wait until a person releases it")
	b.StringArrayVar(&f.params, "param", nil, "k=v: value of a declared param; may be given several times")
	b.StringVar(&f.reason, "reason", "", "why; the ledger keeps it")
	b.BoolVar(&f.undo, "undo", false, "undo the planned change of the moment")
	cmd.MarkFlagsMutuallyExclusive("skip", "move", "hold", "undo")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			if cmd.Flags().NFlag() > 0 && !onlyFormat(cmd) {
				return errors.New("which moment? hivego forecast NAME lists them")
			}
			api, err := c.open()
			if err != nil {
				return err
			}
			return listPlanned(cmd, api, args[0], *out)
		}
		return plan(cmd, c, args[0], args[1], &f)
	}
	return cmd
}

// onlyFormat reports whether no flag of a change was given.
func onlyFormat(cmd *cobra.Command) bool {
	for _, name := range []string{"skip", "move", "hold", "param", "reason", "undo"} {
		if cmd.Flags().Changed(name) {
			return false
		}
	}
	return true
}

func plan(cmd *cobra.Command, c *connection, name, text string, f *planFlags) error {
	at, err := parseMoment(text)
	if err != nil {
		return err
	}
	moment := at.UTC().Format(time.RFC3339Nano)
	if f.undo {
		api, err := c.open()
		if err != nil {
			return err
		}
		if _, err = checked(api.UndoChangeWithResponse(cmd.Context(), name, moment)); err == nil {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s is as the schedule says\n", name, shortTime(at))
		}
		return err
	}
	req, err := f.request(at)
	if err != nil {
		return err
	}
	api, err := c.open()
	if err != nil {
		return err
	}
	r, err := checked(api.PlanChangeWithResponse(cmd.Context(), name, moment, req))
	if err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s: %s\n", name, shortTime(at), changeWords(r.JSON200))
	}
	return err
}

// request turns the flags into a request.
func (f *planFlags) request(at time.Time) (model.PlanChangeRequest, error) {
	req := model.PlanChangeRequest{Reason: f.reason}
	if f.reason == "" {
		return req, errors.New("say why, with --reason")
	}
	var err error
	if req.Params, err = pairs(f.params); err != nil {
		return req, err
	}
	switch {
	case f.skip:
		req.Action = model.ChangeActionSkip
	case f.hold:
		req.Action = model.ChangeActionHold
	case f.move != "":
		req.Action = model.ChangeActionMove
		if d, err := hive.ParseDuration(f.move); err == nil {
			req.To.Time = at.Add(d.Std())
		} else if req.To.Time, err = parseMoment(f.move); err != nil {
			return req, fmt.Errorf("--move: %w", err)
		}
	case len(req.Params) > 0:
		req.Action = model.ChangeActionParams
	default:
		return req, errors.New("say what to do: --skip, --move, --hold, --param or --undo")
	}
	return req, nil
}

// changeWords describes a planned change.
func changeWords(c *model.PlannedChange) string {
	words := string(c.Action)
	if c.Action == model.ChangeActionMove {
		words += " to " + shortTime(c.To.Time)
	}
	if len(c.Params) > 0 && c.Action != model.ChangeActionParams {
		words += " with params"
	}
	if text, err := json.Marshal(c.Params); err == nil && len(c.Params) > 0 {
		words += " " + string(text)
	}
	return words
}

func listPlanned(cmd *cobra.Command, api *client.ClientWithResponses, name string, output format) error {
	r, err := checked(api.ListPlannedChangesWithResponse(cmd.Context(), name))
	if err != nil {
		return err
	}
	if output == formatJSON {
		return printJSON(cmd.OutOrStdout(), r.JSON200.Items)
	}
	t := newTable("MOMENT", "CHANGE", "STATE", "BY", "SINCE", "REASON")
	for i := range r.JSON200.Items {
		c := &r.JSON200.Items[i]
		t.add(shortTime(c.Moment.Time), changeWords(c), string(c.State), c.By, shortTime(c.At.Time), oneLine(c.Reason))
	}
	t.print(cmd.OutOrStdout())
	return nil
}
