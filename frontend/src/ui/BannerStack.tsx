import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './BannerStack.module.css';

interface Props {
  /** It lies on the top edge of the view below it, so that nothing in there moves when something is to be said, or no longer. */
  over: boolean;
  /** Told how many pixels of the view lie under it: 0 where it takes a place of its own. It stays the same function. */
  onHeight: (height: number) => void;
  children: ReactNode;
}

/** What a page has to say over a view: strips that come and go without being asked for. It stands in what holds the view. */
export function BannerStack({ over, onHeight, children }: Props) {
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = container.current;
    if (!over || !element) return undefined;
    const report = () => {
      onHeight(element.offsetHeight);
    };
    report();
    const observer = new ResizeObserver(report);
    observer.observe(element);
    return () => {
      observer.disconnect();
      onHeight(0);
    };
  }, [over, onHeight]);
  return (
    <div ref={container} className={styles.above} data-over={over || undefined}>
      {children}
    </div>
  );
}
