package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// Bytes of a log in one request, and the time between two requests.
const (
	chunk   int64 = 1 << 20
	lastLog       = 400 * time.Millisecond
)

func logsCommand(c *connection, patience time.Duration) *cobra.Command {
	var following bool
	var attempt int
	cmd := &cobra.Command{
		Use:   "logs BATCH TASK",
		Short: "Print the log of a task",
		Long: `Prints the log of the latest attempt of a task. With -f it waits for what is still to come, over
retries too, until the task has ended. What an executor does not hand over within a minute of that
is not waited for; standard error says so.`,
		Args: cobra.ExactArgs(2),
	}
	cmd.Flags().BoolVarP(&following, "follow", "f", false, "go on until the task has ended")
	cmd.Flags().IntVar(&attempt, "attempt", 0, "number of the attempt, 1 for the first; the latest if left out")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, id, err := c.ofBatch(args[0])
		if err != nil {
			return err
		}
		l := &logReader{
			api: api, batch: id, task: args[1], out: cmd.OutOrStdout(), attempt: attempt, notes: cmd.ErrOrStderr(),
			patience: patience,
		}
		if following {
			return l.follow(cmd.Context(), attempt != 0)
		}
		if err := l.drain(cmd.Context()); err != nil {
			return err
		}
		return l.remark(cmd.Context())
	}
	return cmd
}

// logReader prints a log piece by piece.
type logReader struct {
	api     *client.ClientWithResponses
	batch   int64
	task    string
	out     io.Writer
	attempt int   // its number; 0 until the first answer tells the latest one
	offset  int64 // of the next byte
	whole   bool  // the log is complete

	over     time.Time // when the attempt was first seen to have ended without the end of its log
	patience time.Duration
	notes    io.Writer
}

// piece is the metadata of one answer.
type piece struct {
	bytes    int
	complete bool
}

// read prints the next piece.
func (l *logReader) read(ctx context.Context) (piece, error) {
	limit := chunk
	params := model.GetLogParams{Offset: &l.offset, Limit: &limit}
	params.Attempt = given(l.attempt)
	resp, err := l.api.ClientInterface.GetLog(ctx, l.batch, l.task, &params)
	if err != nil {
		return piece{}, unreachable(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		var p model.Problem
		if err := json.NewDecoder(resp.Body).Decode(&p); err != nil {
			return piece{}, refused(resp.StatusCode, nil)
		}
		return piece{}, refused(resp.StatusCode, &p)
	}
	n, err := io.Copy(l.out, resp.Body)
	l.offset += n
	if err != nil {
		return piece{bytes: int(n)}, unreachable(fmt.Errorf("%w: %w", errUnreachable, err))
	}
	if l.attempt == 0 {
		l.attempt, _ = strconv.Atoi(resp.Header.Get("X-Log-Attempt"))
	}
	l.whole = resp.Header.Get("X-Log-Complete") == "true"
	return piece{bytes: int(n), complete: l.whole}, nil
}

// remark warns if the printed log may be incomplete, because the server does not have the log of an ended task.
func (l *logReader) remark(ctx context.Context) error {
	if l.whole {
		return nil
	}
	attempts, final, err := l.state(ctx)
	if err != nil || !final && l.next(attempts) == 0 {
		if err == nil && l.offset == 0 {
			fmt.Fprintln(l.notes, "hivego logs: there is no log yet; an executor that only offers run sends it when "+
				"the attempt ends")
		}
		return err
	}
	if err := l.drain(ctx); err != nil || l.whole { // the log ended after it was read
		return err
	}
	l.lacks()
	return nil
}

// lacks warns that the log is incomplete.
func (l *logReader) lacks() {
	fmt.Fprintf(l.notes, "hivego logs: attempt %d has ended, but the server has not got the end of its log from "+
		"the executor; "+
		"see `hivego executors`, or look again later\n", l.attempt)
}

// drain prints all bytes that are available now.
func (l *logReader) drain(ctx context.Context) error {
	for {
		p, err := l.read(ctx)
		if err != nil {
			return err
		}
		if p.bytes == 0 {
			return nil
		}
	}
}

// follow prints a log until it is complete and, unless one attempt was asked for, the task has ended. It waits for a
// server that is away for a while.
func (l *logReader) follow(ctx context.Context, one bool) error {
	var away time.Time
	for pause := firstAsk; ; pause = min(2*pause, lastLog) {
		news, done, err := l.step(ctx, one)
		if err != nil {
			l.over = time.Time{} // a restarted server must first find its executors
		}
		switch {
		case done:
			return nil
		case err == nil:
			away = time.Time{}
			if news {
				pause = firstAsk
			}
		case ctx.Err() != nil:
			return ctx.Err()
		case !isTransient(err):
			return err
		case away.IsZero():
			away = time.Now()
		case time.Since(away) > maxAway:
			return err
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
}

// step prints available bytes, and checks whether more will come. It reads the state of the task before the log, so
// that it misses nothing that is written up to the end.
func (l *logReader) step(ctx context.Context, one bool) (news, done bool, err error) {
	attempts, final, err := l.state(ctx)
	if err != nil {
		return false, false, err
	}
	if l.attempt == 0 {
		if len(attempts) == 0 {
			return false, final, nil
		}
		l.attempt = attempts[len(attempts)-1]
	}
	for {
		p, err := l.read(ctx)
		if err != nil {
			return news, false, err
		}
		news = news || p.bytes > 0
		if p.bytes > 0 {
			l.over = time.Time{}
			continue
		}
		next := l.next(attempts)
		switch {
		case p.complete:
		case !final && next == 0 || !l.late():
			return news, false, nil
		default:
			l.lacks()
		}
		if one || next == 0 {
			return news, one || final, nil
		}
		l.attempt, l.offset, l.over = next, 0, time.Time{}
	}
}

// late reports whether the attempt ended so long ago that the rest of its log may never come.
func (l *logReader) late() bool {
	if l.over.IsZero() {
		l.over = time.Now()
	}
	return time.Since(l.over) >= l.patience
}

// state returns the numbers of the attempts that executors had, and whether the task has ended.
func (l *logReader) state(ctx context.Context) (numbers []int, final bool, err error) {
	b, err := checked(l.api.GetBatchWithResponse(ctx, l.batch, &model.GetBatchParams{}))
	if err != nil {
		return nil, false, err
	}
	for i := range b.JSON200.Tasks {
		if t := &b.JSON200.Tasks[i]; t.Key == l.task {
			final = ended(t.State) || !b.JSON200.Live
		} else if task, index, ok := hive.ParseShardName(l.task); ok && t.Key == task {
			at := slices.IndexFunc(t.Shards, func(s model.ShardRun) bool { return s.Index == index })
			final = at >= 0 && ended(t.Shards[at].State) || !b.JSON200.Live
		}
	}
	r, err := checked(l.api.ListAttemptsWithResponse(ctx, l.batch, &model.ListAttemptsParams{Task: &l.task}))
	if err != nil {
		return nil, false, err
	}
	for _, a := range r.JSON200.Items {
		if a.Outcome != "returned" {
			numbers = append(numbers, a.Number)
		}
	}
	return numbers, final, nil
}

// next returns the attempt after the current one, or 0 if there is none.
func (l *logReader) next(numbers []int) int {
	for _, n := range numbers {
		if n > l.attempt {
			return n
		}
	}
	return 0
}

func ended(s model.RunState) bool {
	switch s {
	case model.RunStateSucceeded, model.RunStateFailed, model.RunStateCanceled, model.RunStateSkipped,
		model.RunStateIgnored:
		return true
	default:
		return false
	}
}
