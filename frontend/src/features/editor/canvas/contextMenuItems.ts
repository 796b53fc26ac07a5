import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { disconnectAll, type DocumentState, jobOf, positionsOf, taskOf } from '@/document';
import { laneMark, useSceneApi } from '@/scene';
import { useEditor } from '../context';
import { type CanvasContextValue, type ContextMenuState, useCanvasContext } from './canvasStore';
import { useClipboard } from './Clipboard';
import { addJobAndName } from './newJob';

/** One item of a context menu. */
export interface ContextMenuItem {
  label: string;
  /** The key that chooses it; unique in a menu. */
  letter: string;
  /** The path of its icon (`d`), in a view box of 16 by 16. */
  icon: string;
  danger?: boolean;
  disabled?: boolean;
  act: () => void;
}

const ICONS = {
  connect: 'M4 4a1.8 1.8 0 1 0 0-.1M12 12a1.8 1.8 0 1 0 0-.1M4 5.8c0 4 8 1.4 8 4.6',
  after: 'M3.5 2.5h9v4h-9zM8 6.5v3M8 9.5v4M6 11.5h4',
  duplicate: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  rename: 'M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.2 4.6l2.2 2.2',
  disable: 'M8 2.5v5M4.6 4.4a5 5 0 1 0 6.8 0',
  cut: 'M4.5 10.5a1.7 1.7 0 1 0 .1 0M11.5 10.5a1.7 1.7 0 1 0 .1 0M5.3 10.7L11 2.5M10.7 10.7L5 2.5',
  disconnect:
    'M4 3.2a1.6 1.6 0 1 0 .1 0M12 9.6a1.6 1.6 0 1 0 .1 0M4.4 6.6c.4 1.4 1.4 2 2.6 2.3M9 9.6l1.4.9M9.6 3.4l-3 9',
  copy: 'M4.5 4h7v9.5h-7zM6.3 4V2.5h3.4V4M6.5 7.5h3M6.5 10h3',
  paste: 'M4 3.5h8v10H4zM6.5 2.5h3v2h-3z',
  remove: 'M3.5 4.5h9M6.5 4.5v-2h3v2M5 4.5l.5 9h5l.5-9M7 7v4M9 7v4',
  add: 'M8 3.5v9M3.5 8h9',
  lane: 'M2.5 3.5h11v4h-11zM8 9.5v4M6 11.5h4',
  up: 'M8 12.5v-9M4.5 7L8 3.5 11.5 7',
  down: 'M8 3.5v9M4.5 9L8 12.5 11.5 9',
  all: 'M2.5 4.5v-2h2M11.5 2.5h2v2M13.5 11.5v2h-2M4.5 13.5h-2v-2M5.5 5.5h5v5h-5z',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
} as const;

/** The target of the items of a menu. */
interface Target extends Pick<CanvasContextValue, 'edit' | 'canvas'>, Pick<DocumentState, 'doc' | 'selection'> {
  t: TFunction<'canvas'>;
  clipboard: ReturnType<typeof useClipboard>;
  /** The position of quick-add in the window. */
  client: ContextMenuState['client'];
  /** Shows the whole schedule. */
  fit: () => void;
}

/** The items of a menu, in rows of two; they depend on the subject of the menu. */
export function useContextMenuItems({ subject, client }: ContextMenuState): readonly ContextMenuItem[] {
  const { t } = useTranslation('canvas');
  const { edit, canvas } = useCanvasContext();
  const { store } = useEditor();
  const { fit } = useSceneApi();
  const clipboard = useClipboard();
  const { doc, selection } = store.getState();
  const target = { t, edit, canvas, doc, selection, clipboard, client, fit };
  if ('task' in subject) return taskItems(subject.task, target);
  return 'job' in subject ? jobItems(subject.job, target) : groundItems(subject.ground, target);
}

const item = (
  label: string,
  letter: string,
  icon: string,
  act: () => unknown,
  more: Pick<ContextMenuItem, 'danger' | 'disabled'> = {},
): ContextMenuItem => ({
  label,
  letter,
  icon,
  ...more,
  act: () => {
    act();
  },
});

/** For a task. If it is selected, some items act on all selected tasks. */
function taskItems(key: string, { t, edit, canvas, doc, selection, clipboard, client }: Target): ContextMenuItem[] {
  const keys = selection.tasks.includes(key) ? selection.tasks : [key];
  const allOff = keys.every((each) => taskOf(doc, each)?.disabled);
  const connect = () => {
    canvas.setState({ connectingFrom: key, announcement: t('link.begun', { task: key }) });
  };
  const addAfter = () => {
    const lane = positionsOf(doc).get(key)?.job ?? 0;
    const next = doc.jobs[lane + 1];
    canvas.setState({ quickAdd: { client, into: next ? { job: next.key } : { index: lane + 1 }, from: key } });
  };
  const rename = () => {
    canvas.setState({ renaming: key });
  };
  const unlinked = { disabled: disconnectAll(doc, keys) === undefined };
  return [
    item(t('menu.connect'), 'c', ICONS.connect, connect),
    item(t('menu.after'), 'a', ICONS.after, addAfter),
    item(t('menu.rename'), 'r', ICONS.rename, rename),
    item(allOff ? t('menu.enable') : t('menu.disable'), 's', ICONS.disable, () => edit.toggleDisabled(keys)),
    item(t('menu.duplicate'), 'd', ICONS.duplicate, () => edit.duplicate(keys)),
    item(t('menu.disconnect'), 'b', ICONS.disconnect, () => edit.disconnectAll(keys), unlinked),
    item(t('menu.copy'), 'y', ICONS.copy, () => {
      clipboard.copy(keys);
    }),
    item(t('menu.cut'), 't', ICONS.cut, () => {
      clipboard.cut(keys);
    }),
    item(t('menu.remove'), 'x', ICONS.remove, () => edit.removeTasks(keys), { danger: true }),
  ];
}

/** For the lane of a job. */
function jobItems(job: string, { t, edit, canvas, doc, clipboard, client }: Target): ContextMenuItem[] {
  const index = doc.jobs.findIndex((each) => each.key === job);
  const add = () => {
    canvas.setState({ quickAdd: { client, into: { job } } });
  };
  const selectAll = () => {
    edit.selectAll(job);
  };
  const rename = () => {
    canvas.setState({ renaming: laneMark(job) });
  };
  const atEnd = { disabled: index === doc.jobs.length - 1 };
  const atStart = { disabled: index === 0 };
  const isOff = jobOf(doc, job)?.disabled;
  const isEmpty = { disabled: !jobOf(doc, job)?.tasks?.length };
  return [
    item(t('menu.add'), 'a', ICONS.add, add),
    item(t('menu.rename'), 'r', ICONS.rename, rename),
    item(t('menu.up'), 'k', ICONS.up, () => edit.moveJobBy(job, -1), atStart),
    item(t('menu.down'), 'j', ICONS.down, () => edit.moveJobBy(job, 1), atEnd),
    item(t(isOff ? 'menu.enableJob' : 'menu.disableJob'), 's', ICONS.disable, () => edit.toggleJobDisabled(job)),
    item(t('menu.below'), 'n', ICONS.lane, () => {
      addJobAndName({ edit, canvas }, index + 1);
    }),
    item(t('menu.paste'), 'v', ICONS.paste, () => {
      clipboard.paste(job);
    }),
    item(t('menu.all'), 'l', ICONS.all, selectAll, isEmpty),
    item(t('menu.removeJob'), 'x', ICONS.remove, () => edit.removeJob(job), { danger: true }),
  ];
}

/** For the gap before the lane of an index. */
function groundItems(index: number, { t, edit, canvas, clipboard, client, fit }: Target): ContextMenuItem[] {
  const add = () => {
    canvas.setState({ quickAdd: { client, into: { index } } });
  };
  const selectAll = () => {
    edit.selectAll();
  };
  return [
    item(t('menu.job'), 'n', ICONS.lane, () => {
      addJobAndName({ edit, canvas }, index);
    }),
    item(t('menu.add'), 'a', ICONS.add, add),
    item(t('menu.paste'), 'v', ICONS.paste, () => {
      clipboard.paste();
    }),
    item(t('menu.all'), 'l', ICONS.all, selectAll),
    item(t('menu.fit'), 'f', ICONS.fit, fit),
  ];
}
