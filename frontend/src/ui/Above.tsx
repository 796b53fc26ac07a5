import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './Above.module.css';

interface Props {
  /** It lies on the top edge of the view below it, so that nothing in there moves when something is to be said, or no longer. */
  over: boolean;
  /** Told how many pixels of the view lie under it: 0 where it takes a place of its own. It stays the same function. */
  onHeight: (height: number) => void;
  children: ReactNode;
}

/** What a page has to say over a view: strips that come and go without being asked for. It stands in what holds the view. */
export function Above({ over, onHeight, children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (!over || !element) return undefined;
    const tell = () => {
      onHeight(element.offsetHeight);
    };
    tell();
    const observer = new ResizeObserver(tell);
    observer.observe(element);
    return () => {
      observer.disconnect();
      onHeight(0);
    };
  }, [over, onHeight]);
  return (
    <div ref={place} className={styles.above} data-over={over || undefined}>
      {children}
    </div>
  );
}
