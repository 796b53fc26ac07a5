import { Button, Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { disconnect, jobOf, NO_SELECTION, taskOf } from '@/document';
import { edgeKey, redundantNeeds } from '@/graph';
import { lazyPreload } from '@/ui';
import { useDoc, useDrawer, useEditor } from '../context';
import { JobPanel } from './JobPanel';
import { Summary } from './Summary';
import type { ManyPanelProps } from './task/ManyPanel';
import { TaskPanel } from './task/TaskPanel';
import { useFieldFocus } from './useFieldFocus';
import { Head } from './Panel';
import styles from './Inspector.module.css';

const ManyPanel = lazyPreload<ManyPanelProps>(() => import('./task/ManyPanel').then((m) => m.ManyPanel));

/** Shows and edits the selection: beside the view, or in narrow windows as a drawer over it. */
export function Inspector() {
  const { t } = useTranslation('inspector');
  const { store } = useEditor();
  const wide = useMediaQuery('(min-width: 900px)', true, { getInitialValueInEffect: false });
  const panel = useRef<HTMLElement>(null);
  const kind = useDoc((s) => {
    const {
      doc,
      selection: { tasks, job, edge },
    } = s;
    if (edge && taskOf(doc, edge.from) && taskOf(doc, edge.to)) return 'edge';
    if (tasks.length > 1) return 'many';
    if (tasks[0] !== undefined && taskOf(doc, tasks[0])) return 'task';
    return job !== undefined && jobOf(doc, job) ? 'job' : 'none';
  });
  const subject = useDoc(({ selection: { tasks, job, edge } }) =>
    edge ? `${edge.from} ${edge.to}` : tasks.length > 0 ? tasks.join(' ') : (job ?? ''),
  );
  const drawer = useDrawer();
  const close = () => {
    store.getState().select(NO_SELECTION);
  };
  useEffect(() => {
    panel.current?.scrollTo({ top: 0 });
  }, [subject]);
  useFieldFocus(subject);
  if (!wide) {
    if (kind === 'none' || !drawer.shown) return null;
    const hide = drawer.hide ?? close;
    return (
      <Drawer.Root
        opened
        onClose={hide}
        position="bottom"
        size="88dvh"
        padding={0}
        keepMounted={false}
        classNames={{ content: styles.overlay }}
      >
        <Drawer.Overlay backgroundOpacity={0.35} />
        <Drawer.Content aria-label={t(`region.${kind}`)}>
          <Drawer.Body className={styles.drawerBody}>
            <Content kind={kind} onClose={hide} />
          </Drawer.Body>
        </Drawer.Content>
      </Drawer.Root>
    );
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    // The first Escape leaves the field, the second one the selection.
    event.stopPropagation();
    if (event.target !== panel.current) panel.current?.focus({ preventScroll: true });
    else close();
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape in it closes it
    <aside
      ref={panel}
      className={styles.drawer}
      aria-label={t(`region.${kind}`)}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      data-inspector={kind}
    >
      <Content kind={kind} onClose={close} />
    </aside>
  );
}

function Content({ kind, onClose }: { kind: 'edge' | 'many' | 'task' | 'job' | 'none'; onClose: () => void }) {
  const { tasks, job, edge } = useDoc((s) => s.selection);
  const [first] = tasks;
  switch (kind) {
    case 'edge':
      return edge ? <EdgePanel {...edge} onClose={onClose} /> : null;
    case 'many':
      return <ManyPanel keys={tasks} onClose={onClose} />;
    case 'task':
      return first === undefined ? null : <TaskPanel key={first} task={first} onClose={onClose} />;
    case 'job':
      return job === undefined ? null : <JobPanel key={job} job={job} onClose={onClose} />;
    case 'none':
      return <Summary />;
  }
}

/** The panel of one dependency. */
function EdgePanel({ from, to, onClose }: { from: string; to: string; onClose: () => void }) {
  const { t } = useTranslation('inspector');
  const { store } = useEditor();
  const doc = useDoc((s) => s.doc);
  const { apply, select } = store.getState();
  const rule = taskOf(doc, to)?.rule ?? 'all_success';
  const redundant = redundantNeeds(doc).has(edgeKey(from, to));
  const taskButton = (key: string) => (
    <li>
      <button
        type="button"
        onClick={() => {
          select({ tasks: [key] });
        }}
      >
        <b>{taskOf(doc, key)?.title ?? key}</b>
        <small>{key}</small>
      </button>
    </li>
  );
  return (
    <>
      <Head title={`${from} → ${to}`} onClose={onClose}>
        {t('edge.what')}
      </Head>
      <div className={styles.body}>
        <section className={styles.section}>
          <h3>{t('edge.from')}</h3>
          <ul className={styles.tasks}>{taskButton(from)}</ul>
        </section>
        <section className={styles.section}>
          <h3>{t('edge.to')}</h3>
          <ul className={styles.tasks}>{taskButton(to)}</ul>
          <p className="hg-quiet">{t(`rule.means.${rule}`)}</p>
        </section>
        {redundant && (
          <p>{t('edge.redundant', { path: detour(from, to, (key) => taskOf(doc, key)?.needs ?? []).join(' → ') })}</p>
        )}
        <div className={styles.buttons}>
          <Button
            className={styles.danger}
            onClick={() => {
              apply(disconnect(store.getState().doc, from, to));
            }}
          >
            {t('edge.remove')}
          </Button>
        </div>
      </div>
    </>
  );
}

/** The shortest path from one task to another that is not the dependency itself. */
function detour(from: string, to: string, needsOf: (key: string) => readonly string[]): string[] {
  const seen = new Set([to]);
  let paths = needsOf(to)
    .filter((need) => need !== from)
    .map((need) => [need, to]);
  while (paths.length > 0) {
    const next: string[][] = [];
    for (const way of paths) {
      const [at = ''] = way;
      if (at === from) return way;
      if (seen.has(at)) continue;
      seen.add(at);
      for (const need of needsOf(at)) next.push([need, ...way]);
    }
    paths = next;
  }
  return [from, to];
}
