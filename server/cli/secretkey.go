package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func keyNew(open OpenLocal) *cobra.Command {
	p := Place{Alone: true}
	var file string
	var lost bool
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Encrypt the secrets in the database with a new key; no server may run",
		Long: `Makes a new key and encrypts with it what executors are called with. Stop all servers of the
database first, and give each of them the new file afterwards. With --lost the secrets are given up,
as the former key is gone: executors that register come back by themselves, those added by an
address are to be added again with their token.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				file = env("HIVEGO_SECRET_KEY", "")
			}
			return p.with(cmd, open, func(l *Local) error {
				if err := l.Key.ChangeKey(cmd.Context(), file, lost); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(),
					"The secrets have a new key. Keep a copy of its file apart from those of the database.")
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&file, "secret-key", "", "file of the key (default: secret.key in --data; HIVEGO_SECRET_KEY)")
	cmd.Flags().BoolVar(&lost, "lost", false, "the former key is gone: give the secrets up")
	p.bind(cmd)
	return cmd
}
