package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

// Backups backs up, restores and copies whole databases.
type Backups interface {
	Backup(ctx context.Context, o BackupOrder) (BackupContents, error)
	// Restore fills an empty database. With CheckOnly it only reads the file.
	Restore(ctx context.Context, o RestoreOrder) (RestoreResult, error)
	// Copy copies a database into another one. It calls report with a table and the rows copied so far.
	Copy(ctx context.Context, o CopyOrder, report func(table string, rows int64)) (CopyResult, error)
}

// ServerFiles says where a server keeps what a backup holds. Empty places are those in the data folder.
type ServerFiles struct {
	Place
	KeyPlace

	Logs string
}

func (s *ServerFiles) bind(cmd *cobra.Command) {
	s.Place.bind(cmd)
	s.KeyPlace.bind(cmd)
	cmd.Flags().StringVar(&s.Logs, "logs", "", "folder of the tasks' logs (default: logs in --data; HIVEGO_LOGS)")
}

func (s *ServerFiles) resolve() error {
	s.Place.resolve()
	s.Logs = cmp.Or(s.Logs, env("HIVEGO_LOGS", ""))
	return s.KeyPlace.resolve()
}

// BackupOrder says what to back up.
type BackupOrder struct {
	ServerFiles

	File                     string
	Force                    bool // replace the file
	WithoutKeys, WithoutLogs bool
}

// BackupContents describes a backup that was checked.
type BackupContents struct {
	Version       string // of the program that made it
	Schema        int
	CreatedAt     time.Time
	Tables, Files int
	Rows, Size    int64 // Size is in bytes
	// KeyElsewhere says that the key of the secrets was left out, because it does not come from a file.
	KeyElsewhere bool
}

// RestoreOrder says what to restore.
type RestoreOrder struct {
	ServerFiles

	File      string
	CheckOnly bool
}

// RestoreResult says what was restored.
type RestoreResult struct {
	BackupContents

	Database string   // without a password
	Kept     int      // files that were there already, and stay as they are
	Notes    []string // what a person has to know before the server starts
}

// CopyOrder says what to copy.
type CopyOrder struct {
	From, To             string // URLs
	FromSchema, ToSchema string // of a PostgreSQL; empty: the first in the role's search path
	Restart              bool   // begin again, even if an earlier try can go on
}

// CopyResult says what was copied.
type CopyResult struct {
	From, To string // without passwords
	Tables   int
	Rows     int64
}

// BackupCommands returns the commands backup, restore and copy.
func BackupCommands(b Backups) []*cobra.Command {
	commands := []*cobra.Command{backupCommand(b), restoreCommand(b), copyCommand(b)}
	for _, cmd := range commands {
		cmd.GroupID = groupLocal
	}
	return commands
}

func backupCommand(b Backups) *cobra.Command {
	var o BackupOrder
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a backup of a server to a file, while it runs, and check it",
		Long: `Writes the database as it is at one moment, the key of its secrets, the logs of tasks, the certificates
and the settings of the embedded executor into one file, and reads it again to check it. The server
may run. The file has its name only when it is complete. It can be restored into SQLite and
PostgreSQL. Whoever has it can act as the server: only its owner may read it. With --without-keys it
holds no key, and the keys must be kept elsewhere.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File = args[0]
			if err := o.resolve(); err != nil {
				return err
			}
			c, err := b.Backup(cmd.Context(), o)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", o.File, c.words())
			}
			return err
		},
	}
	o.bind(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.Force, "force", false, "replace the file if it exists")
	f.BoolVar(&o.WithoutKeys, "without-keys", false,
		"leave out all keys: of the database's secrets, of certificates, and the executor's settings")
	f.BoolVar(&o.WithoutLogs, "without-logs", false, "leave out the logs of tasks")
	return cmd
}

func (c *BackupContents) words() string {
	words := fmt.Sprintf("complete and checked; schema %d, %s, %s, %s, %s", c.Schema, countWord(c.Tables, "table"),
		countWord(c.Rows, "row"), countWord(c.Files, "file"), countWord(c.Size, "byte"))
	if c.KeyElsewhere {
		words += "; without the key of the secrets, which --secret-key-command or HIVEGO_SEALING_KEY gives: keep it"
	}
	return words
}

func restoreCommand(b Backups) *cobra.Command {
	var o RestoreOrder
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup into an empty database; no server may run",
		Long: `Restores what "hivego backup" has written: the database into --data or --database-url, which must be
empty, and the files into --data. Files that are there already stay as they are. Do not move or
change the data folders of executors. An older backup is brought to the schema of this program. If it is
interrupted, no server starts on the database until the restore has been run again. With --check it only
reads the file and says whether it is whole.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File = args[0]
			if err := o.resolve(); err != nil {
				return err
			}
			r, err := b.Restore(cmd.Context(), o)
			if err != nil {
				return err
			}
			if o.CheckOnly {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s; made by hivego %s at %s\n", o.File, r.words(), r.Version,
					shortTime(r.CreatedAt))
				return nil
			}
			fmt.Fprintf(cmd.OutOrStdout(), "restored into %s: %s, %s; files: %d\n", r.Database,
				countWord(r.Tables, "table"), countWord(r.Rows, "row"), r.Files-r.Kept)
			for _, note := range r.Notes {
				fmt.Fprintln(cmd.ErrOrStderr(), note)
			}
			return nil
		},
	}
	o.bind(cmd)
	cmd.Flags().BoolVar(&o.CheckOnly, "check", false, "read the file and restore nothing")
	return cmd
}

// reportEvery is the time between two lines about a table that takes long.
const reportEvery = 5 * time.Second

func copyCommand(b Backups) *cobra.Command {
	var o CopyOrder
	cmd := &cobra.Command{
		Use:   "copy --from URL --to URL",
		Short: "Copy a database into another one, SQLite or PostgreSQL; no server may run",
		Long: `Copies all tables of a database into an empty one, and compares all rows at the end. A URL is
sqlite:FILE or postgres://USER@HOST/NAME. If it is interrupted, run it again: it goes on where it
was. No server starts on the target before it is complete.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.From == "" || o.To == "" {
				return errors.New("name both databases, with --from URL and --to URL")
			}
			r, err := b.Copy(cmd.Context(), o, reporter(cmd.ErrOrStderr(), time.Now))
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "copied %s to %s: %s, %s, all compared\n", r.From, r.To,
					countWord(r.Tables, "table"), countWord(r.Rows, "row"))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.From, "from", "", "URL of the database to read")
	f.StringVar(&o.To, "to", "", "URL of the empty database to fill")
	f.StringVar(&o.FromSchema, "from-schema", "", "schema of the tables in a PostgreSQL to read")
	f.StringVar(&o.ToSchema, "to-schema", "", "schema of the tables in a PostgreSQL to fill; it is created if needed")
	f.BoolVar(&o.Restart, "restart", false, "begin again, even if an earlier try can go on")
	return cmd
}

// reporter prints a line for each table, and from time to time the rows of one that takes long.
func reporter(w io.Writer, now func() time.Time) func(table string, rows int64) {
	var last time.Time
	return func(table string, rows int64) {
		switch t := now(); {
		case rows == 0:
			fmt.Fprintf(w, "%s\n", table)
			last = t
		case t.Sub(last) >= reportEvery:
			fmt.Fprintf(w, "%s: %s\n", table, countWord(rows, "row"))
			last = t
		}
	}
}
