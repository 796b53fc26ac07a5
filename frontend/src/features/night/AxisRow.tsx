import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useShownZone } from '@/ui';
import type { Mark } from './marks';
import { Chosen, Row } from './Plot';
import { axisOf, type NightRow, placeOf, type Scale } from './scale';
import styles from './Axis.module.css';

/** The height of a row in pixels. */
export const ROW_HEIGHT = 24;

interface Props {
  /** Undefined until it is read. */
  row?: NightRow;
  marks: readonly Mark[];
  scale: Scale;
  now: number;
  /** Pixels before the axis. */
  left: number;
  /** The chosen mark. */
  chosen?: number;
}

/** A schedule: its name and its batches. */
export const AxisRow = memo(function AxisRow({ row, marks, scale, now, left, chosen }: Props) {
  const zone = useShownZone();
  const nowX = placeOf(now, scale);
  const mark = chosen === undefined ? undefined : marks[chosen];
  return (
    <div className={styles.line} data-line="" style={{ height: ROW_HEIGHT, paddingLeft: left }}>
      {row && (
        <Link
          to="/schedules/$name"
          params={{ name: row.schedule }}
          search={{}}
          preload={false}
          className={styles.name}
          style={{ width: left, lineHeight: `${String(ROW_HEIGHT)}px` }}
          data-failed={row.state === 'failed' || undefined}
          title={row.schedule}
        >
          {row.schedule}
        </Link>
      )}
      <svg width={scale.width} height={ROW_HEIGHT} aria-hidden="true" focusable="false">
        {nowX < scale.width && (
          <rect className={styles.future} x={Math.max(0, nowX)} width={scale.width - Math.max(0, nowX)} height="100%" />
        )}
        {axisOf(scale, zone).map(({ at, day }) => (
          <line
            key={at}
            className={styles.grid}
            data-day={day || undefined}
            x1={placeOf(at, scale)}
            x2={placeOf(at, scale)}
            y2={ROW_HEIGHT}
          />
        ))}
        <Usual row={row} marks={marks} scale={scale} />
        <Row marks={marks} y={3} scale={scale} />
        {nowX >= 0 && nowX <= scale.width && <line className={styles.now} x1={nowX} x2={nowX} y2={ROW_HEIGHT} />}
        {mark && <Chosen mark={mark} y={3} scale={scale} />}
      </svg>
    </div>
  );
});

/** The outline of the usual length behind each batch that runs. */
function Usual({ row, marks, scale }: Pick<Props, 'row' | 'marks' | 'scale'>) {
  const usual = row?.usualSeconds;
  if (usual === undefined) return null;
  return marks
    .filter(({ bar }) => bar?.state === 'running')
    .map((mark) => {
      const x = Math.max(0, placeOf(mark.from, scale));
      const end = Math.min(scale.width, placeOf(mark.from + usual * 1000, scale));
      return (
        end > x && <rect key={mark.bar?.id} className={styles.usual} x={x} y={4} width={end - x} height={16} rx={3} />
      );
    });
}
