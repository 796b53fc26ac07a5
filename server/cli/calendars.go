package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/calendar/reader"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

func calendarsCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "calendars",
		Aliases: []string{"calendar"},
		Short:   "List calendars; import, export and delete work with one",
		Args:    cobra.NoArgs,
	}
	query(c, cmd, func(cmd *cobra.Command, api *client.ClientWithResponses, _ []string) (
		[]model.CalendarSummary, error,
	) {
		r, err := checked(api.ListCalendarsWithResponse(cmd.Context()))
		if err != nil {
			return nil, err
		}
		return r.JSON200.Items, nil
	}, func(w io.Writer, items []model.CalendarSummary) {
		t := newTable("NAME", "REVISION", "YEARS", "HOLIDAYS", "MAKE-UP", "USED BY", "UPDATED", "TITLE")
		for i := range items {
			k := &items[i]
			years := "-"
			if k.FirstYear != 0 {
				years = fmt.Sprintf("%d to %d", k.FirstYear, k.LastYear)
			}
			t.add(k.Name, fmt.Sprint(k.Revision), years, fmt.Sprint(k.Holidays), fmt.Sprint(k.Workdays),
				dash(strings.Join(k.UsedBy, ",")), shortTime(k.UpdatedAt.Time), k.Title)
		}
		t.print(w)
	})
	cmd.AddCommand(calendarsImport(c), calendarsExport(c), calendarsDelete(c))
	return cmd
}

func calendarsExport(c *connection) *cobra.Command {
	var number int64
	cmd := &cobra.Command{
		Use:   "export NAME",
		Short: "Print a calendar as YAML",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := c.open()
			if err != nil {
				return err
			}
			r, err := checked(api.ExportCalendarWithResponse(cmd.Context(), args[0],
				&model.ExportCalendarParams{Revision: given(number)}))
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

func calendarsDelete(c *connection) *cobra.Command {
	return forEach(c, "delete", "Delete calendars that no schedule uses", " is deleted",
		func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			_, err := checked(api.DeleteCalendarWithResponse(ctx, name))
			return err
		})
}

// importer is the flags of an import.
type importer struct {
	format      string
	title, note string
	first, last int
	dry         bool
}

func calendarsImport(c *connection) *cobra.Command {
	year := time.Now().Year()
	f := importer{first: year - 1, last: year + 3}
	cmd := &cobra.Command{
		Use:   "import FILE NAME",
		Short: "Read an ICS or CSV file into a calendar",
		Long: `Reads the days of an ICS or CSV file (- is standard input) into the calendar NAME, which is made if it
does not exist. The days of the file replace those of the same years; entries of other years stay.

ICS: every event of whole days is a holiday; recurrences are written out for the years from --first to --last.
An event is a make-up workday if its summary has the character 班, or if Apple's property for such days says so.
CSV: the first line has the names date (or from and to), name, kind; a kind is holiday or workday.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, c, args[0], args[1]) },
	}
	cmd.Flags().StringVar(&f.format, "format", "", "ics or csv; by the name of the file if left out")
	cmd.Flags().StringVar(&f.title, "title", "", "title of the calendar; as it is if left out")
	cmd.Flags().StringVar(&f.note, "note", "", "what was changed and why, for the history of the calendar")
	cmd.Flags().IntVar(&f.first, "first", f.first, "first year for which recurrences are written out")
	cmd.Flags().IntVar(&f.last, "last", f.last, "last year for which recurrences are written out")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "print the calendar instead of saving it")
	return cmd
}

func (f *importer) run(cmd *cobra.Command, c *connection, file, name string) error {
	text, err := readAll(cmd, file)
	if err != nil {
		return err
	}
	days, err := f.read(file, text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if days.Left > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s left out, with a time of day\n", file, count(days.Left, "event"))
	}
	if len(days.Holidays)+len(days.Workdays) == 0 {
		return fmt.Errorf("%s has no whole days from %d to %d", file, f.first, f.last)
	}
	api, err := c.open()
	if err != nil {
		return err
	}
	def, base, err := storedCalendar(cmd.Context(), api, name)
	if err != nil {
		return err
	}
	merged := reader.Merge(def, days)
	if f.title != "" {
		merged.Title = f.title
	}
	doc, faults := document.FromCalendar(&merged)
	if doc == nil {
		(&parsed{file: file, faults: faults}).print(cmd.ErrOrStderr())
		return errors.New("nothing was saved")
	}
	if f.dry {
		_, err := cmd.OutOrStdout().Write(doc.Canonical)
		return err
	}
	r, err := checked(api.PutCalendarWithBodyWithResponse(cmd.Context(), name,
		&model.PutCalendarParams{Base: &base, Note: given(f.note)}, "application/yaml", bytes.NewReader(doc.Canonical)))
	if err != nil {
		return err
	}
	printSaved(cmd, r.JSON200)
	return nil
}

func (f *importer) read(file string, text []byte) (reader.Days, error) {
	format := f.format
	if format == "" {
		format = strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	}
	switch {
	case f.first < 1970 || f.last > 9999 || f.first > f.last:
		return reader.Days{}, errors.New("write years from 1970 to 9999 as --first and --last")
	case format == "ics":
		return reader.ICS(text, reader.Options{FirstYear: f.first, LastYear: f.last})
	case format == "csv":
		return reader.CSV(text)
	default:
		return reader.Days{}, errors.New("its name does not end in .ics or .csv; write --format ics or --format csv")
	}
}

// storedCalendar returns the newest revision of a calendar with its number, or an empty calendar with 0.
func storedCalendar(ctx context.Context, api *client.ClientWithResponses, name string) (
	def hive.CalendarDefinition, number int64, err error,
) {
	r, err := checked(api.GetCalendarWithResponse(ctx, name))
	if hive.CodeOf(err) == hive.CodeNotFound {
		return hive.CalendarDefinition{APIVersion: hive.APIVersion, Kind: hive.KindCalendar, Name: name}, 0, nil
	}
	if err != nil {
		return def, 0, err
	}
	if err := json.Unmarshal(r.JSON200.Definition, &def); err != nil {
		return def, 0, fmt.Errorf("read calendar %s: %w", name, err)
	}
	return def, r.JSON200.Revision, nil
}
