import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Cell, saveCsv } from './csv';
import { ScrollRegion } from './ScrollRegion';
import { type Series, stacked } from './series';
import styles from './Reports.module.css';

interface Props {
  title: string;
  /** What the chart shows, in one sentence: for everybody, and for those who cannot see it. */
  summary: string;
  /** The days or hours, oldest first: in short for the axis, and in full for the table. */
  labels: readonly string[];
  names: readonly string[];
  /** What a label is, as the head of a table. */
  labelHead: string;
  series: readonly Series[];
  /** The values of a day are bars upon each other; else each series is a line. */
  bars?: boolean;
  format: (value: number) => string;
  /** The values are seconds, so the axis has marks at whole minutes and hours. */
  seconds?: boolean;
  /** A fixed greatest value. */
  most?: number;
  /** The name of the CSV file. */
  file: string;
  /** A cell of the table, if it is more than the text. */
  cell?: (row: number, series: number, text: string) => ReactNode;
}

const HEIGHT = 168;
/** The distances between the marks of an axis of seconds. */
const TIME_STEPS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
  10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000,
];

/** A chart with a legend, which has the values under the pointer, and the same numbers as a table and as CSV. */
export function Chart(props: Props) {
  const { title, summary, labels, series, format } = props;
  const { t } = useTranslation('reports');
  const id = useId();
  const [at, setAt] = useState<number>();
  const shown = at !== undefined && at < labels.length ? at : undefined;
  return (
    <section className={styles.chart} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p className={styles.summary}>{summary}</p>
      <Plot {...props} onPoint={setAt} />
      <div className={styles.legend} aria-hidden="true">
        <b>{shown === undefined ? '' : props.names[shown]}</b>
        {series.map((s) => {
          const value = shown === undefined ? undefined : s.values[shown];
          return (
            <span key={s.label}>
              <i style={{ background: `var(${s.color})` }} data-dashed={s.dashed} />
              {s.label}
              {typeof value === 'number' && <b>{format(value)}</b>}
            </span>
          );
        })}
      </div>
      <details>
        <summary>{t('table')}</summary>
        <Numbers {...props} />
      </details>
    </section>
  );
}

/** The canvas of a chart. It is drawn anew when its size, its data or the colours change. */
function Plot({
  labels,
  series,
  bars,
  format,
  most,
  seconds,
  onPoint,
}: Props & { onPoint: (at: number | undefined) => void }) {
  const { ref, width } = useElementSize();
  const target = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const point = useRef(onPoint);
  useEffect(() => {
    point.current = onPoint;
  });
  useEffect(() => {
    const element = target.current;
    if (!element || width < 1) return undefined;
    const style = getComputedStyle(element);
    const color = (token: string) => style.getPropertyValue(token).trim();
    // The highest bars are drawn first, so that the others lie upon them.
    const drawn = bars ? [...series].reverse() : series;
    const rows = bars ? stacked(series).reverse() : series.map((s) => [...s.values]);
    const x = labels.map((_, i) => i);
    const options = chartOptions({ series: drawn, bars, width, labels, format, most, seconds, color });
    options.hooks = {
      setCursor: [
        (u) => {
          point.current(u.cursor.idx ?? undefined);
        },
      ],
    };
    const plot = new uPlot(options, [x, ...rows] as uPlot.AlignedData, element);
    return () => {
      plot.destroy();
    };
  }, [width, labels, series, bars, format, most, seconds, scheme]);
  return (
    <div ref={ref} className={styles.plot} style={{ height: HEIGHT }} aria-hidden="true">
      <div ref={target} />
    </div>
  );
}

interface Drawing extends Pick<Props, 'series' | 'bars' | 'labels' | 'format' | 'most' | 'seconds'> {
  width: number;
  color: (token: string) => string;
}

function chartOptions({ series, bars, width, labels, format, most, seconds, color }: Drawing): uPlot.Options {
  const axis = {
    stroke: color('--ink-3'),
    font: `11px ${color('--font')}`,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  const paths = bars ? uPlot.paths.bars?.({ size: [0.75, 40], align: 0 }) : undefined;
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: !bars } },
    scales: {
      x: { time: false, range: [-0.5, Math.max(labels.length - 0.5, 0.5)] },
      y: { range: (_, __, max) => [0, most ?? Math.max(max * 1.08, Number.MIN_VALUE)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        incrs: [1, 2, 7, 14, 28, 56],
        values: (_, ticks) => ticks.map((v) => labels[v] ?? ''),
        size: 28,
      },
      {
        ...axis,
        size: 64,
        space: 40,
        incrs: seconds ? TIME_STEPS : undefined,
        values: (_, ticks) => ticks.map((v) => format(v)),
      },
    ],
    series: [
      {},
      ...series.map((s) => ({
        stroke: color(s.color),
        fill: bars ? color(s.color) : undefined,
        width: bars ? 0 : 1.6,
        dash: s.dashed ? [4, 3] : undefined,
        spanGaps: true,
        paths,
        points: { show: !bars && labels.length <= 90, size: 4, fill: color(s.color) },
      })),
    ],
  };
}

/** The numbers of a chart. */
function Numbers({ title, labelHead, names, series, format, file, cell }: Props) {
  const { t } = useTranslation('reports');
  const rows = names.map((name, i) => ({ name, i })).reverse();
  const save = () => {
    const head: Cell[] = [labelHead, ...series.map((s) => s.label)];
    saveCsv(file, [head, ...names.map((name, i) => [name, ...series.map((s) => s.values[i] ?? undefined)])]);
  };
  return (
    <>
      <ScrollRegion boxed label={t('tableOf', { title })}>
        <table>
          <caption className="hg-visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{labelHead}</th>
              {series.map((s) => (
                <th scope="col" key={s.label}>
                  {s.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, i }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {series.map((s, n) => {
                  const value = s.values[i];
                  const text = typeof value === 'number' ? format(value) : '–';
                  return <td key={s.label}>{cell?.(i, n, text) ?? text}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <button type="button" className={styles.link} onClick={save}>
        {t('csv')}
      </button>
    </>
  );
}
