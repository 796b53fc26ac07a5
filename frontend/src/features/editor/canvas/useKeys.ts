import { useTranslation } from 'react-i18next';
import { noteText, placesOf, refusalText } from '@/document';
import { jobOfMark, laneMark } from '@/scene';
import { useEditor } from '../context';
import type { Parts, Subject } from './desk';
import { actionFor, type Pressed } from './keys';
import { jobHere, link } from './outcome';

/** Answers what takes the keys of the canvas before the scene does. */
export function useKeys(
  { acts, desk, stage, pointer }: Parts,
  place: () => HTMLElement | null,
): (event: Pressed) => boolean {
  const { store } = useEditor();
  const { t } = useTranslation('document');
  const { t: own } = useTranslation('canvas');
  const say = (said: string) => {
    desk.setState({ said });
  };

  /** Where something stands in the window: menus opened by keys stand there. */
  const spot = (mark: string | undefined) => {
    const element = place()?.querySelector(
      mark === undefined
        ? '[data-active]'
        : jobOfMark(mark) === undefined
          ? `[data-task="${mark}"]`
          : `[data-lane-head="${jobOfMark(mark) ?? ''}"]`,
    );
    const rect = (element ?? place())?.getBoundingClientRect();
    return rect
      ? { x: rect.left + Math.min(rect.width, 188) / 2, y: rect.top + Math.min(rect.height, 46) / 2 }
      : { x: 0, y: 0 };
  };

  const chooseTarget = (from: string, event: Pressed): boolean => {
    const { active } = stage.getState();
    if (event.key === 'Escape') {
      desk.setState({ linking: undefined });
      say(own('link.ended'));
      return true;
    }
    if (event.key !== 'Enter' && event.key !== 'c') return false;
    if (active === undefined || jobOfMark(active) !== undefined) return true;
    stage.setState({ active: from, trail: undefined });
    link(from, active, event.shiftKey, spot(active), {
      acts,
      desk,
      say: (connected) => {
        if (connected) say('refusal' in connected ? refusalText(t, connected.refusal) : noteText(t, connected.note));
      },
    });
    return true;
  };

  return (event) => {
    // Whoever goes by keys is where the keys are, wherever the pointer was left.
    if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End')
      pointer.setState({ at: undefined });
    const { active, focused } = stage.getState();
    const { doc, selection } = store.getState();
    const { linking, quickAt } = desk.getState();
    if (linking !== undefined && chooseTarget(linking, event)) return true;
    const task = active !== undefined && placesOf(doc).has(active) ? active : undefined;
    const keys = task !== undefined && !selection.tasks.includes(task) && focused ? [task] : selection.tasks;
    const job = focused ? jobOfMark(active) : undefined;
    switch (actionFor(event)) {
      case 'add': {
        const from = keys.length === 1 ? keys[0] : undefined;
        const into = jobHere(store, jobOfMark(active));
        desk.setState({
          quick: {
            client: spot(task ?? active),
            into: into === undefined ? { index: 0 } : { job: into },
            from: job === undefined ? from : undefined,
          },
        });
        return true;
      }
      case 'quick': {
        // By mouse Tab opens the menu where one points; who goes by keys must be able to leave.
        const { at } = pointer.getState();
        const opened = at && quickAt?.(at);
        if (opened) desk.setState({ quick: opened });
        return opened !== undefined;
      }
      case 'job': {
        const here = jobHere(store, jobOfMark(active));
        const index = here === undefined ? doc.jobs.length : doc.jobs.findIndex((each) => each.key === here) + 1;
        const made = acts.addJob(index)?.job;
        if (made !== undefined) stage.setState({ active: laneMark(made), focused: true });
        return true;
      }
      case 'connect':
        if (keys.length !== 1 || keys[0] === undefined) return true;
        desk.setState({ linking: keys[0] });
        say(own('link.begun', { task: keys[0] }));
        return true;
      case 'rename':
        if (selection.job !== undefined || job !== undefined)
          desk.setState({ renaming: laneMark(job ?? selection.job ?? '') });
        else if (keys.length === 1) desk.setState({ renaming: keys[0] });
        return true;
      case 'ring': {
        if (task !== undefined && !selection.tasks.includes(task)) acts.selectTasks([task]);
        const lane = job ?? selection.job;
        const subject: Subject =
          task === undefined || job !== undefined
            ? lane === undefined
              ? { ground: doc.jobs.length }
              : { job: lane }
            : { task };
        desk.setState({
          ring: { subject, client: spot(task ?? (lane === undefined ? undefined : laneMark(lane))), held: false },
        });
        return true;
      }
      case 'remove':
        if (job !== undefined) acts.removeJob(job);
        else if (keys.length > 0 && !selection.edge) acts.removeTasks(keys);
        else acts.remove();
        return true;
      case 'all': {
        const lane = task === undefined ? undefined : doc.jobs[placesOf(doc).get(task)?.job ?? -1];
        const whole = lane?.tasks?.every((each) => selection.tasks.includes(each.key)) ?? true;
        acts.selectAll(whole ? undefined : lane?.key);
        return true;
      }
      case 'duplicate':
        acts.duplicate(selection.job === undefined ? keys : undefined);
        return true;
      case 'laneUp':
      case 'laneDown': {
        const by = actionFor(event) === 'laneUp' ? -1 : 1;
        if (job !== undefined) acts.moveJobBy(job, by);
        else if (keys.length > 0) acts.moveBy(keys, by);
        return true;
      }
      case 'toggle':
        if (task !== undefined) acts.toggle(task);
        return task !== undefined;
      case 'help':
        desk.setState({ keys: true });
        return true;
      default:
    }
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      if (job !== undefined) acts.select({ tasks: [], job });
      else if (task !== undefined) acts.selectTasks([task]);
      return true;
    }
    if (event.key === 'Escape') {
      desk.setState({ tip: undefined });
      if (selection.tasks.length === 0 && selection.job === undefined && !selection.edge) return false;
      acts.clear();
      return true;
    }
    return false;
  };
}
