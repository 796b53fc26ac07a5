import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from './Toasts';

/** Copies a text, and returns whether the browser did. */
export async function copyText(text: string): Promise<boolean> {
  // A page without TLS has no clipboard, but browsers still have the old command.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!clipboard) return copyField(text);
  try {
    await clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies a text by way of a field that nobody sees. */
function copyField(text: string): boolean {
  const { activeElement } = document;
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  (activeElement?.parentElement ?? document.body).append(field); // within a dialog, which keeps the focus inside
  field.focus({ preventScroll: true });
  field.select();
  let done = false;
  try {
    done = document.execCommand('copy');
  } catch {
    // the browser has no such command
  }
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true });
  return done;
}

/** Returns a function that copies a text. It returns whether it did, and says so if it did not. */
export function useCopy(): (text: string) => Promise<boolean> {
  const { t } = useTranslation();
  return useCallback(
    async (text) => {
      const done = await copyText(text);
      if (!done) toast(t('copyRefused'), { error: true });
      return done;
    },
    [t],
  );
}
