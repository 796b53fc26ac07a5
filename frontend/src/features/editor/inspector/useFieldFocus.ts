import { useEffect } from 'react';
import { useEditor } from '../context';

const FOCUSABLE = 'input, textarea, select, .cm-content, button';

/** Focuses the field that the address names, as soon as it is on the page. Links to faults name a field. */
export function useFieldFocus(subject: string): void {
  const {
    search: { field },
    goTo,
  } = useEditor();
  useEffect(() => {
    if (field === undefined) return undefined;
    const focusField = () => {
      const target = fieldElement(field);
      if (!target) return false;
      target.closest('details:not([open])')?.setAttribute('open', '');
      target.scrollIntoView({ block: 'center' });
      (target.matches(FOCUSABLE) ? target : target.querySelector<HTMLElement>(FOCUSABLE))?.focus({
        preventScroll: true,
      });
      goTo({ field: undefined }, { replace: true });
      return true;
    };
    if (focusField()) return undefined;
    const observer = new MutationObserver(() => {
      if (focusField()) observer.disconnect();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
    };
  }, [field, subject, goTo]);
}

/** The named field, or the nearest one that contains it: `params.env.REGION` is in `params.env`. */
function fieldElement(field: string): HTMLElement | null {
  for (let name = field; name !== ''; name = name.replace(/[.[]?[^.[]*$/, '')) {
    const found = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
    if (found) return found;
  }
  return null;
}
