package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

type connectionRow struct {
	bun.BaseModel `bun:"table:connections"`

	Name      string `bun:"name,pk"`
	Revision  int64  `bun:"revision"`
	Document  string `bun:"document"`
	Hash      string `bun:"hash"`
	CreatedAt int64  `bun:"created_at"`
	CreatedBy string `bun:"created_by"`
	UpdatedAt int64  `bun:"updated_at"`
	UpdatedBy string `bun:"updated_by"`
}

func (r *connectionRow) hive() hive.StoredConnection {
	return hive.StoredConnection{
		Name: r.Name, Revision: r.Revision, Document: r.Document, Hash: r.Hash, CreatedAt: at(r.CreatedAt),
		CreatedBy: r.CreatedBy, UpdatedAt: at(r.UpdatedAt), UpdatedBy: r.UpdatedBy,
	}
}

// Connections lists the connections by name.
func (s *Store) Connections(ctx context.Context) ([]hive.StoredConnection, error) {
	var rows []connectionRow
	if err := s.r.NewSelect().Model(&rows).Order("name").Scan(ctx); err != nil {
		return nil, s.fault("list connections", err)
	}
	out := make([]hive.StoredConnection, len(rows))
	for i := range rows {
		out[i] = rows[i].hive()
	}
	return out, nil
}

// ConnectionsNamed returns the named connections. It leaves out names that do not exist.
func (s *Store) ConnectionsNamed(ctx context.Context, names []string) ([]hive.StoredConnection, error) {
	if len(names) == 0 {
		return nil, nil
	}
	clean := make([]string, len(names))
	for i, name := range names {
		clean[i] = text(name)
	}
	var rows []connectionRow
	err := s.r.NewSelect().Model(&rows).Where("name IN (?)", bun.List(clean)).Order("name").Scan(ctx)
	if err != nil {
		return nil, s.fault("read connections", err)
	}
	out := make([]hive.StoredConnection, len(rows))
	for i := range rows {
		out[i] = rows[i].hive()
	}
	return out, nil
}

// SaveConnection makes a connection or changes it. A document with the stored hash changes nothing. hive.CodeConflict
// if in.Base is not the stored revision, if it exists and in.Fresh is set, or if there are too many.
func (s *Store) SaveConnection(ctx context.Context, in hive.SaveConnection) (
	out hive.StoredConnection, changed bool, err error,
) {
	err = s.write(ctx, "save connection "+in.Name, func(ctx context.Context, tx bun.Tx) error {
		changed = false
		row := new(connectionRow)
		err := tx.NewRaw("SELECT * FROM connections WHERE name = ?"+s.kind.lock("UPDATE"), text(in.Name)).Scan(ctx, row)
		fresh := errors.Is(err, sql.ErrNoRows)
		if err != nil && !fresh {
			return err
		}
		if !fresh && row.Hash == text(in.Hash) && !in.Fresh {
			out = row.hive()
			return nil
		}
		if err := checkConnectionBase(row, in, fresh); err != nil {
			return err
		}
		if fresh {
			*row = connectionRow{Name: text(in.Name), CreatedAt: ms(in.Now), CreatedBy: text(in.By)}
			if err := checkConnections(ctx, tx); err != nil {
				return err
			}
		}
		row.Revision++
		row.Document, row.Hash = text(in.Document), text(in.Hash)
		row.UpdatedAt, row.UpdatedBy = ms(in.Now), text(in.By)
		if fresh {
			_, err = tx.NewInsert().Model(row).Exec(ctx)
		} else {
			_, err = tx.NewUpdate().Model(row).WherePK().Exec(ctx)
		}
		out, changed = row.hive(), true
		return err
	})
	return out, changed, err
}

// checkConnectionBase returns a conflict if the document was not made from the stored one.
func checkConnectionBase(row *connectionRow, in hive.SaveConnection, fresh bool) error {
	switch {
	case in.Fresh && !fresh:
		return hive.Errorf(hive.CodeConflict, "there is a connection %q already, whose newest revision is %d; choose "+
			"another name, or save it as the next revision", in.Name, row.Revision).
			WithReason(hive.ErrorDocumentExists, "kind", hive.KindConnection, "name", in.Name, "newest", row.Revision)
	case in.Base != 0 && in.Base != row.Revision:
		return hive.Errorf(hive.CodeConflict, "connection %q was changed meanwhile: its newest revision is %d, yours "+
			"was made from %d; look at the newest and save again", in.Name, row.Revision, in.Base).
			WithReason(hive.ErrorDocumentMoved, "kind", hive.KindConnection, "name", in.Name, "newest", row.Revision,
				"base", in.Base)
	default:
		return nil
	}
}

func checkConnections(ctx context.Context, tx bun.Tx) error {
	n, err := tx.NewSelect().Model((*connectionRow)(nil)).Count(ctx)
	if err == nil && n >= hive.MaxConnections {
		err = hive.Errorf(hive.CodeConflict, "there are %d connections, and there may be no more; delete some", n).
			WithReason(hive.ErrorConnectionsFull, "most", fmt.Sprint(hive.MaxConnections))
	}
	return err
}

// DeleteConnection deletes a connection. hive.CodeNotFound if there is none.
func (s *Store) DeleteConnection(ctx context.Context, name string) error {
	return s.write(ctx, "delete a connection", func(ctx context.Context, tx bun.Tx) error {
		res, err := tx.NewDelete().Model((*connectionRow)(nil)).Where("name = ?", text(name)).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			err = noDocument(hive.KindConnection, name)
		}
		return err
	})
}

// NewestDocuments returns the newest document of each schedule that has a text, by the schedule's name. It finds too
// many rather than too few: whoever asks reads the documents.
func (s *Store) NewestDocuments(ctx context.Context, with string) (map[string]string, error) {
	var rows []struct{ Name, Document string }
	err := s.r.NewRaw("SELECT s.name, r.document FROM schedules AS s JOIN revisions AS r ON r.schedule_id = s.id AND "+
		"r.number = s.revision WHERE r.document LIKE ?", "%"+with+"%").Scan(ctx, &rows)
	out := make(map[string]string, len(rows))
	for _, r := range rows {
		out[r.Name] = r.Document
	}
	return out, s.fault("search the documents of schedules", err)
}
