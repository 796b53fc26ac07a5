package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type secretRow struct {
	bun.BaseModel `bun:"table:secrets"`

	Name      string `bun:"name,pk"`
	Value     string `bun:"value"` // sealed
	Groups    string `bun:"groups"`
	CreatedAt int64  `bun:"created_at"`
	CreatedBy string `bun:"created_by"`
	UpdatedAt int64  `bun:"updated_at"`
	UpdatedBy string `bun:"updated_by"`
}

func (r *secretRow) hive() (hive.Secret, error) {
	groups, err := unpack[[]string](r.Groups)
	return hive.Secret{
		Name: r.Name, Groups: groups, CreatedAt: at(r.CreatedAt), CreatedBy: r.CreatedBy, UpdatedAt: at(r.UpdatedAt),
		UpdatedBy: r.UpdatedBy,
	}, err
}

// Secrets lists the secrets of tasks by name, without their values.
func (s *Store) Secrets(ctx context.Context) ([]hive.Secret, error) {
	var rows []secretRow
	if err := s.r.NewSelect().Model(&rows).ExcludeColumn("value").Order("name").Scan(ctx); err != nil {
		return nil, s.fault("list secrets", err)
	}
	out := make([]hive.Secret, len(rows))
	for i := range rows {
		var err error
		if out[i], err = rows[i].hive(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// SecretValues returns the named secrets with their values. It leaves out names that do not exist. A value that cannot
// be opened is hive.CodeConflict, and the error names the secret.
func (s *Store) SecretValues(ctx context.Context, names []string) ([]hive.SecretValue, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var rows []secretRow
	err := s.r.NewSelect().Model(&rows).Where("name IN (?)", bun.List(names)).Scan(ctx)
	if err != nil {
		return nil, s.fault("read secrets", err)
	}
	ring := s.ring()
	out := make([]hive.SecretValue, len(rows))
	for i := range rows {
		r := &rows[i]
		if out[i].Secret, err = r.hive(); err != nil {
			return nil, err
		}
		if out[i].Value, err = ring.unseal(boundToName(r.Name), r.Value); err != nil {
			return nil, hive.Errorf(hive.CodeConflict, "the secret %s cannot be decrypted: %w; set it again", r.Name,
				err)
		}
	}
	return out, nil
}

// PutSecret makes a secret, or changes its value, its groups, or both. A new one without groups is for the default
// group. hive.CodeNotFound if a secret that does not
// exist gets no value.
func (s *Store) PutSecret(ctx context.Context, c hive.SecretChange) (hive.Secret, error) {
	row := new(secretRow)
	err := s.write(ctx, "store a secret", func(ctx context.Context, tx bun.Tx) error {
		k, err := s.sealing(ctx, tx)
		if err == nil && k == nil {
			err = errors.New("there is no key to encrypt it with")
		}
		if err != nil {
			return err
		}
		*row = secretRow{}
		err = tx.NewRaw("SELECT * FROM secrets WHERE name = ?"+s.kind.lock("UPDATE"), c.Name).Scan(ctx, row)
		known := err == nil
		if err = missingSecret(err, c.Name); hive.CodeOf(err) == hive.CodeNotFound && c.Value != nil {
			row, err = &secretRow{Name: c.Name, CreatedAt: ms(c.At), CreatedBy: text(c.By)}, checkSecrets(ctx, tx)
		}
		if err != nil {
			return err
		}
		if c.Value != nil {
			row.Value = k.box(boundToName(c.Name), *c.Value)
		}
		if !known && c.Groups == nil {
			c.Groups = []string{hive.DefaultGroup}
		}
		if c.Groups != nil {
			groups := slices.Compact(slices.Sorted(slices.Values(c.Groups)))
			if row.Groups, err = pack(groups, false); err != nil {
				return err
			}
		}
		row.UpdatedAt, row.UpdatedBy = ms(c.At), text(c.By)
		if known {
			_, err = tx.NewUpdate().Model(row).WherePK().Exec(ctx)
		} else {
			_, err = tx.NewInsert().Model(row).Exec(ctx)
		}
		return err
	})
	if err != nil {
		return hive.Secret{}, err
	}
	return row.hive()
}

func checkSecrets(ctx context.Context, tx bun.Tx) error {
	n, err := tx.NewSelect().Model((*secretRow)(nil)).Count(ctx)
	if err == nil && n >= hive.MaxSecrets {
		err = hive.Errorf(hive.CodeConflict, "there are %d secrets, and there may be no more; delete some", n).
			WithReason(hive.ErrorSecretsFull, "most", fmt.Sprint(hive.MaxSecrets))
	}
	return err
}

// DeleteSecret deletes a secret. hive.CodeNotFound if there is none.
func (s *Store) DeleteSecret(ctx context.Context, name string) error {
	return s.write(ctx, "delete a secret", func(ctx context.Context, tx bun.Tx) error {
		res, err := tx.NewDelete().Model((*secretRow)(nil)).Where("name = ?", text(name)).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			err = noSecret(name)
		}
		return err
	})
}

// missingSecret turns the error of a read into hive.CodeNotFound if there is no such secret.
func missingSecret(err error, name string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return noSecret(name)
	}
	return err
}

func noSecret(name string) error {
	return hive.Errorf(hive.CodeNotFound, "there is no secret %.80q", name).
		WithReason(hive.ErrorNoSecret, "secret", name)
}

// DocumentsWithSecret returns the newest document of each schedule that may name a secret, by the schedule's name. It
// finds too many rather than too few: whoever asks reads the documents.
func (s *Store) DocumentsWithSecret(ctx context.Context, name string) (map[string]string, error) {
	return s.NewestDocuments(ctx, "secrets."+name)
}
