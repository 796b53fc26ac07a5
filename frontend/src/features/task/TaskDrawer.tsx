import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { type RunStore, useBatch, useRun } from '@/live';
import { Empty } from '@/ui';
import { ActionMenu, Actions } from './Actions';
import { Attempts } from './Attempts';
import { Command } from './Command';
import { Head } from './Head';
import { Needs } from './Needs';
import { Notes } from './Notes';
import { Outputs } from './Outputs';
import { relationsOf } from './relations';
import type { Tab, TaskSearch } from './search';
import styles from './TaskDrawer.module.css';
import { TaskLog } from './TaskLog';
import { Tabs } from './Tabs';

/**
 * What the drawer shows, and what it calls. Its tab, attempt and line are in `search`, and change by `onSearch` only.
 */
export interface TaskDrawerProps {
  batch: number;
  store: RunStore;
  definition: Definition;
  /** Key of the task. */
  task: string;
  search: TaskSearch;
  /** Changes the address; what is undefined is taken out of it. `task` shows another one. */
  onSearch: (change: TaskSearch & { task?: string }) => void;
  onClose: () => void;
  /** A person wants this: its plan is to be shown. */
  onRepair: (request: Schemas['RepairRequest']) => void;
  /** Opens the task's definition; left out where there is none that can be edited. */
  onEdit?: () => void;
}

/** Everything about one task of a batch: beside the graph where there is room, else a sheet over it. */
export function TaskDrawer(props: TaskDrawerProps) {
  const { t } = useTranslation('task');
  const wide = useMediaQuery('(min-width: 900px)', true, { getInitialValueInEffect: false });
  const region = useRef<HTMLElement>(null);
  const { onClose } = props;
  const opener = useOpener();
  const close = () => {
    onClose();
    opener.current?.focus({ preventScroll: true });
  };
  const key = (e: KeyboardEvent) => {
    if (e.key !== 'Escape' || e.defaultPrevented) return;
    e.stopPropagation();
    close();
  };
  if (!wide) {
    return (
      <Drawer.Root
        opened
        onClose={onClose}
        position="bottom"
        size="94dvh"
        padding={0}
        keepMounted={false}
        classNames={{ content: styles.drawer }}
      >
        <Drawer.Overlay backgroundOpacity={0.35} />
        <Drawer.Content aria-label={t('region', { task: props.task })}>
          <Drawer.Body className={styles.body}>
            <Content {...props} onClose={onClose} />
          </Drawer.Body>
        </Drawer.Content>
      </Drawer.Root>
    );
  }
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape in it closes it
    <section ref={region} className={styles.drawer} aria-label={t('region', { task: props.task })} onKeyDown={key}>
      <Content {...props} onClose={close} />
    </section>
  );
}

/** The element that had the focus when the drawer came. */
function useOpener() {
  const opener = useRef<HTMLElement>(null);
  useEffect(() => {
    opener.current =
      document.activeElement instanceof HTMLElement && document.activeElement !== document.body
        ? document.activeElement
        : null;
  }, []);
  return opener;
}

function Content({ batch, store, definition, task, search, onSearch, onClose, onRepair, onEdit }: TaskDrawerProps) {
  const { t } = useTranslation('task');
  const run = useRun(store, store.numberOf(task));
  const live = useBatch(store)?.live ?? false;
  // Where the red line of the log offers the next step, it stands there and nowhere else.
  const [remedies, setRemedies] = useState<string>();
  const onError = useCallback(
    (found: boolean) => {
      setRemedies(found ? task : undefined);
    },
    [task],
  );
  const relations = useMemo(() => relationsOf(definition, task), [definition, task]);
  const select = (other: string) => {
    onSearch({ task: other, attempt: undefined, at: undefined });
  };
  if (!run) {
    return (
      <Empty title={t('gone.title')}>
        <p>{t('gone.detail', { task })}</p>
      </Empty>
    );
  }
  const tab = search.tab ?? 'log';
  const remedied = remedies === task;
  const attempt = search.attempt !== undefined && search.attempt <= run.attempts ? search.attempt : undefined;
  const shared = { batch, store, task, run, relations, onSelect: select };
  const counts: Partial<Record<Tab, string>> = {
    attempts: run.attempts > 1 ? String(run.attempts) : undefined,
    needs: `${String(relations.needs.length)}→${String(relations.dependants.length)}`,
  };
  return (
    <>
      <Head
        run={run}
        spec={relations.task}
        attempt={attempt}
        onClose={onClose}
        menu={<ActionMenu run={run} onRepair={onRepair} onEdit={onEdit} />}
      />
      <Notes {...shared} live={live} />
      {!(tab === 'log' && remedied) && <Actions run={run} onRepair={onRepair} onEdit={onEdit} />}
      <Tabs
        tab={tab}
        counts={counts}
        onTab={(next) => {
          onSearch({ tab: next === 'log' ? undefined : next });
        }}
      >
        {tab === 'log' && (
          <TaskLog
            {...shared}
            attempt={attempt}
            at={search.at}
            onSearch={onSearch}
            onRepair={onRepair}
            onError={onError}
            onEdit={onEdit}
          />
        )}
        {tab === 'command' && <Command spec={relations.task} params={definition.params} />}
        {tab === 'outputs' && <Outputs {...shared} attempt={attempt} />}
        {tab === 'attempts' && (
          <Attempts
            {...shared}
            attempt={attempt}
            onPick={(number) => {
              onSearch({ tab: undefined, attempt: number, at: undefined });
            }}
          />
        )}
        {tab === 'needs' && <Needs {...shared} />}
      </Tabs>
    </>
  );
}
