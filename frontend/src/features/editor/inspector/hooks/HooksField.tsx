import { useTranslation } from 'react-i18next';
import type { DefinitionHook } from '@/api/definition';
import type { DocFault } from '@/document';
import { lazyPreload } from '@/ui';
import { hasFaultAt } from '../faults';
import { More } from '../Panel';
import type { HookListsProps } from './HookLists';
import { HOOK_LISTS, type HookList, type HooksOf } from './lists';

/** The form of hooks, fetched when the browser has nothing else to do: most schedules have none. */
const HookLists = lazyPreload<HookListsProps>(() => import('./HookLists').then((m) => m.HookLists));

interface Props {
  of: 'schedule' | 'job' | 'task';
  value: HooksOf;
  faults: readonly DocFault[];
  /** Takes the new value of a list, and the index of the hook that the user edits. Undefined removes the list. */
  onChange: (list: HookList, index: number, hooks: DefinitionHook[] | undefined) => void;
}

/** What is called after the end of a batch, a job or a task. It is folded unless there is some, or in the settings. */
export function HooksField({ of, value, faults, onChange }: Props) {
  const { t } = useTranslation('inspector');
  const lists = <HookLists value={value} faults={faults} onChange={onChange} />;
  if (of === 'schedule') return lists;
  return (
    <More
      title={t('hooks.title')}
      count={HOOK_LISTS.reduce((sum, list) => sum + (value[list]?.length ?? 0), 0)}
      wrong={hasFaultAt(faults, HOOK_LISTS)}
    >
      <p className="hg-quiet">{t(`hooks.about.${of}`)}</p>
      {lists}
    </More>
  );
}
