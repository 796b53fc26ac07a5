import { useQueryClient, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { keys, meQuery } from '@/api/queries';
import { shownBatch, useExact } from '@/ui';
import type { Item } from './items';
import { searchTexts } from './match';
import { readRecents, type Visit, visitId } from './recents';
import type { PageCommand, PageParts, Registry } from './registry';
import { type Found, useFound } from './useFound';

/** For so many of the found schedules, the latest batches are listed; and so many of each. */
const WITH_BATCHES = 2;
const LATEST_BATCHES = 3;

/** All that the command bar can find for a query, before it is ranked. */
export function useItems(query: string, registry: Registry): { items: Item[]; found: Found } {
  const parts = useSyncExternalStore(registry.subscribe, registry.list);
  const found = useFound(query);
  const recents = useRecentItems();
  const local = useMemo(() => [...commandItems(parts), ...parts.flatMap(taskItems)], [parts]);
  const fromServer = useFoundItems(found, parts);
  return { items: [...recents, ...local, ...fromServer], found };
}

function commandItem(command: PageCommand): Item {
  return {
    id: `command ${command.id}`,
    group: command.group ?? 'action',
    label: command.label,
    keys: command.keys,
    texts: searchTexts(command.label, ...(command.words ?? [])),
    run: command.run,
  };
}

const commandItems = (parts: readonly PageParts[]) => parts.flatMap((part) => part.commands ?? []).map(commandItem);

/** A page registers its parts again whenever it renders, a large batch many times a second. Its tasks stay the same. */
const known = new WeakMap<object, { openTask: PageParts['openTask']; items: readonly Item[] }>();

function taskItems({ tasks = [], openTask }: PageParts): readonly Item[] {
  const before = known.get(tasks);
  if (before && before.openTask === openTask) return before.items;
  const items = tasks.map(({ key, title }): Item => ({
    id: `task ${key}`,
    group: 'task',
    label: title ?? key,
    detail: title === undefined || title === key ? undefined : key,
    texts: searchTexts(title, key),
    run: () => openTask?.(key),
  }));
  known.set(tasks, { openTask, items });
  return items;
}

/** The items of visited schedules and batches, without the one that is open. */
function useRecentItems(): Item[] {
  const { t } = useTranslation('find');
  const exact = useExact();
  const navigate = useNavigate();
  const user = useQuery(meQuery).data?.name ?? '';
  const client = useQueryClient();
  const [visits] = useState(() => readRecents(user).filter((visit) => addressOf(visit) !== location.pathname));
  return visits.map((visit): Item => {
    if (visit.kind === 'schedule')
      return {
        id: `recent ${visitId(visit)}`,
        group: 'recent',
        label: visit.name,
        texts: [],
        run: () => void navigate({ to: '/schedules/$name', params: { name: visit.name }, search: {} }),
      };
    const { id, schedule } = visit;
    const known = client.getQueryData<Schemas['Batch']>(keys.batch(id));
    return {
      id: `recent ${visitId(visit)}`,
      group: 'recent',
      label: schedule ? t('batch', { schedule, id }) : t('batchAlone', { id }),
      detail: known && exact(known.moment),
      state: known && shownBatch(known),
      texts: [],
      run: () => void navigate({ to: '/batches/$id', params: { id }, search: {} }),
    };
  });
}

const addressOf = (visit: Visit) =>
  visit.kind === 'schedule' ? `/schedules/${visit.name}` : `/batches/${String(visit.id)}`;

/** The items of what the server has found, and of what the page offers for the best schedule. */
function useFoundItems({ schedules, batch }: Found, parts: readonly PageParts[]): Item[] {
  const { t } = useTranslation(['find', 'states']);
  const exact = useExact();
  const navigate = useNavigate();
  const items = schedules.map(({ name, title }): Item => ({
    id: `schedule ${name}`,
    group: 'schedule',
    label: name,
    detail: title,
    texts: searchTexts(name, title),
    found: true,
    run: () => void navigate({ to: '/schedules/$name', params: { name }, search: {} }),
  }));
  const batchItem = (
    one: Pick<Schemas['RecentBatch'], 'id' | 'moment'> & Parameters<typeof shownBatch>[0],
    schedule: string,
    words: readonly string[],
  ): Item => {
    const state = shownBatch(one);
    return {
      id: `batch ${String(one.id)}`,
      group: 'batch',
      label: schedule ? t('find:batch', { schedule, id: one.id }) : t('find:batchAlone', { id: one.id }),
      detail: `${t(`states:${state}`)} · ${exact(one.moment)}`,
      state,
      texts: [...searchTexts(`#${String(one.id)}`, String(one.id)), ...words],
      found: true,
      run: () => void navigate({ to: '/batches/$id', params: { id: one.id }, search: {} }),
    };
  };
  if (batch) items.push(batchItem(batch, batch.schedule ?? '', []));
  for (const { name, title, recent } of schedules.slice(0, WITH_BATCHES)) {
    const latest = [...(recent ?? [])].sort((a, b) => b.id - a.id).slice(0, LATEST_BATCHES);
    for (const one of latest) if (one.id !== batch?.id) items.push(batchItem(one, name, searchTexts(name, title)));
  }
  const best = schedules[0];
  if (best)
    for (const command of parts.flatMap((part) => part.forSchedule?.(best.name) ?? []))
      items.push({
        ...commandItem(command),
        id: `command ${command.id} ${best.name}`,
        label: t('find:forSchedule', { action: command.label, schedule: best.name }),
        texts: searchTexts(best.name, best.title, command.label),
        found: true,
        secondary: true, // Enter opens the schedule
      });
  return items;
}
