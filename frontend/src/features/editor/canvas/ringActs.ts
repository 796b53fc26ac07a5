import { useTranslation } from 'react-i18next';
import { jobOf, placesOf, taskOf } from '@/document';
import { laneMark, useInside } from '@/scene';
import { useEditor } from '../context';
import { type RingAt, useParts } from './desk';
import { useClipboard } from './useClipboard';

/** One sign of a ring. */
export interface RingAct {
  label: string;
  /** The key that chooses it; each has another one in its ring. */
  letter: string;
  /** The `d` of its drawing in a square of 16. */
  sign: string;
  danger?: boolean;
  off?: boolean;
  act: () => void;
}

const SIGN = {
  connect: 'M4 4a1.8 1.8 0 1 0 0-.1M12 12a1.8 1.8 0 1 0 0-.1M4 5.8c0 4 8 1.4 8 4.6',
  after: 'M3.5 2.5h9v4h-9zM8 6.5v3M8 9.5v4M6 11.5h4',
  duplicate: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  rename: 'M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.2 4.6l2.2 2.2',
  disable: 'M8 2.5v5M4.6 4.4a5 5 0 1 0 6.8 0',
  cut: 'M4.5 10.5a1.7 1.7 0 1 0 .1 0M11.5 10.5a1.7 1.7 0 1 0 .1 0M5.3 10.7L11 2.5M10.7 10.7L5 2.5',
  copy: 'M5 3h7v10H5zM7.5 6h2M7.5 8.5h2',
  paste: 'M4 3.5h8v10H4zM6.5 2.5h3v2h-3z',
  remove: 'M3.5 4.5h9M6.5 4.5v-2h3v2M5 4.5l.5 9h5l.5-9M7 7v4M9 7v4',
  add: 'M8 3.5v9M3.5 8h9',
  lane: 'M2.5 3.5h11v4h-11zM8 9.5v4M6 11.5h4',
  up: 'M8 12.5v-9M4.5 7L8 3.5 11.5 7',
  down: 'M8 3.5v9M4.5 9L8 12.5 11.5 9',
  all: 'M2.5 4.5v-2h2M11.5 2.5h2v2M13.5 11.5v2h-2M4.5 13.5h-2v-2M5.5 5.5h5v5h-5z',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
} as const;

/** What a ring offers, by what it was opened for. */
export function useRingActs(ring: RingAt): readonly RingAct[] {
  const { t } = useTranslation('canvas');
  const { acts, desk } = useParts();
  const { store } = useEditor();
  const { fit } = useInside();
  const clip = useClipboard();
  const { subject, client } = ring;
  const { doc, selection } = store.getState();
  if ('task' in subject) {
    const key = subject.task;
    const keys = selection.tasks.includes(key) ? selection.tasks : [key];
    const lane = placesOf(doc).get(key)?.job ?? 0;
    const next = doc.jobs[lane + 1];
    const off = keys.every((each) => taskOf(doc, each)?.disabled);
    return [
      {
        label: t('ring.connect'),
        letter: 'c',
        sign: SIGN.connect,
        act: () => {
          desk.setState({ linking: key, said: t('link.begun', { task: key }) });
        },
      },
      {
        label: t('ring.after'),
        letter: 'a',
        sign: SIGN.after,
        act: () => {
          desk.setState({ quick: { client, into: next ? { job: next.key } : { index: lane + 1 }, from: key } });
        },
      },
      {
        label: t('ring.duplicate'),
        letter: 'd',
        sign: SIGN.duplicate,
        act: () => {
          acts.duplicate(keys);
        },
      },
      {
        label: t('ring.copy'),
        letter: 'y',
        sign: SIGN.copy,
        act: () => {
          clip.copy(keys);
        },
      },
      {
        label: t('ring.remove'),
        letter: 'x',
        sign: SIGN.remove,
        danger: true,
        act: () => {
          acts.removeTasks(keys);
        },
      },
      {
        label: t('ring.cut'),
        letter: 't',
        sign: SIGN.cut,
        act: () => {
          clip.cut(keys);
        },
      },
      {
        label: off ? t('ring.enable') : t('ring.disable'),
        letter: 's',
        sign: SIGN.disable,
        act: () => {
          acts.toggleDisabled(keys);
        },
      },
      {
        label: t('ring.rename'),
        letter: 'r',
        sign: SIGN.rename,
        act: () => {
          desk.setState({ renaming: key });
        },
      },
    ];
  }
  if ('job' in subject) {
    const job = subject.job;
    const index = doc.jobs.findIndex((each) => each.key === job);
    return [
      {
        label: t('ring.add'),
        letter: 'a',
        sign: SIGN.add,
        act: () => {
          desk.setState({ quick: { client, into: { job } } });
        },
      },
      {
        label: t('ring.paste'),
        letter: 'v',
        sign: SIGN.paste,
        act: () => {
          clip.paste(job);
        },
      },
      {
        label: t('ring.below'),
        letter: 'n',
        sign: SIGN.lane,
        act: () => {
          acts.addJob(index + 1);
        },
      },
      {
        label: t('ring.down'),
        letter: 'j',
        sign: SIGN.down,
        off: index === doc.jobs.length - 1,
        act: () => {
          acts.moveJobBy(job, 1);
        },
      },
      {
        label: t('ring.removeJob'),
        letter: 'x',
        sign: SIGN.remove,
        danger: true,
        act: () => {
          acts.removeJob(job);
        },
      },
      {
        label: t('ring.up'),
        letter: 'k',
        sign: SIGN.up,
        off: index === 0,
        act: () => {
          acts.moveJobBy(job, -1);
        },
      },
      {
        label: t('ring.all'),
        letter: 'l',
        sign: SIGN.all,
        off: !jobOf(doc, job)?.tasks?.length,
        act: () => {
          acts.selectAll(job);
        },
      },
      {
        label: t('ring.rename'),
        letter: 'r',
        sign: SIGN.rename,
        act: () => {
          desk.setState({ renaming: laneMark(job) });
        },
      },
    ];
  }
  return [
    {
      label: t('ring.job'),
      letter: 'n',
      sign: SIGN.lane,
      act: () => {
        acts.addJob(subject.ground);
      },
    },
    {
      label: t('ring.add'),
      letter: 'a',
      sign: SIGN.add,
      act: () => {
        desk.setState({ quick: { client, into: { index: subject.ground } } });
      },
    },
    {
      label: t('ring.paste'),
      letter: 'v',
      sign: SIGN.paste,
      act: () => {
        clip.paste();
      },
    },
    {
      label: t('ring.all'),
      letter: 'l',
      sign: SIGN.all,
      act: () => {
        acts.selectAll();
      },
    },
    { label: t('ring.fit'), letter: 'f', sign: SIGN.fit, act: fit },
  ];
}
