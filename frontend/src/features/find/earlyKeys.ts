/** The letters that are typed after the command bar was asked for, and before its field has the focus. */
export interface EarlyKeys {
  /** The bar is asked for: from now on keys are kept. */
  begin: () => void;
  /** The field has the focus, or the bar is closed. */
  end: () => void;
  isKeeping: () => boolean;
  /** Calls a function with the text now and with each change of it. Returns a function that ends this. */
  follow: (onText: (text: string) => void) => () => void;
  /** Keeps a key. Returns false for a key that is not for the field. */
  keep: (event: KeyboardEvent) => boolean;
}

/** Returns a store without keys, which keeps none until `begin`. */
export function newEarlyKeys(): EarlyKeys {
  let keeping = false;
  let text = '';
  let changed: ((text: string) => void) | undefined;
  return {
    begin: () => {
      text = '';
      keeping = true;
    },
    end: () => {
      keeping = false;
    },
    isKeeping: () => keeping,
    follow: (onText) => {
      changed = onText;
      onText(text);
      return () => {
        changed = undefined;
      };
    },
    keep: (event) => {
      if (!keeping || event.ctrlKey || event.metaKey || event.altKey || event.key === 'Escape') return false;
      const isLetter = [...event.key].length === 1;
      // Others keep their meaning: F5 reloads, Tab goes on.
      if (!isLetter && !['Backspace', 'Enter', 'Shift'].includes(event.key)) return false;
      if (event.key === 'Backspace') text = [...text].slice(0, -1).join('');
      else if (isLetter) text += event.key;
      changed?.(text);
      // The page must not get it: a letter is a command of the page, and Enter presses its buttons.
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}
