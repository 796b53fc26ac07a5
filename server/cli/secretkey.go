package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// KeyPlace says where the keys of the database's secrets come from. At most one place is given.
type KeyPlace struct {
	SecretKey        string // file; empty: secret.key in the data folder
	SecretKeyCommand string // prints the keys, a line each
	SealingKey       string // has the keys, a line each
}

func (k *KeyPlace) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.SecretKey, "secret-key", "",
		"file of the key (default: secret.key in --data; HIVEGO_SECRET_KEY)")
	cmd.Flags().StringVar(&k.SecretKeyCommand, "secret-key-command", "",
		"command that prints the keys instead (HIVEGO_SECRET_KEY_COMMAND); HIVEGO_SEALING_KEY may have them too")
}

// resolve fills in what no flag says. Keys from several places are refused, as by the server.
func (k *KeyPlace) resolve() error {
	k.SecretKey = cmp.Or(k.SecretKey, env("HIVEGO_SECRET_KEY", ""))
	k.SecretKeyCommand = cmp.Or(k.SecretKeyCommand, env("HIVEGO_SECRET_KEY_COMMAND", ""))
	k.SealingKey = env("HIVEGO_SEALING_KEY", "")
	places := 0
	for _, given := range []string{k.SecretKey, k.SecretKeyCommand, k.SealingKey} {
		if given != "" {
			places++
		}
	}
	if places > 1 {
		return errors.New("--secret-key, --secret-key-command and HIVEGO_SEALING_KEY: give only one of them")
	}
	return nil
}

func keyNew(open OpenLocal) *cobra.Command {
	p := Place{Alone: true}
	var from KeyPlace
	var lost bool
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Encrypt the secrets in the database with a new key; no server may run",
		Long: `Makes a new key and encrypts with it the secrets of executors, tasks and channels. Stop all servers
of the database first, and give each of them the new file afterwards. With --lost the secrets are
given up, as the former key is gone: executors that register come back by themselves, those added by
an address are to be added again with their token, and the secrets of tasks and channels to be set
again. Where the keys come from a command or from HIVEGO_SEALING_KEY, no key is made: let it give the
new one too. "hivego secrets rotate-key" changes the key while servers run.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := from.resolve(); err != nil {
				return err
			}
			return p.with(cmd, open, func(l *Local) error {
				if err := l.Key.ChangeKey(cmd.Context(), from, lost); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(),
					"The secrets have a new key. Keep a copy of it apart from those of the database.")
				return nil
			})
		},
	}
	from.bind(cmd)
	cmd.Flags().BoolVar(&lost, "lost", false, "the former key is gone: give the secrets up")
	p.bind(cmd)
	return cmd
}
