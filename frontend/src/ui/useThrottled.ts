import { useCallback, useEffect, useRef } from 'react';

/** A function that calls f at once, then at most once in so many milliseconds, and once more for calls in between. */
export function useThrottled(f: () => void, ms: number): () => void {
  const latest = useRef(f);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const again = useRef(false);
  useEffect(() => {
    latest.current = f;
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return useCallback(() => {
    if (timer.current !== undefined) {
      again.current = true;
      return;
    }
    const wait = () => {
      timer.current = setTimeout(() => {
        timer.current = undefined;
        if (!again.current) return;
        again.current = false;
        latest.current();
        wait();
      }, ms);
    };
    latest.current();
    wait();
  }, [ms]);
}
