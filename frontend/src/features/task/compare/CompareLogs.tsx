import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { keys } from '@/api/queries';
import { Dialog, ErrorNote } from '@/ui';
import { apiSource } from '../log/source';
import { plainText } from '../log/text';
import type { LogLine } from '../log/window';
import { align, type AlignedRow } from './align';
import { readLog } from './readLog';
import styles from './CompareLogs.module.css';

/** The numbers of the attempts whose logs are compared. */
type AttemptPair = readonly [left: number, right: number];

interface Props {
  batch: number;
  task: string;
  /** The number of attempts of the task. */
  attempts: number;
  pair: AttemptPair;
  onPair: (pair: AttemptPair) => void;
  onClose: () => void;
}

/** The logs of two attempts beside each other, or below each other on a phone. Lines that differ are marked. */
export function CompareLogs({ batch, task, attempts, pair, onPair, onClose }: Props) {
  const { t } = useTranslation(['task', 'common']);
  const [left, right] = pair;
  const leftLog = useLog(batch, task, left);
  const rightLog = useLog(batch, task, right);
  const both = useMemo(
    () => leftLog.data && rightLog.data && sideBySide(leftLog.data.lines, rightLog.data.lines),
    [leftLog.data, rightLog.data],
  );
  const error = leftLog.error ?? rightLog.error;
  return (
    <Dialog
      opened
      onClose={onClose}
      wide
      busy={!both && !error}
      title={t('compare.title', { task })}
      summary={
        <span className={styles.choice}>
          <Pick label={t('compare.left')} value={left} attempts={attempts} onPick={(n) => onPair([n, right])} />
          <span aria-hidden="true">↔</span>
          <Pick label={t('compare.right')} value={right} attempts={attempts} onPick={(n) => onPair([left, n])} />
        </span>
      }
      footer={<Button onClick={onClose}>{t('common:close')}</Button>}
    >
      {error && <ErrorNote error={error} />}
      {(leftLog.data?.cut || rightLog.data?.cut) && <p className="hg-quiet">{t('compare.cut')}</p>}
      {!both && !error && <p className="hg-quiet">{t('compare.reading')}</p>}
      {both && <Rows key={`${String(left)} ${String(right)}`} {...both} pair={pair} />}
    </Dialog>
  );
}

const useLog = (batch: number, task: string, attempt: number) =>
  useQuery({
    queryKey: [...keys.batch(batch), 'log', task, attempt],
    queryFn: ({ signal }) => readLog(apiSource(batch, task, attempt), signal),
    staleTime: 10_000,
    gcTime: 0,
  });

interface Both {
  rows: readonly AlignedRow[];
  left: readonly string[];
  right: readonly string[];
}

/** The texts of both logs, aligned. Times are no part of the texts. */
function sideBySide(leftLines: readonly LogLine[], rightLines: readonly LogLine[]): Both {
  const left = leftLines.map(({ text }) => plainText(text));
  const right = rightLines.map(({ text }) => plainText(text));
  return { rows: align(left, right), left, right };
}

function Pick(props: { label: string; value: number; attempts: number; onPick: (number: number) => void }) {
  const { t } = useTranslation('task');
  const { label, value, attempts, onPick } = props;
  const all = Array.from({ length: attempts }, (_, i) => String(i + 1));
  return (
    <Select
      size="xs"
      w={130}
      aria-label={label}
      value={String(value)}
      allowDeselect={false}
      data={all.map((number) => ({ value: number, label: t('attempts.number', { number }) }))}
      onChange={(number) => {
        if (number !== null) onPick(Number(number));
      }}
    />
  );
}

/** The first rows of groups of rows that differ. */
const startsOf = (rows: readonly AlignedRow[]) =>
  rows.flatMap((row, i) => (row.differs && !rows[i - 1]?.differs ? [i] : []));

/** Both logs in one region that scrolls, so that they scroll together. Only the visible rows are rendered. */
function Rows({ rows, left, right, pair }: Both & { pair: AttemptPair }) {
  const { t } = useTranslation('task');
  const scroller = useRef<HTMLDivElement>(null);
  const starts = useMemo(() => startsOf(rows), [rows]);
  const [shown, setShown] = useState(-1);
  // eslint-disable-next-line react-hooks/incompatible-library -- the result is not passed to memoized components
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 18,
    overscan: 20,
  });
  const go = (step: number) => {
    const next = Math.min(starts.length - 1, Math.max(0, shown + step));
    setShown(next);
    list.scrollToIndex(starts[next] ?? 0, { align: 'center' });
  };
  const differing = rows.filter((row) => row.differs).length;
  return (
    <>
      <div className={styles.tools}>
        <span role="status">{differing === 0 ? t('compare.same') : t('compare.differing', { count: differing })}</span>
        {starts.length > 0 && (
          <>
            <Button size="compact-sm" disabled={shown <= 0} onClick={() => go(-1)}>
              {t('compare.previous')}
            </Button>
            <Button size="compact-sm" disabled={shown >= starts.length - 1} onClick={() => go(1)}>
              {t('compare.next')}
            </Button>
          </>
        )}
      </div>
      <div
        ref={scroller}
        className={styles.logs}
        role="region"
        aria-label={t('compare.logs')}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrows and page keys scroll it
        tabIndex={0}
      >
        <div style={{ height: list.getTotalSize(), position: 'relative' }}>
          {list.getVirtualItems().map((item) => {
            const row = rows[item.index] as AlignedRow;
            return (
              <div
                key={item.key}
                ref={list.measureElement}
                data-index={item.index}
                className={styles.row}
                data-differs={row.differs || undefined}
                data-current={(row.differs && starts[shown] === item.index) || undefined}
                style={{ transform: `translateY(${String(item.start)}px)` }}
              >
                <Side side="left" lines={left} at={row.left} attempt={row.differs ? pair[0] : undefined} />
                <Side side="right" lines={right} at={row.right} attempt={row.differs ? pair[1] : undefined} />
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

interface SideProps {
  side: 'left' | 'right';
  lines: readonly string[];
  /** The index of the line; undefined if the other log has a line here, and this one has none. */
  at?: number;
  /** The attempt, for screen readers, if the line differs. */
  attempt?: number;
}

function Side({ side, lines, at, attempt }: SideProps) {
  const { t } = useTranslation('task');
  if (at === undefined) return <div className={styles.none} data-side={side} />;
  return (
    <div className={styles.line} data-side={side}>
      <span className={styles.number}>{at + 1}</span>
      {attempt !== undefined && <span className="hg-visually-hidden">{t('compare.only', { number: attempt })}</span>}
      <code>{lines[at]}</code>
    </div>
  );
}
