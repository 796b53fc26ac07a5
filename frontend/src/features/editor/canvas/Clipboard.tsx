import { useEffect, useRef } from 'react';
import { isField, useInside } from '@/scene';
import { useParts } from './desk';
import { useClipboard } from './useClipboard';

/** Hears Ctrl+C, X and V while the canvas has the focus. Pasting lands in the lane under the pointer, else where one is. */
export function Clipboard() {
  const { root } = useInside();
  const { acts, desk, pointer } = useParts();
  const clip = useClipboard();
  const latest = useRef(clip);
  useEffect(() => { latest.current = clip; });
  useEffect(() => {
    const mine = (event: ClipboardEvent) => !isField(event.target) && (root.current?.contains(document.activeElement) === true || document.activeElement === document.body);
    const take = (event: ClipboardEvent) => {
      const text = mine(event) && String(document.getSelection()) === '' ? latest.current.text() : undefined;
      if (text === undefined) return;
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
      if (event.type === 'cut') acts.remove();
      else latest.current.said();
    };
    const put = (event: ClipboardEvent) => {
      if (!mine(event)) return;
      event.preventDefault();
      const { at } = pointer.getState();
      const into = at && desk.getState().quickAt?.(at)?.into;
      latest.current.put(event.clipboardData?.getData('text/plain') ?? '', into && 'job' in into ? into.job : undefined);
    };
    document.addEventListener('copy', take);
    document.addEventListener('cut', take);
    document.addEventListener('paste', put);
    return () => {
      document.removeEventListener('copy', take);
      document.removeEventListener('cut', take);
      document.removeEventListener('paste', put);
    };
  }, [root, acts, desk, pointer]);
  return null;
}
