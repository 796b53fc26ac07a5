import { type ReactNode, useCallback, useRef, useState } from 'react';
import { loadTexts } from '@/i18n';
import { lazyPreload } from '@/ui';
import { useEditor } from '../context';
import type { ReplaceInput } from './input';

const ReplaceDialog = lazyPreload(async () => {
  const [loaded] = await Promise.all([import('./ReplaceDialog'), loadTexts('replace')]);
  return loaded.ReplaceDialog;
});

const EMPTY: ReplaceInput = {
  query: { text: '', matchCase: false, wholeWord: false, regex: false },
  replacement: '',
  kind: 'all',
};

/**
 * Opens find and replace: a dialog over the whole schedule, or in the YAML view the search of its text. Render `node`
 * once in the page.
 */
export function useReplace(): { open: () => void; node: ReactNode } {
  const { search, textSearch } = useEditor();
  const [turn, setTurn] = useState(0);
  const [opened, setOpened] = useState(false);
  const input = useRef(EMPTY);
  const [first, setFirst] = useState(EMPTY);
  const inText = search.view === 'yaml';
  const open = useCallback(() => {
    if (inText) {
      textSearch?.current?.();
      return;
    }
    setFirst(input.current);
    setTurn((before) => before + 1);
    setOpened(true);
  }, [inText, textSearch]);
  const node = turn > 0 && (
    <ReplaceDialog
      key={turn}
      opened={opened}
      first={first}
      onInput={(next) => {
        input.current = next;
      }}
      onClose={() => {
        setOpened(false);
      }}
    />
  );
  return { open, node };
}
