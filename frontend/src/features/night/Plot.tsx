import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { exact, useExact, useShownZone, weekday } from '@/ui';
import type { Cursor, Look, Mark } from './marks';
import { placeLabels, TIME_OF_NOW } from './labels';
import { axisOf, collisionsOf, type Night, placeOf, round, type Scale, stepsOf } from './scale';
import type { Drag } from './useMarkControls';
import { waitText } from './words';
import styles from './Night.module.css';

/** Heights in pixels. */
export const AXIS = 26;
/** The height of a row. */
export const ROW = 18;
const BAR = 9;
const CURVE = 44;
/** The space between the rows and the curve. */
const GAP = 8;
/** The shortest bar, and the shortest that has a cross. */
const LEAST = 2;
const CROSS = 12;
/** The width of a text beside a mark, roughly: Chinese characters are twice as wide. */
const widthOf = (text: string) => [...text].reduce((sum, letter) => sum + (letter > '\u2e80' ? 11.5 : 6), 0);
/** A bold text is this many times as wide. */
const BOLD = 1.1;

interface Props {
  night: Night;
  marks: readonly (readonly Mark[])[];
  scale: Scale;
  now: number;
  cursor?: Cursor;
  /** The selection of a drag, in pixels. */
  drag?: Drag;
}

/** The height of the picture for a number of rows. */
export const heightOf = (rows: number) => AXIS + rows * ROW + GAP + CURVE + 2;

/** The picture of the band. It is hidden from screen readers; the band around it says the same in words. */
export const Plot = memo(function Plot({ night, marks, scale, now, cursor, drag }: Props) {
  const bottom = AXIS + marks.length * ROW;
  const height = heightOf(marks.length);
  const nowX = placeOf(now, scale);
  return (
    <svg className={styles.plot} width={scale.width} height={height} aria-hidden="true" focusable="false">
      {nowX < scale.width && (
        <rect
          className={styles.future}
          x={Math.max(0, nowX)}
          y={AXIS}
          width={scale.width - Math.max(0, nowX)}
          height={height - AXIS}
        />
      )}
      <Axis scale={scale} height={height} now={now} />
      {marks.map((row, i) => (
        <Row key={night.rows[i]?.schedule} marks={row} y={AXIS + i * ROW} scale={scale} />
      ))}
      <line className={styles.edge} x1={0} x2={scale.width} y1={bottom + GAP / 2} y2={bottom + GAP / 2} />
      <Curve night={night} scale={scale} top={bottom + GAP} />
      {nowX >= 0 && nowX <= scale.width && <NowLine x={nowX} now={now} height={height} width={scale.width} />}
      <ChosenMark marks={marks} cursor={cursor} scale={scale} />
      {drag && (
        <rect
          className={styles.drag}
          x={Math.min(drag.from, drag.to)}
          y={AXIS}
          width={Math.abs(drag.to - drag.from)}
          height={height - AXIS}
        />
      )}
    </svg>
  );
});

/** The labels of the axis with their lines. */
export function Axis({ scale, height, now }: { scale: Scale; height: number; now: number }) {
  const { i18n } = useTranslation();
  const zone = useShownZone();
  const marks = axisOf(scale, zone).map(({ at, day }) => {
    const text = day ? weekday(at, i18n.language, now, zone) : exact(at, { zone }).slice(11);
    return { at, day, text, x: placeOf(at, scale), width: widthOf(text) * (day ? BOLD : 1) };
  });
  const places = placeLabels(marks, placeOf(now, scale), scale.width);
  return marks.map(({ at, day, text, x }, i) => (
    <g key={at} className={day ? styles.day : undefined}>
      <line className={styles.grid} x1={x} x2={x} y1={AXIS - 4} y2={height} />
      {places[i] !== undefined && (
        <text className={styles.hour} x={places[i]} y={AXIS - 9} textAnchor="middle">
          {text}
        </text>
      )}
    </g>
  ));
}

/** The looks that are drawn as one path for a row, because there may be many of them. */
const PLAIN: readonly Look[] = ['succeeded', 'settled', 'canceled', 'due'];

/** The marks of a row. */
export const Row = memo(function Row({ marks, y, scale }: { marks: readonly Mark[]; y: number; scale: Scale }) {
  const top = y + (ROW - BAR) / 2;
  // Only the first mark that waits has a text beside it.
  const withText = marks.findIndex((mark) => mark.look === 'waits' || (mark.look === 'late' && mark.tick));
  return (
    <g>
      <line className={styles.line} x1={0} x2={scale.width} y1={y + ROW} y2={y + ROW} />
      {PLAIN.map((look) => {
        const path = boxesOf(marks, look, top, scale);
        return path && <path key={look} className={styles.mark} data-look={look} d={path} />;
      })}
      {marks.map((mark, i) => {
        if (PLAIN.includes(mark.look)) return null;
        return (
          <Special
            key={mark.bar?.id ?? `${String(mark.moment)} ${String(i)}`}
            mark={mark}
            top={top}
            scale={scale}
            next={i === withText ? placeOf(marks[i + 1]?.from ?? Infinity, scale) : undefined}
          />
        );
      })}
    </g>
  );
});

/** Boxes that are nearer to each other than this are drawn as one. */
const NEAR = 2.5;

/** The boxes of all marks with one look as a path, within the picture. */
function boxesOf(marks: readonly Mark[], look: Look, top: number, scale: Scale): string {
  const boxes: { from: number; to: number }[] = [];
  for (const mark of marks) {
    if (mark.look !== look) continue;
    const [x, width] = extent(mark, scale);
    if (width <= 0) continue;
    const last = boxes.at(-1);
    if (last && x - last.to < NEAR) last.to = Math.max(last.to, x + width);
    else boxes.push({ from: x, to: x + width });
  }
  return boxes
    .map(({ from, to }) => `M${round(from)} ${round(top)}H${round(to)}v${String(BAR)}H${round(from)}z`)
    .join('');
}

function extent(mark: Mark, scale: Scale): [x: number, width: number] {
  const from = placeOf(mark.from, scale);
  const to = Math.max(placeOf(mark.to, scale), from + LEAST);
  const x = Math.max(0, from);
  return [x, Math.min(scale.width, to) - x];
}

interface SpecialProps {
  mark: Mark;
  top: number;
  scale: Scale;
  /** If the mark may have a text beside it: where the next mark begins. */
  next?: number;
}

/** A mark that is more than a box: a failure has a cross, and what waits has a dot at its moment and a reason. */
function Special({ mark, top, scale, next }: SpecialProps) {
  const { t } = useTranslation('night');
  const [x, width] = extent(mark, scale);
  if (width <= 0 && x >= scale.width) return null;
  const middle = top + BAR / 2;
  if (mark.look === 'failed') {
    const w = Math.max(width, CROSS);
    const left = Math.max(0, Math.min(x + width / 2 - w / 2, scale.width - w));
    const c = left + w / 2;
    return (
      <g>
        <rect className={styles.mark} data-look="failed" x={left} y={top - 1.5} width={w} height={BAR + 3} rx={2.5} />
        <path className={styles.cross} d={`M${round(c - 2)} ${round(middle - 2)}l4 4m0 -4l-4 4`} />
      </g>
    );
  }
  const text = next === undefined ? '' : waitText(mark.tick?.waitsFor, mark.look === 'late', t);
  const right = x + Math.max(width, 3) + 8;
  const dot = mark.tick && placeOf(mark.moment, scale);
  const hasDot = dot !== undefined && dot >= 0 && dot < x - 4;
  return (
    <g>
      {hasDot && (
        <>
          <circle className={styles.dot} cx={dot} cy={middle} r={2.5} />
          <line className={styles.wait} x1={dot} x2={x} y1={middle} y2={middle} />
        </>
      )}
      <rect
        className={styles.mark}
        data-look={mark.look}
        data-live={mark.bar ? '' : undefined}
        x={x}
        y={top}
        width={Math.max(width, 3)}
        height={BAR}
        rx={2.5}
      />
      {text && right + widthOf(text) < Math.min(scale.width, next ?? scale.width) && (
        <text className={styles.reason} data-look={mark.look} x={right} y={middle + 3.5}>
          {text}
        </text>
      )}
    </g>
  );
}

/** The slots in use and the wanted ones. Where more are wanted than there are, the curve has a cap and a sentence. */
function Curve({ night, scale, top }: { night: Night; scale: Scale; top: number }) {
  const { t } = useTranslation('night');
  const exact = useExact();
  const { slots, now } = night;
  const most = Math.max(1, slots.there, ...slots.used, ...slots.wanted);
  const y = (count: number) => top + CURVE - (count / most) * (CURVE - 14);
  const past = { from: Date.parse(slots.usedFrom), to: Math.min(Date.parse(now), scale.to) };
  const coming = { from: Math.max(Date.parse(now), Date.parse(night.from)), to: Date.parse(slots.wantedUntil) };
  const collisions = collisionsOf(night);
  const worst = collisions.toSorted((a, b) => b.wanted - a.wanted)[0];
  const area = stepsOf(slots.used, past, scale, y);
  const base = round(top + CURVE);
  const label = worst && {
    x: placeOf(worst.from, scale),
    text: t('collision', { at: exact(worst.from).slice(11), wanted: worst.wanted, there: slots.there }),
  };
  const long = label ? widthOf(label.text) : 0;
  return (
    <g>
      {slots.there > 0 && (
        <line className={styles.there} x1={0} x2={scale.width} y1={y(slots.there)} y2={y(slots.there)} />
      )}
      {area && (
        <>
          <path className={styles.usedArea} d={`${area}V${base}H${round(placeOf(past.from, scale))}Z`} />
          <path className={styles.used} d={area} />
        </>
      )}
      <path className={styles.wanted} d={stepsOf(slots.wanted, coming, scale, y)} />
      {collisions.map(({ from, to, wanted }) => (
        <rect
          key={from}
          className={styles.cap}
          x={placeOf(from, scale)}
          width={Math.max(LEAST, placeOf(to, scale) - placeOf(from, scale))}
          y={y(wanted)}
          height={Math.max(3, y(slots.there) - y(wanted))}
        />
      ))}
      {label && long < scale.width && (
        <text
          className={styles.reason}
          data-look="late"
          x={Math.max(0, Math.min(label.x, scale.width - long))}
          y={top + 8}
        >
          {label.text}
        </text>
      )}
    </g>
  );
}

/** The line of now with its time. */
export function NowLine({ x, now, height, width }: { x: number; now: number; height: number; width: number }) {
  const exact = useExact();
  const half = TIME_OF_NOW / 2;
  const label = Math.max(half, Math.min(x, width - half));
  return (
    <g>
      <line className={styles.now} x1={x} x2={x} y1={AXIS - 6} y2={height} />
      <rect className={styles.nowBox} x={label - half} y={2} width={TIME_OF_NOW} height={18} rx={9} />
      <text className={styles.nowText} x={label} y={15} textAnchor="middle">
        {exact(now).slice(11)}
      </text>
    </g>
  );
}

/** The ring around the mark under the pointer or the cursor. */
function ChosenMark({ marks, cursor, scale }: Pick<Props, 'marks' | 'cursor' | 'scale'>) {
  const mark = cursor && marks[cursor.row]?.[cursor.mark];
  return mark && <Chosen mark={mark} y={AXIS + cursor.row * ROW} scale={scale} />;
}

/** The ring around a mark of a row at `y`. */
export function Chosen({ mark, y, scale }: { mark: Mark; y: number; scale: Scale }) {
  const [x, width] = extent(mark, scale);
  const top = y + (ROW - BAR) / 2;
  return (
    <rect className={styles.chosen} x={x - 3} y={top - 4} width={Math.max(width, 3) + 6} height={BAR + 8} rx={4} />
  );
}
