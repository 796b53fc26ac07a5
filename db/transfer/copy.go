package transfer

import (
	"context"
	"fmt"
)

// Progress tells what a copy does: the name of a table, and how many of its rows this run has read.
type Progress func(table string, rows int64)

// Copy fills the target with the rows of the source, from where an earlier try stopped, and compares all rows at the
// end. It returns the sums of the tables. An error leaves a target that says that it is incomplete.
func Copy(ctx context.Context, s *Source, t *Target, report Progress) (map[string]Sum, error) {
	if err := t.Fits(s.Tables); err != nil {
		return nil, err
	}
	begun := t.Begun == ""
	for _, table := range s.Tables {
		if begun = begun || table.Name == t.Begun; !begun {
			continue // an earlier try has copied it
		}
		var rows int64
		report(table.Name, 0)
		err := t.left(ctx, s, table.Name, func(c Chunk) error {
			rows += int64(c.Rows)
			report(table.Name, rows)
			return t.Write(ctx, c)
		})
		if err != nil {
			return nil, err
		}
	}
	sums := map[string]Sum{}
	for _, table := range s.Tables {
		report("comparing "+table.Name, 0)
		want, err := s.Sum(ctx, table.Name)
		if err != nil {
			return nil, err
		}
		have, err := t.Sum(ctx, table.Name)
		if err != nil {
			return nil, err
		}
		if have != want {
			return nil, fmt.Errorf("the rows of %s differ: %d in the source, %d in the target. If the source was used "+
				"since the first try, run it again with --restart", table.Name, want.Rows, have.Rows)
		}
		sums[table.Name] = have
	}
	last, err := s.Sequences(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.SetSequences(ctx, last); err != nil {
		return nil, err
	}
	return sums, t.Finish(ctx, PurposeCopy)
}

// left reads the rows of a table that the target does not have yet.
func (t *Target) left(ctx context.Context, s *Source, name string, f func(Chunk) error) error {
	table, err := find(s.Tables, name)
	if err != nil {
		return err
	}
	if t.Begun != name {
		return chunks(ctx, s.tx, table, nil, f)
	}
	return chunks(ctx, s.tx, table, t.last, f)
}
