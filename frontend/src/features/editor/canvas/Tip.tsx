import { useLayoutEffect, useRef, useState } from 'react';
import type { Point } from '@/scene';
import styles from './Tip.module.css';

interface Props {
  /** Where the pointer is in the window. */
  client: Point;
  text: string;
  refused?: boolean;
  /** The way out. */
  more?: string;
  /** The way out is what letting go would do now. */
  sure?: boolean;
  onMore?: () => void;
  /** Something is carried below the pointer: the words stand below that. */
  carried?: boolean;
}

const AWAY = 18;
const CARRIED = 50;

/** Words at the pointer, wholly within the window. */
export function Tip({ client, text, refused, more, sure, onMore, carried }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 246, height: 80 });
  useLayoutEffect(() => {
    const { offsetWidth: width, offsetHeight: height } = element.current ?? { offsetWidth: 0, offsetHeight: 0 };
    setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
  }, [text, more]);
  const x = Math.max(8, Math.min(window.innerWidth - size.width - 8, client.x + 4));
  const below = client.y + (carried ? CARRIED : AWAY);
  const y = below + size.height > window.innerHeight - 8 ? client.y - AWAY - size.height : below;
  return (
    <div
      ref={element}
      className={styles.tip}
      style={{ transform: `translate(${x}px, ${y}px)` }}
      role={onMore ? 'group' : undefined}
      data-own=""
      data-tip={refused ? 'refused' : 'note'}
    >
      <b>{text}</b>
      {more &&
        (onMore ? (
          <button type="button" onClick={onMore}>
            {more}
          </button>
        ) : (
          <span data-sure={sure || undefined}>{more}</span>
        ))}
    </div>
  );
}
