import { type ReactNode, useMemo } from 'react';
import type { TFunction } from 'i18next';
import type { GraphTask } from '@/graph';
import styles from './Card.module.css';
import { cardId, litTrail, useSceneState, useSceneContext } from './sceneStore';
import { measureName, shorten } from './textWidth';

/** Pixels that a name has room for. */
const ROOM = 138;

/** A reader may have texts made wider than they are measured here. */
const ALMOST = 0.8;

/** Whether a text of a card may be wider than there is room. Those that are not need no clip, which each costs the page while it moves. */
export const isTooLong = (text: string): boolean => measureName()(text) > ROOM * ALMOST;

const [SELECTED, ACTIVE, LIT] = [1, 2, 4];

interface Props {
  task: GraphTask;
  job: string;
  /** Its state, or `none`. */
  state: string;
  /** More attributes of its element. */
  data?: Readonly<Record<`data-${string}`, string | undefined>>;
  sign: ReactNode;
  /** The second line. */
  line: ReactNode;
  /** What is told when the pointer rests on it, beside name and needs. */
  words?: readonly (string | undefined | false)[];
  /** What else is heard of it. */
  heard?: string;
  children?: ReactNode;
}

/** One task as a card: its sign, its name, a second line. All cards are of one size. */
export function CardFrame({ task, job, state, data, sign, line, words = [], heard, children }: Props) {
  const { id, t } = useSceneContext();
  // One subscription a card: there are many of them, and they come while the view moves.
  const marks = useSceneState(
    (s) =>
      (s.selected.has(task.key) ? SELECTED : 0) |
      (s.focused && s.active === task.key ? ACTIVE : 0) |
      (litTrail(s)?.tasks.has(task.key) ? LIT : 0),
  );
  const [selected, active, lit] = [(marks & SELECTED) > 0, (marks & ACTIVE) > 0, (marks & LIT) > 0];
  const title = task.title ?? task.key;
  // The keys of one job often differ in their last word; a title reads from its first one.
  const name = useMemo(
    () => (task.title ? task.title : shorten(task.key, ROOM, measureName())),
    [task.title, task.key],
  );
  const { pause, needs, place } = wordsOf(t, task, job);
  const rest = heard ? `${place}${pause}${heard}` : place;
  return (
    <div
      id={cardId(id, task.key)}
      role="button"
      tabIndex={-1}
      aria-pressed={selected}
      title={[title, task.title && task.key, ...words, needs].filter(Boolean).join('\n')}
      className={styles.card}
      data-task={task.key}
      data-state={state}
      data-selected={selected || undefined}
      data-active={active || undefined}
      data-lit={lit || undefined}
      {...data}
    >
      {sign}
      <span className={styles.text}>
        {name === title ? (
          <bdi className={styles.name} data-cut={isTooLong(title) || undefined}>
            {title}
          </bdi>
        ) : (
          <bdi className={styles.name} data-short={name} data-cut={isTooLong(name) || undefined}>
            <span className={styles.heard}>{title}</span>
          </bdi>
        )}
        <span className={styles.heard}>{pause}</span>
        <span className={styles.line}>{line}</span>
        <span className={styles.heard}>
          {pause}
          {rest}
        </span>
      </span>
      {children}
    </div>
  );
}

interface Words {
  pause: string;
  needs: string;
  place: string;
}

const wordsKnown = new WeakMap<TFunction<'scene'>, Map<string, Words>>();

/** What is said of a card's place. Cards come while the view moves, and most say what others have said. */
function wordsOf(t: TFunction<'scene'>, { waitsForAll, needs: { length: count } }: GraphTask, job: string): Words {
  const known = wordsKnown.get(t) ?? new Map<string, Words>();
  wordsKnown.set(t, known);
  const key = `${waitsForAll ? '*' : String(count)} ${job}`;
  const old = known.get(key);
  if (old) return old;
  const needs = waitsForAll ? t('needsAll') : count === 0 ? t('needsNone') : t('needs', { count });
  const words = { pause: t('pause'), needs, place: job ? t('inJob', { job, needs }) : needs };
  known.set(key, words);
  return words;
}
