import { useThrottledCallback } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { keys, renewShown } from '@/api/queries';
import { usePollInterval, useTopic } from '@/live';
import { Glyph } from '@/ui';
import styles from './Hooks.module.css';

/** How many batches of hooks are named. */
const MAX_NAMED = 4;
/** Minimum milliseconds between two requests after live changes. */
const MIN_INTERVAL = 1_000;

type Lists = Pick<Definition, 'onFailure' | 'onSuccess' | 'onEnd'>;
const any = ({ onFailure, onSuccess, onEnd }: Lists) =>
  Boolean(onFailure?.length || onSuccess?.length || onEnd?.length);

/** Whether the schedule, a job or a task of the definition has hooks. */
export function hasHooks(definition: Definition | undefined): boolean {
  if (!definition) return false;
  return any(definition) || definition.jobs.some((job) => any(job) || (job.tasks ?? []).some(any));
}

/** Whether a task of the definition has hooks. */
export const taskHasHooks = (definition: Definition, task: string): boolean =>
  definition.jobs.some((job) => (job.tasks ?? []).some((one) => one.key === task && any(one)));

interface Props {
  batch: number;
  definition: Definition;
  /** Only the hooks of this task; left out: those of the batch and of its jobs. */
  task?: string;
}

/** The hooks that follow a batch and its jobs, or one of its tasks: the latest first. Each leads to its log. */
export function Hooks({ batch, definition, task }: Props) {
  const { t } = useTranslation('batch');
  const items = useHooks(batch).filter(({ hook }) =>
    task === undefined ? hook?.scope !== 'task' : hook?.scope === 'task' && hook.key === task,
  );
  if (items.length === 0) return null;
  return (
    <span className={styles.hooks} role="group" aria-label={t('hooks.label')}>
      {t('hooks.label')}
      {items.slice(0, MAX_NAMED).map((one) => (
        <HookLink key={one.id} hooks={one} definition={definition} />
      ))}
      {items.length > MAX_NAMED && t('hooks.more', { count: items.length - MAX_NAMED })}
    </span>
  );
}

/** The batches of the hooks of a batch, its jobs and its tasks, the latest first. */
function useHooks(batch: number): Schemas['BatchSummary'][] {
  const client = useQueryClient();
  const queryKey = [...keys.batch(batch), 'hooks'];
  const { data: list } = useQuery({
    queryKey,
    queryFn: () => data(api.GET('/api/v1/batches', { params: { query: { hookOf: batch, limit: 500 } } })),
    refetchInterval: usePollInterval(),
  });
  const refresh = useThrottledCallback(() => {
    renewShown(client, { queryKey });
  }, MIN_INTERVAL);
  useTopic({ topic: 'batches' }, (frame) => {
    if (frame.op === 'delta' && frame.batches?.some((b) => b.hook?.batch === batch)) refresh();
  });
  return list?.items ?? [];
}

function HookLink({
  hooks: { id, state, hook },
  definition,
}: Pick<Props, 'definition'> & { hooks: Schemas['BatchSummary'] }) {
  const { t } = useTranslation(['batch', 'states']);
  if (!hook) return null;
  const { scope, key, round } = hook;
  const stateText = t(`states:${state}`);
  const of = t(`batch:hooks.${scope}`, { key });
  const after = t('batch:hooks.after', { state: t(`states:${hook.state}`), round });
  return (
    <Link
      to="/batches/$id"
      params={{ id }}
      search={{ task: firstTask(definition, hook) }}
      preload={false}
      data-state={state}
      aria-label={
        scope === 'task'
          ? t('batch:hooks.oneAfter', { after, state: stateText })
          : t('batch:hooks.one', { of, round, state: stateText })
      }
    >
      <Glyph state={state} size={14} bare />
      {scope === 'task' ? after : of}
    </Link>
  );
}

/** The first task in the batch of the hooks that follow an end. */
function firstTask({ jobs, ...head }: Definition, { scope, key, state }: Schemas['HookEvent']): string | undefined {
  const of: Record<typeof scope, Lists | undefined> = {
    batch: head,
    job: jobs.find((job) => job.key === key),
    task: jobs.flatMap((job) => job.tasks ?? []).find((task) => task.key === key),
  };
  const lists = of[scope];
  if (state === 'failed' && lists?.onFailure?.length) return 'onFailure-1';
  if (state === 'succeeded' && lists?.onSuccess?.length) return 'onSuccess-1';
  return lists?.onEnd?.length ? 'onEnd-1' : undefined;
}
