package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// files returns the values of -f and the arguments after it: `-f a.yaml b.yaml` names two files.
func files(flag, args []string) ([]string, error) {
	all := append(append([]string{}, flag...), args...)
	if len(all) == 0 {
		return nil, errors.New("name a file with -f FILE; - is standard input")
	}
	return all, nil
}

func applyCommand(c *connection, handlers []hive.Handler) *cobra.Command {
	var flag []string
	var base int64
	var note string
	cmd := &cobra.Command{
		Use:   "apply -f FILE...",
		Short: "Save schedules, calendars, connections, and rules and channels of alerts on the server",
		Long: `Saves each file as the newest revision of what it names: a schedule, a calendar, a connection, a rule of
alerts or a channel. A file that says what the newest revision says makes no new one. All files are checked before
the first one is saved. Calendars and connections are saved before schedules, and channels before rules.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := files(flag, args)
			if err != nil {
				return err
			}
			params := model.PutScheduleParams{Note: given(note)}
			if cmd.Flags().Changed("base") {
				params.Base = &base
			}
			if params.Base != nil && len(names) > 1 {
				return errors.New("--base is for one file")
			}
			return apply(cmd, c, handlers, names, &params)
		},
	}
	cmd.Flags().StringArrayVarP(&flag, "file", "f", nil, "file to save; - is standard input")
	cmd.Flags().Int64Var(&base, "base", 0,
		"refuse if the newest revision is not this one; 0: if there is such a schedule")
	cmd.Flags().StringVar(&note, "note", "", "what was changed and why, for the history of the schedules")
	return cmd
}

func apply(cmd *cobra.Command, c *connection, handlers []hive.Handler, names []string,
	params *model.PutScheduleParams,
) error {
	api, err := c.open()
	if err != nil {
		return err
	}
	all := make([]*parsed, 0, len(names))
	refused := false
	for _, name := range names {
		p, err := parseFile(cmd, name)
		if err != nil {
			return err
		}
		if hive.Refused(p.faults) {
			// The server will not be asked here, although it knows what its executors offer. So also print the faults
			// of params.
			p.check(handlers)
		}
		p.print(cmd.ErrOrStderr())
		refused = refused || hive.Refused(p.faults)
		all = append(all, p)
	}
	if refused {
		return errors.New("nothing was saved")
	}
	// Schedules may name calendars and connections, and rules channels.
	for _, kind := range []string{
		hive.KindCalendar, hive.KindConnection, hive.KindSchedule, hive.KindChannel, hive.KindAlert,
	} {
		for _, p := range all {
			for _, d := range p.documents {
				if d.Kind() != kind {
					continue
				}
				if err := p.save(cmd, api, d, params); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// save sends one document of a file. A file with a single document is sent unchanged, so that the server's faults have
// the file's lines. The server may find more faults, because it knows what executors offer.
func (p *parsed) save(
	cmd *cobra.Command, api *client.ClientWithResponses, d *document.Document, params *model.PutScheduleParams,
) error {
	text := d.Canonical
	if len(p.documents) == 1 {
		text = p.text
	}
	saved, err := put(cmd.Context(), api, d, text, params)
	if e, ok := errors.AsType[*hive.Error](err); ok && len(e.Faults) > 0 {
		p.printNew(cmd.ErrOrStderr(), d, e.Faults)
		return fmt.Errorf("%s was not saved", d.Name())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d.Name(), err)
	}
	more := make([]hive.Fault, 0, len(saved.Faults))
	for _, f := range saved.Faults {
		more = append(more, fault(f))
	}
	p.printNew(cmd.ErrOrStderr(), d, more)
	printSaved(cmd, saved)
	return nil
}

// put sends a document of any kind.
func put(ctx context.Context, api *client.ClientWithResponses, d *document.Document, text []byte,
	params *model.PutScheduleParams,
) (*model.Saved, error) {
	const yaml = "application/yaml"
	body := bytes.NewReader(text)
	switch d.Kind() {
	case hive.KindCalendar:
		r, err := checked(api.PutCalendarWithBodyWithResponse(ctx, d.Name(),
			&model.PutCalendarParams{Base: params.Base, Note: params.Note}, yaml, body))
		if err != nil {
			return nil, err
		}
		return r.JSON200, nil
	case hive.KindConnection:
		r, err := checked(api.PutConnectionWithBodyWithResponse(ctx, d.Name(),
			&model.PutConnectionParams{Base: params.Base}, yaml, body))
		if err != nil {
			return nil, err
		}
		return r.JSON200, nil
	case hive.KindAlert:
		r, err := checked(api.PutAlertRuleWithBodyWithResponse(ctx, d.Name(),
			&model.PutAlertRuleParams{Base: params.Base, Note: params.Note}, yaml, body))
		if err != nil {
			return nil, err
		}
		return r.JSON200, nil
	case hive.KindChannel:
		r, err := checked(api.PutChannelWithBodyWithResponse(ctx, d.Name(),
			&model.PutChannelParams{Base: params.Base, Note: params.Note}, yaml, body))
		if err != nil {
			return nil, err
		}
		return r.JSON200, nil
	}
	r, err := checked(api.PutScheduleWithBodyWithResponse(ctx, d.Name(), params, yaml, body))
	if err != nil {
		return nil, err
	}
	return r.JSON200, nil
}

func printSaved(cmd *cobra.Command, s *model.Saved) {
	if s.Changed {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: saved as revision %d\n", s.Name, s.Revision)
	} else {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: unchanged, revision %d\n", s.Name, s.Revision)
	}
}

func exportCommand(c *connection) *cobra.Command {
	var number int64
	cmd := &cobra.Command{
		Use:   "export NAME",
		Short: "Print a schedule as YAML",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := c.open()
			if err != nil {
				return err
			}
			r, err := checked(api.ExportScheduleWithResponse(cmd.Context(), args[0],
				&model.ExportScheduleParams{Revision: given(number)}))
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(r.Body)
			return err
		},
	}
	cmd.Flags().Int64Var(&number, "revision", 0, "number of the revision; the newest if left out")
	return cmd
}

func schedulesCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedules",
		Short: "List schedules, and when they are due next",
		Args:  cobra.NoArgs,
	}
	archived, descending := false, false
	var find, tag, owner, show, order string
	cmd.Flags().BoolVar(&archived, "archived", false, "list the archived schedules instead")
	cmd.Flags().StringVar(&find, "find", "",
		"list schedules with all these words in their names, titles, tags or owners")
	cmd.Flags().StringVar(&tag, "tag", "", "list schedules with this tag")
	cmd.Flags().StringVar(&owner, "owner", "", "list schedules with this owner")
	cmd.Flags().StringVar(&show, "show", "", "list schedules in one state: person, running, late or disabled")
	cmd.Flags().StringVar(&order, "sort", "name", "order of the list: name, need, next or usual")
	cmd.Flags().BoolVar(&descending, "desc", false, "the other direction of the order")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		limit := 500
		all := []model.ScheduleSummary{}
		params := model.ListSchedulesParams{
			Limit: &limit, Archived: &archived, Find: given(find), Tag: given(tag), Owner: given(owner),
			Show: (*model.ListSchedulesParamsShow)(given(show)), Sort: (*model.ListSchedulesParamsSort)(given(order)),
			Desc: &descending,
		}
		for {
			r, err := checked(api.ListSchedulesWithResponse(cmd.Context(), &params))
			if err != nil {
				return err
			}
			all = append(all, r.JSON200.Items...)
			if params.After = &r.JSON200.Next; r.JSON200.Next == "" {
				break
			}
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), all)
		}
		t := newTable("NAME", "STATE", "REVISION", "NEXT", "UPDATED", "TITLE")
		for i := range all {
			s := &all[i]
			state, next := "enabled", "-"
			switch {
			case s.Deleting:
				state = "deleting"
			case archived:
				state = "archived"
			case !s.Enabled:
				state = "disabled"
			case s.Finished != "":
				state = "finished"
			}
			if s.Enabled && len(s.NextAt) > 0 {
				next = shortTime(s.NextAt[0].Time)
			}
			t.add(s.Name, state, fmt.Sprint(s.Revision), next, shortTime(s.UpdatedAt.Time), s.Title)
		}
		t.print(cmd.OutOrStdout())
		return nil
	}
	return cmd
}

func enableCommand(c *connection, on bool) *cobra.Command {
	use, words := "disable", "Disable a schedule: its ticks are recorded as skipped"
	if on {
		use, words = "enable", "Enable a schedule"
	}
	return forEach(c, use, words, ": "+use+"d",
		func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			_, err := checked(api.SetEnabledWithResponse(ctx, name, model.Enabled{Enabled: on}))
			return err
		})
}

func archiveCommand(c *connection, on bool) *cobra.Command {
	use, words := "unarchive", "Take a schedule out of the archive: it goes on with its next moment"
	if on {
		use, words = "archive", "Archive a schedule that is not used any more: it has no ticks, and its history stays"
	}
	confirmed := false
	cmd := forEach(c, use, words, ": "+use+"d",
		func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			change := model.Archived{Archived: on, Confirmed: confirmed}
			_, err := checked(api.SetArchivedWithResponse(ctx, name, change))
			return err
		})
	if on {
		cmd.Flags().BoolVar(&confirmed, "yes", false, "archive it although others wait for it; they go on without it")
	}
	return cmd
}

func ticksCommand(c *connection) *cobra.Command {
	limit := 50
	var span timeFlags
	cmd := &cobra.Command{
		Use:   "ticks NAME",
		Short: "List the due moments of a schedule with what was decided about each",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many, latest first")
	span.bind(cmd, "only moments")
	query(c, cmd, func(cmd *cobra.Command, api *client.ClientWithResponses, args []string) ([]model.Tick, error) {
		since, until, err := span.read(time.Now())
		if err != nil {
			return nil, err
		}
		r, err := checked(api.ListTicksWithResponse(cmd.Context(), args[0], &model.ListTicksParams{
			Limit: &limit, Since: since, Until: until,
		}))
		if err != nil {
			return nil, err
		}
		return r.JSON200.Items, nil
	}, func(w io.Writer, items []model.Tick) {
		t := newTable("MOMENT", "DECISION", "RULE", "BATCH", "TRIGGER", "DETAIL")
		for _, k := range items {
			batch := "-"
			if k.Batch != 0 {
				batch = fmt.Sprint(k.Batch)
			}
			detail := []string{}
			if k.Count > 1 {
				detail = append(detail, fmt.Sprintf("%d ticks until %s", k.Count, shortTime(k.Until.Time)))
			}
			if k.Detail != "" {
				detail = append(detail, k.Detail)
			}
			t.add(shortTime(k.Moment.Time), string(k.Decision), k.Rule, batch, k.Trigger, strings.Join(detail, "; "))
		}
		t.print(w)
	})
	return cmd
}
