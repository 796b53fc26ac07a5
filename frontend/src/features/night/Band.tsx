import { Button, SegmentedControl } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Ago, ErrorNote, useExact, useNow, ZoneMenu } from '@/ui';
import { BandTable } from './BandTable';
import { type Choice, choiceOf, type Cursor, type Mark, markAt, marksOf, moveCursor, placeOfChoice } from './marks';
import { AXIS, heightOf, Plot, ROW } from './Plot';
import { searchOf } from './search';
import { keepOrder, momentAt, type Night, type Scale, windowOf } from './scale';
import { FEW_ROWS, type Frame, HOURS, useBand } from './useNight';
import { useMarkText } from './words';
import styles from './Night.module.css';

/** The picture moves with the time in steps of this many milliseconds. */
const STEP = 15_000;
/** The shortest drag in pixels. A shorter one is a click. */
const LEAST_DRAG = 6;
/** The width before the browser has measured it. */
const WIDTH_AT_FIRST = 800;

/** What ran, runs and will run around now: a row for each schedule, and the slots. */
export function Band() {
  const { t } = useTranslation('night');
  const [frame, setFrame] = useState<Frame>({ hours: 12 });
  const [table, setTable] = useState(false);
  const exact = useExact();
  const query = useBand(frame);
  const night = query.data;
  return (
    <section className={styles.band} aria-labelledby="night-title" aria-busy={query.isPending}>
      <div className={styles.bandHead}>
        <h2 id="night-title">{t('title')}</h2>
        <span className={styles.when}>
          {night && t('fromTo', { from: exact(night.from), to: exact(night.to) })}
          {query.isError && night && (
            <span className={styles.stale}>
              {' · '}
              {t('stale')} <Ago at={night.now} />
            </span>
          )}
        </span>
        <ZoneMenu />
        {night && <Count night={night} frame={frame} />}
        <button
          type="button"
          className={styles.all}
          onClick={() => {
            setTable(!table);
          }}
        >
          {t(table ? 'asPicture' : 'asTable')}
        </button>
        {'from' in frame && (
          <Button
            size="compact-sm"
            onClick={() => {
              setFrame({ hours: 12 });
            }}
          >
            {t('back')}
          </Button>
        )}
        <SegmentedControl
          size="xs"
          aria-label={t('window')}
          value={'hours' in frame ? String(frame.hours) : ''}
          onChange={(value) => {
            setFrame({ hours: Number(value) });
          }}
          data={HOURS.map((hours) => ({ value: String(hours), label: t('hours', { hours }) }))}
        />
      </div>
      {query.isPending && <div className={styles.waiting} style={{ height: heightOf(FEW_ROWS) }} aria-hidden="true" />}
      {query.isError && !night && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {night?.rows.length === 0 && <p className={styles.nothing}>{t('nothing')}</p>}
      {night && night.rows.length > 0 && <Rows night={night} table={table} frame={frame} onFrame={setFrame} />}
    </section>
  );
}

function Count({ night, frame }: { night: Night; frame: Frame }) {
  const { t } = useTranslation('night');
  const { rows, schedules, more } = night;
  const others = schedules > rows.length || more === true;
  return (
    <span className={styles.count}>
      {others
        ? t(more ? 'countMore' : 'count', { shown: rows.length, count: schedules })
        : t('countAll', { count: schedules })}
      <Link to="/timeline" search={searchOf(frame)} className={styles.all}>
        {t('all')}
      </Link>
    </span>
  );
}

interface RowsProps {
  night: Night;
  table: boolean;
  frame: Frame;
  onFrame: (frame: Frame) => void;
}

/** The rows as a picture or as a table. While the pointer is over them, no row moves. */
function Rows({ night: fresh, table, frame, onFrame }: RowsProps) {
  const [held, setHeld] = useState<readonly string[]>();
  const night = useMemo(() => (held ? { ...fresh, rows: keepOrder(held, fresh.rows) } : fresh), [fresh, held]);
  // Without a connection it stands still: nobody knows what still runs.
  const now = Math.max(Date.parse(night.now), useNow(STEP));
  const marks = useMemo(() => night.rows.map((row) => marksOf(row, now)), [night, now]);
  if (table) return <BandTable night={night} marks={marks} now={now} />;
  return (
    <div
      className={styles.body}
      onPointerEnter={() => {
        setHeld(night.rows.map((row) => row.schedule));
      }}
      onPointerLeave={() => {
        setHeld(undefined);
      }}
    >
      <Names night={night} />
      <Picture night={night} marks={marks} now={now} frame={frame} onFrame={onFrame} />
    </div>
  );
}

function Names({ night }: { night: Night }) {
  const { t } = useTranslation('night');
  return (
    <div className={styles.names} style={{ paddingTop: AXIS }}>
      {night.rows.map(({ schedule, state }) => (
        <Link
          key={schedule}
          to="/schedules/$name"
          params={{ name: schedule }}
          search={{}}
          preload={false}
          className={styles.name}
          style={{ height: ROW, lineHeight: `${String(ROW)}px` }}
          data-failed={state === 'failed' || undefined}
          title={schedule}
        >
          {schedule}
        </Link>
      ))}
      <p className={styles.slots}>
        {t('slots')}
        <br />
        {t('slotsOf', { there: night.slots.there })}
      </p>
    </div>
  );
}

interface PictureProps {
  night: Night;
  marks: readonly (readonly Mark[])[];
  now: number;
  frame: Frame;
  onFrame: (frame: Frame) => void;
}

/** Draws the night. A pointer or the keys choose a mark, and a text for screen readers describes it. */
function Picture({ night, marks, now, frame, onFrame }: PictureProps) {
  const { t } = useTranslation('night');
  const navigate = useNavigate();
  const textOf = useMarkText();
  const { ref, width } = useElementSize();
  const [choice, setChoice] = useState<Choice>();
  const cursor = useMemo(() => placeOfChoice(choice, night.rows, marks), [choice, night.rows, marks]);
  const setCursor = (next: Cursor | undefined) => {
    setChoice(choiceOf(next, night.rows, marks));
  };
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  // The window moves with the time between two answers.
  const moved = 'hours' in frame ? now - Date.parse(night.now) : 0;
  const scale: Scale = useMemo(
    () => ({ from: Date.parse(night.from) + moved, to: Date.parse(night.to) + moved, width: width || WIDTH_AT_FIRST }),
    [night.from, night.to, moved, width],
  );
  const chosen = cursor && marks[cursor.row]?.[cursor.mark];
  const schedule = cursor && night.rows[cursor.row]?.schedule;
  const open = (mark = chosen, name = schedule) => {
    if (mark?.bar) void navigate({ to: '/batches/$id', params: { id: mark.bar.id } });
    else if (mark && name) void navigate({ to: '/schedules/$name/ticks', params: { name } });
  };
  const find = (event: PointerEvent): { x: number; at?: Cursor } => {
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const row = Math.floor((y - AXIS) / ROW);
    const mark = marks[row] && markAt(marks[row], x, scale);
    return { x, at: mark === undefined ? undefined : { row, mark } };
  };
  const zoom = (from: number, to: number) => {
    onFrame(windowOf(momentAt(from, scale), momentAt(to, scale)));
    setCursor(undefined);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return; // keys of the browser, such as those of its zoom
    const next = moveCursor(event.key, cursor ?? { row: 0, mark: 0 }, marks);
    if (next) setCursor(cursor ? next : { row: 0, mark: 0 });
    else if (event.key === 'Enter') open();
    else if (event.key === '+' || event.key === '-') {
      const middle = chosen ? placeInside(chosen, scale) : scale.width / 2;
      const half = scale.width * (event.key === '+' ? 0.25 : 1);
      zoom(middle - half, middle + half);
    } else if (event.key === 'Escape' || event.key === '0') onFrame({ hours: 12 });
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles.picture}>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys do what a pointer does */}
      <div
        ref={ref}
        className={styles.target}
        role="application"
        aria-label={t('label')}
        aria-describedby="night-keys night-mark"
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its keys need the focus
        tabIndex={0}
        data-link={chosen ? '' : undefined}
        onKeyDown={keyDown}
        onPointerDown={(event) => {
          if (event.button !== 0 || event.pointerType === 'touch') return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const { x } = find(event);
          setDrag({ from: x, to: x });
        }}
        onPointerMove={(event) => {
          const { x, at } = find(event);
          setCursor(at);
          if (drag) setDrag({ ...drag, to: x });
        }}
        onPointerUp={(event) => {
          if (event.button !== 0) return;
          const { x, at } = find(event);
          if (drag && Math.abs(x - drag.from) >= LEAST_DRAG) zoom(drag.from, x);
          else if (at) open(marks[at.row]?.[at.mark], night.rows[at.row]?.schedule);
          setDrag(undefined);
        }}
        onPointerCancel={() => {
          setDrag(undefined);
        }}
        onPointerLeave={() => {
          if (!drag) setCursor(undefined);
        }}
        onDoubleClick={() => {
          onFrame({ hours: 12 });
        }}
      >
        <Plot night={night} marks={marks} scale={scale} now={now} cursor={cursor} drag={drag} />
      </div>
      <p id="night-keys" className="hg-visually-hidden">
        {t('keys')}
      </p>
      <p id="night-mark" className={styles.words} role="status">
        {chosen && schedule ? textOf(schedule, chosen) : ''}
      </p>
    </div>
  );
}

function placeInside(mark: Mark, scale: Scale): number {
  const at = ((mark.from + mark.to) / 2 - scale.from) / (scale.to - scale.from);
  return Math.max(0, Math.min(1, at)) * scale.width;
}
