package db

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type channelSecretRow struct {
	bun.BaseModel `bun:"table:channel_secrets"`

	DocumentID int64  `bun:"document_id,pk"`
	Name       string `bun:"name,pk"`
	Secret     string `bun:"secret"`
	SetAt      int64  `bun:"set_at"`
	SetBy      string `bun:"set_by"`
}

// boundToChannel binds a sealed secret to its channel and its name: it cannot be opened in another row.
func boundToChannel(document int64, name string) []byte {
	return fmt.Appendf(nil, "channel_secrets.secret\x00%d\x00%s", document, name)
}

// SetChannelSecrets stores secrets of a channel by their names. An empty one is deleted; others stay as they are.
func (s *Store) SetChannelSecrets(ctx context.Context, channel string, secrets map[string]string, by string,
	now time.Time,
) error {
	return s.erasing(ctx, func() error {
		return s.write(ctx, "set secrets of channel "+channel, func(ctx context.Context, tx bun.Tx) error {
			k, err := s.sealing(ctx, tx)
			if err != nil {
				return err
			}
			row, err := s.findAlertDocument(ctx, tx, hive.KindChannel, channel)
			if err != nil || row.Deleted {
				return noRows(err, noDocument(hive.KindChannel, channel))
			}
			for _, name := range slices.Sorted(maps.Keys(secrets)) {
				_, err := tx.NewRaw("DELETE FROM channel_secrets WHERE document_id = ? AND name = ?", row.ID,
					text(name)).Exec(ctx)
				if err != nil {
					return err
				}
				if secrets[name] == "" {
					continue
				}
				_, err = tx.NewInsert().Model(&channelSecretRow{
					DocumentID: row.ID, Name: text(name), SetAt: ms(now), SetBy: text(by),
					Secret: k.sealAs(boundToChannel(row.ID, text(name)), secrets[name]),
				}).Exec(ctx)
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// ChannelSecrets lists the secrets that a channel has, by name, without the secrets themselves.
func (s *Store) ChannelSecrets(ctx context.Context, document int64) ([]hive.ChannelSecret, error) {
	var rows []channelSecretRow
	err := s.r.NewSelect().Model(&rows).ExcludeColumn("secret").Where("document_id = ?", document).Order("name").
		Scan(ctx)
	if err != nil {
		return nil, s.fault("list secrets of a channel", err)
	}
	out := make([]hive.ChannelSecret, len(rows))
	for i := range rows {
		out[i] = hive.ChannelSecret{Name: rows[i].Name, SetAt: at(rows[i].SetAt), SetBy: rows[i].SetBy}
	}
	return out, nil
}

// OpenChannelSecrets returns the secrets of a channel for a message that is sent now.
func (s *Store) OpenChannelSecrets(ctx context.Context, document int64) (map[string]string, error) {
	var rows []channelSecretRow
	err := s.r.NewSelect().Model(&rows).Where("document_id = ?", document).Scan(ctx)
	if err != nil {
		return nil, s.fault("read secrets of a channel", err)
	}
	ring, out := s.ring(), make(map[string]string, len(rows))
	for i := range rows {
		r := &rows[i]
		if out[r.Name], err = ring.openAs(boundToChannel(document, r.Name), r.Secret); err != nil {
			return nil, fmt.Errorf("the secret %q of a channel: %w; set it again", r.Name, err)
		}
	}
	return out, nil
}

// resealChannels replaces each secret of a channel by the result of f. An empty result deletes it.
func resealChannels(ctx context.Context, tx bun.Tx, f func(bound []byte, stored string) (string, error)) error {
	var rows []channelSecretRow
	if err := tx.NewSelect().Model(&rows).Order("document_id", "name").Scan(ctx); err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		fresh, err := f(boundToChannel(r.DocumentID, r.Name), r.Secret)
		if err != nil {
			return fmt.Errorf("the secret %q of a channel: %w", r.Name, err)
		}
		switch {
		case fresh == r.Secret:
			continue
		case fresh == "":
			_, err = tx.NewDelete().Model(r).WherePK().Exec(ctx)
		default:
			r.Secret = fresh
			_, err = tx.NewUpdate().Model(r).Column("secret").WherePK().Exec(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resealSomeOfChannels seals at most limit secrets of channels anew that another key has sealed.
func (s *Store) resealSomeOfChannels(ctx context.Context, tx bun.Tx, ring keyring, k *sealer, limit int) (int, error) {
	var rows []channelSecretRow
	err := tx.NewRaw("SELECT * FROM channel_secrets WHERE secret LIKE ? AND secret NOT LIKE ? "+
		"ORDER BY document_id, name LIMIT ?"+s.kind.lock("UPDATE"), sealedPrefix+"%", sealedPrefix+k.id+":%", limit).
		Scan(ctx, &rows)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		r := &rows[i]
		to := boundToChannel(r.DocumentID, r.Name)
		plain, err := ring.unseal(to, r.Secret)
		if err != nil {
			return 0, fmt.Errorf("the secret %q of channel %s: %w; set it again", r.Name,
				channelName(ctx, tx, r.DocumentID), err)
		}
		r.Secret = k.box(to, plain)
		if _, err := tx.NewUpdate().Model(r).Column("secret").WherePK().Exec(ctx); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// channelName returns the name of a channel for an error, or its number if the name cannot be read.
func channelName(ctx context.Context, tx bun.Tx, document int64) string {
	var name string
	if err := tx.NewRaw("SELECT name FROM alert_documents WHERE id = ?", document).Scan(ctx, &name); err != nil {
		return fmt.Sprint(document)
	}
	return name
}
