import { type ReactNode, useLayoutEffect, useMemo, useRef } from 'react';
import type { TFunction } from 'i18next';
import type { GraphTask } from '@/graph';
import styles from './Card.module.css';
import { BESIDE_NAME } from './cardWidths';
import { showTurn, type Turn } from './motion';
import { cardId, litTrail, useSceneState, useSceneContext } from './sceneStore';
import { measureName, shorten } from './textWidth';

/**
 * Texts may be wider on the user's screen than measured here. They are clipped if they fill more than this fraction of
 * the room.
 */
const ALMOST = 0.95;

/** The room for the texts of a card, in pixels. */
const roomIn = (width: number) => width - BESIDE_NAME;

/**
 * Whether a text of a card of this width may be wider than its room, so that it needs a clip. Each clip costs time
 * while the view moves.
 */
export const isTooLong = (text: string, width: number): boolean => measureName()(text) > roomIn(width) * ALMOST;

const [SELECTED, ACTIVE, LIT] = [1, 2, 4];

interface Props {
  task: GraphTask;
  job: string;
  /** The width of the card. */
  width: number;
  /** The state of its run, or `none`. */
  state: string;
  /** More attributes of its element. */
  data?: Readonly<Record<`data-${string}`, string | undefined>>;
  sign: ReactNode;
  /** The second line. */
  line: ReactNode;
  /** Lines of its tooltip, between name and needs. */
  tooltipLines?: readonly (string | undefined | false)[];
  /** The last change of its state while it is mounted. */
  turn?: Turn;
  /** More text for screen readers. */
  spoken?: string;
  children?: ReactNode;
}

/** One task as a card: a sign, its name, a second line. All cards of a lane have one size. */
export function CardFrame(props: Props) {
  const { task, job, width, state, data, sign, line, tooltipLines = [], turn, spoken, children } = props;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (turn && element.current) showTurn(element.current, turn);
  }, [turn]);
  const { id, t } = useSceneContext();
  // One subscription for each card: there are many cards, and they are mounted while the view moves.
  const marks = useSceneState(
    (s) =>
      (s.selected.has(task.key) ? SELECTED : 0) |
      (s.focused && s.active === task.key ? ACTIVE : 0) |
      (litTrail(s)?.tasks.has(task.key) ? LIT : 0),
  );
  const [selected, active, lit] = [(marks & SELECTED) > 0, (marks & ACTIVE) > 0, (marks & LIT) > 0];
  const title = task.title ?? task.key;
  // The keys of one job often differ in their last word, so their middle is left out. A title is cut at its end.
  const name = useMemo(
    () => (task.title ? task.title : shorten(task.key, roomIn(width), measureName())),
    [task.title, task.key, width],
  );
  const { pause, needs, location } = locationTexts(t, task, job);
  const rest = spoken ? `${location}${pause}${spoken}` : location;
  return (
    <div
      ref={element}
      id={cardId(id, task.key)}
      role="button"
      tabIndex={-1}
      aria-pressed={selected}
      title={[title, task.title && task.key, ...tooltipLines, needs].filter(Boolean).join('\n')}
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
          <bdi className={styles.name} data-cut={isTooLong(title, width) || undefined}>
            {title}
          </bdi>
        ) : (
          <bdi className={styles.name} data-short={name} data-cut={isTooLong(name, width) || undefined}>
            <span className={styles.spoken}>{title}</span>
          </bdi>
        )}
        <span className={styles.spoken}>{pause}</span>
        <span className={styles.line}>{line}</span>
        <span className={styles.spoken}>
          {pause}
          {rest}
        </span>
      </span>
      {children}
    </div>
  );
}

interface LocationTexts {
  pause: string;
  needs: string;
  location: string;
}

const textsCache = new WeakMap<TFunction<'scene'>, Map<string, LocationTexts>>();

/**
 * The texts about a card's needs and job, cached: cards are mounted while the view moves, and many have equal texts.
 */
function locationTexts(
  t: TFunction<'scene'>,
  { waitsForAll, needs: { length: count } }: GraphTask,
  job: string,
): LocationTexts {
  const cache = textsCache.get(t) ?? new Map<string, LocationTexts>();
  textsCache.set(t, cache);
  const key = `${waitsForAll ? '*' : String(count)} ${job}`;
  const old = cache.get(key);
  if (old) return old;
  const needs = waitsForAll ? t('needsAll') : count === 0 ? t('needsNone') : t('needs', { count });
  const texts = { pause: t('pause'), needs, location: job ? t('inJob', { job, needs }) : needs };
  cache.set(key, texts);
  return texts;
}
