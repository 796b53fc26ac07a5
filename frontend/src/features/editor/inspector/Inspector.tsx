import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { jobOf, NOTHING, taskOf } from '@/document';
import { useDoc, useEditor } from '../context';
import { useSheet } from '../sheet';
import styles from './Inspector.module.css';
import { JobPanel } from './job/JobPanel';
import { Summary } from './Summary';
import { ManyPanel } from './task/ManyPanel';
import { TaskPanel } from './task/TaskPanel';
import { useFieldFocus } from './useFieldFocus';
import { EdgePanel } from './EdgePanel';

/** What is selected, to be read and edited: beside the view where there is room, a sheet over it elsewhere. */
export function Inspector() {
  const { t } = useTranslation('inspector');
  const { store } = useEditor();
  const wide = useMediaQuery('(min-width: 900px)', true, { getInitialValueInEffect: false });
  const drawer = useRef<HTMLElement>(null);
  const what = useDoc((s) => {
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
  const sheet = useSheet();
  const close = () => {
    store.getState().select(NOTHING);
  };
  useEffect(() => {
    drawer.current?.scrollTo({ top: 0 });
  }, [subject]);
  useFieldFocus(subject);
  if (!wide) {
    if (what === 'none' || !sheet.shown) return null;
    const away = sheet.hide ?? close;
    return (
      <Drawer.Root
        opened
        onClose={away}
        position="bottom"
        size="88dvh"
        padding={0}
        keepMounted={false}
        classNames={{ content: styles.sheet }}
      >
        <Drawer.Overlay backgroundOpacity={0.35} />
        <Drawer.Content aria-label={t(`region.${what}`)}>
          <Drawer.Body className={styles.sheetBody}>
            <Content what={what} onClose={away} />
          </Drawer.Body>
        </Drawer.Content>
      </Drawer.Root>
    );
  }
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    // Out of a field first, then out of the drawer's subject.
    event.stopPropagation();
    if (event.target !== drawer.current) drawer.current?.focus({ preventScroll: true });
    else close();
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape leaves it, wherever the focus is inside
    <aside
      ref={drawer}
      className={styles.drawer}
      aria-label={t(`region.${what}`)}
      tabIndex={-1}
      onKeyDown={key}
      data-inspector={what}
    >
      <Content what={what} onClose={close} />
    </aside>
  );
}

function Content({ what, onClose }: { what: 'edge' | 'many' | 'task' | 'job' | 'none'; onClose: () => void }) {
  const { tasks, job, edge } = useDoc((s) => s.selection);
  const [first] = tasks;
  switch (what) {
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
