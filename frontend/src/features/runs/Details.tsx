import { ActionIcon, Button, CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { batchQuery } from '@/api/queries';
import { errorText } from '@/api/problem';
import { Glyph, NeedsServer, reasonText, useTook } from '@/ui';
import { type Cell, cellAt, type Grid, type Line, type Row, statsOf } from './grid';
import { CellImage } from './Legend';
import { isMarked, type Marks, type Place, toggle } from './marks';
import { SHOWN, useMoment, wordOf } from './words';
import styles from './Runs.module.css';

interface Props {
  grid: Grid;
  zone?: string;
  lines: readonly Line[];
  line?: Line;
  place: Place;
  name: (line: Line) => string;
  marks: Marks;
  onMarks: (marks: Marks) => void;
  /** Shows the same task in another column. */
  onBatch: (x: number) => void;
  onClose: () => void;
  onResume: (batch: number, task: string) => void;
}

/** The chosen task in its batch: how it went, against the batch before, and in all batches. */
export function Details(props: Props) {
  const { grid, zone, line, lines, place, name, marks, onMarks, onBatch, onClose, onResume } = props;
  const { t } = useTranslation('runs');
  const momentOf = useMoment(zone);
  const batch = grid.batches[place.x];
  if (!batch || line?.kind !== 'task') return null;
  const { row } = line;
  const cell = cellAt(row, place.x);
  const resumable = cell === 'f' || cell === 'c' || (cell === 'x' && batch.live);
  return (
    <aside className={styles.details} aria-label={t('details.label')}>
      <header>
        <h2>{name(line)}</h2>
        {name(line) !== row.task && <code>{row.task}</code>}
        <span className={styles.space} />
        <Step
          label={t('details.before')}
          path="M10 4L6 8l4 4"
          to={place.x - 1}
          last={grid.batches.length}
          onBatch={onBatch}
        />
        <Step
          label={t('details.after')}
          path="M6 4l4 4-4 4"
          to={place.x + 1}
          last={grid.batches.length}
          onBatch={onBatch}
        />
        <CloseButton aria-label={t('details.close')} onClick={onClose} />
      </header>
      <Heading row={row} cell={cell} x={place.x} line={line} />
      <p className="hg-quiet">
        {momentOf(batch)} · {t('batch', { id: batch.id })} · {t('details.round', { round: batch.round })}
        {batch.revision > 0 && ` · v${String(batch.revision)}`}
      </p>
      {(cell === 'f' || cell === 'x') && <Failure key={batch.round} batch={batch.id} task={row.task} />}
      <div className={styles.buttons}>
        <Link
          className={styles.open}
          to="/batches/$id"
          params={{ id: batch.id }}
          search={{ task: row.task }}
          preload={false}
        >
          {t('details.open')}
        </Link>
        {cell !== '.' && (
          <Button
            onClick={() => {
              onMarks(toggle(marks, grid, lines, place));
            }}
          >
            {t(isMarked(marks, grid, lines, place) ? 'details.unmark' : 'details.mark')}
          </Button>
        )}
        {resumable && (
          <NeedsServer>
            <Button
              variant="filled"
              onClick={() => {
                onResume(batch.id, row.task);
              }}
            >
              {t('details.resume')}
            </Button>
          </NeedsServer>
        )}
      </div>
      <Against row={row} x={place.x} grid={grid} zone={zone} />
      <h3>{t('details.all')}</h3>
      <Bars row={row} x={place.x} />
    </aside>
  );
}

interface StepProps {
  label: string;
  path: string;
  to: number;
  last: number;
  onBatch: (x: number) => void;
}

function Step({ label, path, to, last, onBatch }: StepProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      disabled={to < 0 || to >= last}
      onClick={() => {
        onBatch(to);
      }}
    >
      <svg className={styles.arrow} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={path} />
      </svg>
    </ActionIcon>
  );
}

/** The state of the task, and how long it took. */
function Heading({ row, cell, x, line }: { row: Row; cell: Cell; x: number; line: Line }) {
  const { t } = useTranslation('runs');
  const took = useTook();
  const ms = row.took[x] ?? 0;
  const { usual } = statsOf(line);
  return (
    <p className={styles.state} data-state={SHOWN[cell]}>
      <Glyph state={SHOWN[cell]} size={24} />
      <b>{t(`cell.${wordOf(cell)}`)}</b>
      <span>
        {ms > 0 && `${t('details.took', { time: took(ms) })} · `}
        {usual !== undefined && t('details.usually', { time: took(usual) })}
      </span>
    </p>
  );
}

const MAX_NAMES = 8;

/** The error of a failed task, and the tasks that were skipped because of it. */
function Failure({ batch, task }: { batch: number; task: string }) {
  const { t } = useTranslation(['runs', 'sentences', 'states']);
  const { data } = useQuery({ ...batchQuery(batch), refetchOnMount: 'always' });
  const run = data?.tasks.find(({ key }) => key === task);
  if (!run) return null;
  const error = [reasonText(run, t), errorText(run, t) || run.detail].filter(Boolean).join('\n');
  const skipped = data?.tasks.filter(({ state, cause }) => state === 'skipped' && cause === task).map(({ key }) => key);
  return (
    <>
      {error && <pre className={styles.error}>{error.trim().split('\n').slice(0, MAX_NAMES).join('\n')}</pre>}
      {skipped && skipped.length > 0 && (
        <p>
          {t('runs:details.skipped', {
            count: skipped.length,
            tasks: skipped.slice(0, MAX_NAMES).join(', ') + (skipped.length > MAX_NAMES ? ' …' : ''),
          })}
        </p>
      )}
    </>
  );
}

/** The task in the batch before, and its successes. */
function Against({ row, x, grid, zone }: { row: Row; x: number; grid: Grid; zone?: string }) {
  const { t } = useTranslation('runs');
  const took = useTook();
  const momentOf = useMoment(zone);
  const before = grid.batches[x - 1];
  const cell = cellAt(row, x - 1);
  const ms = row.took[x - 1] ?? 0;
  const cells = [...row.cells];
  const good = cells.filter((c) => c === 's' || c === 'r' || c === 'm').length;
  const bad = cells.filter((c) => c === 'f').length;
  return (
    <>
      <h3>{t('details.against')}</h3>
      <dl className={styles.against}>
        {before && (
          <>
            <dt>{momentOf(before)}</dt>
            <dd>
              <CellImage cell={cell} /> {t(`cell.${wordOf(cell)}`)}
              {ms > 0 && ` · ${took(ms)}`}
            </dd>
          </>
        )}
        <dt>{t('details.success')}</dt>
        <dd>
          {t('details.successOf', { count: good, of: good + bad })}
          {bad === 1 && cellAt(row, x) === 'f' && ` · ${t('details.first')}`}
        </dd>
      </dl>
    </>
  );
}

const MOST_BARS = 40;

/** The durations of the task in the batches around the chosen one. */
function Bars({ row, x }: { row: Row; x: number }) {
  const first = Math.max(0, Math.min(x - MOST_BARS / 2, row.cells.length - MOST_BARS));
  const took = row.took.slice(first, first + MOST_BARS);
  const most = Math.max(1, ...took);
  const width = 320 / Math.max(took.length, 12);
  return (
    <svg className={styles.bars} viewBox="0 0 320 48" aria-hidden="true" preserveAspectRatio="none">
      {took.map((ms, i) => {
        const height = Math.max(2, (ms / most) * 44);
        const at = first + i;
        return (
          <rect
            key={at}
            x={i * width}
            y={48 - height}
            width={width - 2}
            height={height}
            data-state={SHOWN[cellAt(row, at)]}
            data-chosen={at === x}
          />
        );
      })}
    </svg>
  );
}
