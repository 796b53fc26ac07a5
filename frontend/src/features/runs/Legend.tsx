import { useEffect, useMemo, useRef } from 'react';
import { useComputedColorScheme } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { drawCell, readColours } from './cells';
import type { Cell, Grid, Row } from './grid';
import styles from './Runs.module.css';

const SHOWN = ['s', 'f', 'r', 'k', 'm', 'c', 'n', 'i', 'u', 'w', 'x'] as const;

/** A live change replaces few rows; the letters of the others are known. */
const letters = new WeakMap<Row, ReadonlySet<string>>();

/** The different states of a row. */
function lettersOf(row: Row): ReadonlySet<string> {
  const known = letters.get(row) ?? new Set(row.cells);
  letters.set(row, known);
  return known;
}

/** What the cells of the grid mean. Only the states that it has are listed. */
export function Legend({ grid }: { grid: Grid }) {
  const { t } = useTranslation('runs');
  const present = useMemo(() => new Set(grid.rows.flatMap((row) => [...lettersOf(row)])), [grid.rows]);
  return (
    <ul className={styles.legend} aria-label={t('legend')}>
      {SHOWN.filter((cell) => present.has(cell)).map((cell) => (
        <li key={cell}>
          <CellImage cell={cell} /> {t(`legendOf.${cell}`)}
        </li>
      ))}
    </ul>
  );
}

const SIZE = 14;

/** One cell, drawn as in the grid. */
export function CellImage({ cell }: { cell: Cell }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme();
  useEffect(() => {
    const c = canvas.current?.getContext('2d');
    if (!canvas.current || !c) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.current.width = canvas.current.height = SIZE * ratio;
    c.scale(ratio, ratio);
    drawCell(c, readColours(canvas.current), cell, 0, 0, SIZE);
  }, [cell, scheme]);
  return <canvas ref={canvas} className={styles.cell} aria-hidden="true" />;
}
