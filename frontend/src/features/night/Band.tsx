import { Button, SegmentedControl } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { type PointerEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Ago, ErrorNote, useExact, useNow, ZoneMenu } from '@/ui';
import { BandTable } from './BandTable';
import { type Choice, choiceOf, type Cursor, type Mark, markAt, marksOf, placeOfChoice } from './marks';
import { AXIS, heightOf, Plot, ROW } from './Plot';
import { searchOf } from './search';
import { keepOrder, momentAt, type Night, type Scale, windowOf } from './scale';
import { type Point, useMarkControls } from './useMarkControls';
import { FEW_ROWS, type Frame, HOURS, useBand } from './useNight';
import { useMarkText } from './words';
import styles from './Night.module.css';

/** The picture moves with the time in steps of this many milliseconds. */
const STEP = 15_000;
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
  // The window moves with the time between two answers.
  const moved = 'hours' in frame ? now - Date.parse(night.now) : 0;
  const scale: Scale = useMemo(
    () => ({ from: Date.parse(night.from) + moved, to: Date.parse(night.to) + moved, width: width || WIDTH_AT_FIRST }),
    [night.from, night.to, moved, width],
  );
  const chosen = cursor && marks[cursor.row]?.[cursor.mark];
  const schedule = cursor && night.rows[cursor.row]?.schedule;
  const choose = ({ row, mark }: Cursor) => {
    const [target, name] = [marks[row]?.[mark], night.rows[row]?.schedule];
    if (target?.bar) void navigate({ to: '/batches/$id', params: { id: target.bar.id } });
    else if (target && name) void navigate({ to: '/schedules/$name/ticks', params: { name } });
  };
  const pointOf = (event: PointerEvent): Point => {
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const row = Math.floor((y - AXIS) / ROW);
    const mark = marks[row] && markAt(marks[row], x, scale);
    return { x, draggable: true, at: mark === undefined ? undefined : { row, mark } };
  };
  const back = () => {
    onFrame({ hours: 12 });
  };
  const { drag, handlers } = useMarkControls({
    marks,
    scale,
    cursor,
    start: { row: 0, mark: 0 },
    pointOf,
    onCursor: setCursor,
    onMove: setCursor,
    onChoose: choose,
    onZoom: (from, to) => {
      onFrame(windowOf(momentAt(from, scale), momentAt(to, scale)));
      setCursor(undefined);
    },
    onBack: back,
  });
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
        onDoubleClick={back}
        {...handlers}
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
