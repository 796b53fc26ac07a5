package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// renameFlags is what the command rename is given.
type renameFlags struct {
	files   []string
	base    int64
	note    string
	release bool
}

func renameCommand(c *connection, handlers []hive.Handler) *cobra.Command {
	var f renameFlags
	cmd := &cobra.Command{
		Use:   "rename OLD NEW [-f FILE|DIR]...",
		Short: "Give a schedule another name; its history and all that belongs to it stay",
		Long: `Gives a schedule another name. Its revisions, batches, ticks and webhooks stay; a new revision says the
new name. Schedules that wait for it must be saved in the same request: give their files with the new name. Of a
folder, only those are sent that say the new name.

The old name leads to the schedule from then on, and no other schedule can have it until it is released.`,
		Example: `  hivego rename orders orders-eu
  hivego rename orders orders-eu -f schedules/ --note "one for each region"
  hivego rename --release orders`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.release {
				return releaseName(cmd, c, args)
			}
			if len(args) != 2 {
				return errors.New("name the schedule and its new name: hivego rename OLD NEW")
			}
			return rename(cmd, c, handlers, args[0], args[1], &f)
		},
	}
	b := cmd.Flags()
	b.StringArrayVarP(&f.files, "file", "f", nil, "file that says the new name, or a folder; - is standard input")
	b.Int64Var(&f.base, "base", 0, "refuse if the newest revision is not this one")
	b.StringVar(&f.note, "note", "", "why, for the history of the schedules")
	b.BoolVar(&f.release, "release", false, "release a name that a schedule had before: another one may have it")
	for _, other := range []string{"file", "base", "note"} {
		cmd.MarkFlagsMutuallyExclusive("release", other)
	}
	return cmd
}

func releaseName(cmd *cobra.Command, c *connection, args []string) error {
	if len(args) != 1 {
		return errors.New("name the former name alone: hivego rename --release OLD")
	}
	api, err := c.open()
	if err != nil {
		return err
	}
	if _, err := checked(api.ReleaseFormerNameWithResponse(cmd.Context(), args[0])); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: released\n", args[0])
	return nil
}

func rename(cmd *cobra.Command, c *connection, handlers []hive.Handler, name, to string, f *renameFlags) error {
	api, err := c.open()
	if err != nil {
		return err
	}
	var bases map[string]int64
	if f.base != 0 {
		bases = map[string]int64{name: f.base}
	}
	documents, err := renamedDocuments(cmd, handlers, to, f.files)
	if err != nil {
		return err
	}
	r, err := checked(api.RenameScheduleWithResponse(cmd.Context(), name,
		model.Rename{To: to, Bases: bases, Documents: documents, Note: f.note}))
	if err != nil {
		return err
	}
	if !r.JSON200.Changed {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: unchanged, it was %s before\n", to, name)
		return nil
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: was %s\n", to, name)
	for i := range r.JSON200.Saved {
		saved := &r.JSON200.Saved[i]
		for _, w := range saved.Faults {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: %s\n", saved.Name, fault(w))
		}
		printSaved(cmd, saved)
	}
	return nil
}

// renamedDocuments reads the documents of files, and of folders those that say the new name.
func renamedDocuments(cmd *cobra.Command, handlers []hive.Handler, to string, files []string) ([]string, error) {
	var out []string
	refused := false
	for _, file := range files {
		found, folder, err := filesIn(file)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			p, err := parseFile(cmd, one)
			if err != nil {
				return nil, err
			}
			if folder && !p.says(to) {
				continue
			}
			if hive.Refused(p.faults) {
				p.check(handlers)
			}
			p.print(cmd.ErrOrStderr())
			refused = refused || hive.Refused(p.faults)
			for _, d := range p.documents {
				if !folder || says(d, to) {
					out = append(out, string(d.Canonical))
				}
			}
		}
	}
	if refused {
		return nil, errors.New("nothing was saved")
	}
	return out, nil
}

// says reports whether the documents of a file say a name, or whether they cannot be read.
func (p *parsed) says(name string) bool {
	return hive.Refused(p.faults) || slices.ContainsFunc(p.documents, func(d *document.Document) bool {
		return says(d, name)
	})
}

// says reports whether a document is of the schedule of that name, or of one that waits for it.
func says(d *document.Document, name string) bool {
	if d.Definition == nil {
		return false
	}
	return d.Definition.Name == name || slices.ContainsFunc(d.Definition.Triggers, func(t hive.Trigger) bool {
		return slices.ContainsFunc(t.After, func(u hive.Upstream) bool { return u.Schedule == name })
	})
}

// filesIn lists the YAML and JSON files below a folder; a file stands for itself.
func filesIn(path string) (list []string, folder bool, err error) {
	if path == "-" {
		return []string{path}, false, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, fmt.Errorf("look at %s: %w", path, err)
	}
	if !info.IsDir() {
		return []string{path}, false, nil
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			list = append(list, file)
		}
		return nil
	})
	if err != nil {
		return nil, true, fmt.Errorf("read the folder %s: %w", path, err)
	}
	return list, true, nil
}
