import styles from './Settings.module.css';

const BOXES = [
  [12, 7],
  [66, 7],
  [12, 39],
  [66, 39],
] as const;

/** Two jobs: a task of the first is done, one still runs. May the one below the first begin? */
export function FlowPicture({ strict }: { strict: boolean }) {
  const busy = strict ? [false, true, false, false] : [false, true, true, false];
  return (
    <svg width={132} height={60} viewBox="0 0 132 60" aria-hidden>
      <rect className={styles.lane} x={0} y={0} width={132} height={26} rx={4} />
      <rect className={styles.lane} x={0} y={33} width={132} height={26} rx={4} />
      <path className={styles.wire} d="M38 19v20M92 19v20" />
      {strict && <path className={styles.bar} d="M0 29.5h132" />}
      {BOXES.map(([x, y], i) => (
        <g key={i}>
          <rect className={styles.box} x={x} y={y} width={52} height={13} rx={3} />
          {busy[i] && <rect className={styles.on} x={x + 3} y={y + 4.5} width={26} height={4} rx={2} />}
          {i === 0 && <rect className={styles.done} x={x + 3} y={y + 4.5} width={46} height={4} rx={2} />}
        </g>
      ))}
    </svg>
  );
}
