import { useEffect, useState } from 'react';

/** Milliseconds without a change after which a text is taken. */
const CALM = 400;

/** A text as it was before somebody began to type; it follows a moment after they have stopped. */
export function useCalm(text: string): string {
  const [calm, setCalm] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => {
      setCalm(text);
    }, CALM);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return calm;
}
