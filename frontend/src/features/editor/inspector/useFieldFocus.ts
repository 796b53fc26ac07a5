import { useEffect } from 'react';
import { useEditor } from '../context';

const TAKES = 'input, textarea, select, .cm-content, button';

/** Puts the focus into the field that the address names, as a link to a fault does, once it is there. */
export function useFieldFocus(subject: string): void {
  const {
    search: { field },
    goTo,
  } = useEditor();
  useEffect(() => {
    if (field === undefined) return undefined;
    const find = () => {
      const target = fieldElement(field);
      if (!target) return false;
      target.closest('details:not([open])')?.setAttribute('open', '');
      target.scrollIntoView({ block: 'center' });
      (target.matches(TAKES) ? target : target.querySelector<HTMLElement>(TAKES))?.focus({ preventScroll: true });
      goTo({ field: undefined }, { replace: true });
      return true;
    };
    if (find()) return undefined;
    const watch = new MutationObserver(() => {
      if (find()) watch.disconnect();
    });
    watch.observe(document.body, { childList: true, subtree: true });
    return () => {
      watch.disconnect();
    };
  }, [field, subject, goTo]);
}

/** The field that is named, or else the one that holds it: `params.env.REGION` is in `params.env`. */
function fieldElement(field: string): HTMLElement | null {
  for (let name = field; name !== ''; name = name.replace(/[.[]?[^.[]*$/, '')) {
    const found = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
    if (found) return found;
  }
  return null;
}
