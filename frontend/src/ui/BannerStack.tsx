import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './BannerStack.module.css';

interface Props {
  /** Whether the banners cover the top of the view, so that the view does not move when a banner appears. */
  over: boolean;
  /** Called with the covered height of the view in pixels. Pass the same function in every render. */
  onHeight: (height: number) => void;
  children: ReactNode;
}

/**
 * The banners above a view, which appear without an action of the user. Render it in the element that contains the
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
    <div ref={container} className={styles.banners} data-over={over || undefined}>
      {children}
    </div>
  );
}
