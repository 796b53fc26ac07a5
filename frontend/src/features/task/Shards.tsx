import { Box } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { errorText } from '@/api/problem';
import { shardName, type ShardRun, type TaskRun } from '@/live';
import { doneShards, FINAL, Glyph, isDeclared, reasonText, ShardStrip, shownState, useTook } from '@/ui';
import { RunActions } from './Actions';
import styles from './Shards.module.css';

interface Props {
  run: TaskRun;
  /** Shows one shard: its log, its attempts and its outputs. */
  onSelect: (name: string) => void;
  /** Undefined if the batch cannot be repaired. */
  onRepair?: (request: Schemas['RepairRequest']) => void;
}

/** The tab with the shards of a task. It renders only those that are visible. */
export function Shards({ run, onSelect, onRepair }: Props) {
  const { t } = useTranslation('task');
  const shards = run.shards ?? [];
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the result is not passed to memoized components
  const list = useVirtualizer({
    count: shards.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 54,
    overscan: 8,
    getItemKey: (i) => shards[i]?.number ?? i,
  });
  const error = run.state === 'failed' ? errorText(run, t) : '';
  if (shards.length === 0) return <p className="hg-quiet">{error || t(`shards.${whyNone(run)}`)}</p>;
  return (
    <div className={styles.shards}>
      {error && <p>{error}</p>}
      <p>{t('shards.done', { done: doneShards(shards), count: shards.length })}</p>
      <ShardStrip shards={shards} />
      <Box ref={scroller} className={styles.scroller} tabIndex={0} role="group" aria-label={t('tabs.shards')}>
        <ul className={styles.list} style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map((item) => (
            <li
              key={item.key}
              ref={list.measureElement}
              data-index={item.index}
              aria-setsize={shards.length}
              aria-posinset={item.index + 1}
              style={{ transform: `translateY(${String(item.start)}px)` }}
            >
              <Item task={run} shard={shards[item.index] as ShardRun} onSelect={onSelect} onRepair={onRepair} />
            </li>
          ))}
        </ul>
      </Box>
    </div>
  );
}

function Item({ task, shard, onSelect, onRepair }: { task: TaskRun; shard: ShardRun } & Omit<Props, 'run'>) {
  const { t } = useTranslation(['task', 'states']);
  const took = useTook();
  const state = shownState(shard);
  const name = shardName(task.key, shard.index);
  const facts = [
    t(`states:${state}`),
    reasonText(shard, t),
    shard.executor,
    shard.startedAt && shard.finishedAt && took(Date.parse(shard.finishedAt) - Date.parse(shard.startedAt)),
    shard.item === undefined ? undefined : itemText(shard.item),
    shard.attempts > 1 && `×${String(shard.attempts)}`,
  ];
  return (
    <div className={styles.item} data-state={state}>
      <button
        type="button"
        onClick={() => {
          onSelect(name);
        }}
      >
        <Glyph state={state} size={20} byPerson={isDeclared(shard)} />
        <b>{t('shards.one', { index: shard.index })}</b>
        <span>{facts.filter(Boolean).join(' · ')}</span>
        {shard.state === 'failed' && <span className={styles.error}>{errorText(shard, t)}</span>}
      </button>
      {onRepair && <RunActions run={{ ...shard, key: name, job: task.job }} onRepair={onRepair} />}
    </div>
  );
}

/** Why a task has no shards, as the end of the key of a text. */
function whyNone(run: TaskRun) {
  if (!FINAL.has(run.state)) return 'later';
  return run.state === 'succeeded' && !isDeclared(run) ? 'none' : 'never';
}

/** An element of a list: a text as it is, anything else as JSON. */
const itemText = (item: unknown): string => (typeof item === 'string' ? item : JSON.stringify(item));
