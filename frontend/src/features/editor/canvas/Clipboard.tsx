import { useEffect, useRef } from 'react';
import { isOverPage, takesText } from '../focus';
import { useParts } from './desk';
import { useClipboard } from './useClipboard';

/** Hears Ctrl+C, X and V wherever the focus is, but in a text or in what is over the page. Pasting lands in the lane under the pointer, else where one is. */
export function Clipboard() {
  const { acts, desk, pointer } = useParts();
  const clip = useClipboard();
  const latest = useRef(clip);
  useEffect(() => {
    latest.current = clip;
  });
  useEffect(() => {
    const mine = () => !takesText(document.activeElement) && !isOverPage(document.activeElement);
    const take = (event: ClipboardEvent) => {
      const text = mine() && !isTextChosen() ? latest.current.text() : undefined;
      if (text === undefined) return;
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
      if (event.type === 'cut') acts.remove();
      else latest.current.said();
    };
    const put = (event: ClipboardEvent) => {
      if (!mine()) return;
      event.preventDefault();
      const { at } = pointer.getState();
      const into = at && desk.getState().quickAt?.(at)?.into;
      latest.current.put(
        event.clipboardData?.getData('text/plain') ?? '',
        into && 'job' in into ? into.job : undefined,
      );
    };
    document.addEventListener('copy', take);
    document.addEventListener('cut', take);
    document.addEventListener('paste', put);
    return () => {
      document.removeEventListener('copy', take);
      document.removeEventListener('cut', take);
      document.removeEventListener('paste', put);
    };
  }, [acts, desk, pointer]);
  return null;
}

/** Whether a person marked text on the page, which is what they copy then; that of a field is not among what the page has. */
function isTextChosen(): boolean {
  const field = document.activeElement;
  return (
    String(document.getSelection()) !== '' ||
    (field instanceof HTMLInputElement && field.selectionStart !== field.selectionEnd)
  );
}
