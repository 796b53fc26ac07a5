import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './BannerStack.module.css';

interface Props {
  /**
   * Whether the banners cover the top edge of the view below, so that the view does not move when a banner comes or
   * goes.
   */
  over: boolean;
  /** Told how many pixels of the view lie under it: 0 where it takes a place of its own. It stays the same function. */
  onHeight: (height: number) => void;
  children: ReactNode;
}

/**
 * The banners above a view, which come and go without a request of the reader. Place it in the element that holds the
 * view.
 */
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
