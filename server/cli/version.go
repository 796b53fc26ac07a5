package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
)

// Build describes this program.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"` // empty if the build did not know it
	Go       string `json:"go"`
	Platform string `json:"platform"` // such as linux/amd64
	// Schema is the version of the database's tables that the program brings a database to.
	Schema int `json:"schema"`
	// Contract is the version of the executor contract that it speaks.
	Contract int `json:"contract"`
	// WebInterface is false if the web interface was not built before the program.
	WebInterface bool `json:"webInterface"`
}

func versionCommand(b Build) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program, and what it was built from",
		Args:  cobra.NoArgs,
	}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		w := cmd.OutOrStdout()
		if *out == formatJSON {
			return printJSON(w, b)
		}
		web := "built in"
		if !b.WebInterface {
			web = "not built in; docs/install.md says how to get it"
		}
		fmt.Fprintf(w, "HiveGo %s\n\n", b.Version)
		for _, line := range [][2]string{
			{"commit", cmp.Or(b.Commit, "unknown")},
			{"go", b.Go},
			{"platform", b.Platform},
			{"database schema", fmt.Sprint(b.Schema)},
			{"executor contract", fmt.Sprint(b.Contract)},
			{"web interface", web},
		} {
			fmt.Fprintf(w, "%-19s%s\n", line[0], line[1])
		}
		return nil
	}
	return cmd
}
