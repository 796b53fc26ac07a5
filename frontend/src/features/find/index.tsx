import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { meQuery } from '@/api/queries';
import { loadTexts } from '@/i18n';
import { hasOnlyCtrl, isPageKey, lazyPreload } from '@/ui';
import { focusNearest, withAncestors } from '@/ui/focusFallback';
import { type EarlyKeys, newEarlyKeys } from './earlyKeys';
import { SEQUENCE_TIME, stepRow } from './jump';
import { noteVisit, type Visit } from './recents';
import { type Find, FindContext, newRegistry, type Registry } from './registry';

export { lastSchedule, type Visit } from './recents';
export { type PageCommand, type PageParts, useCommands, useFind } from './registry';

const CommandBar = lazyPreload(async () => {
  const [part] = await Promise.all([import('./CommandBar'), loadTexts('find')]);
  return part.CommandBar;
});
const KeyList = lazyPreload(async () => {
  const [part] = await Promise.all([import('./KeyList'), loadTexts('find')]);
  return part.KeyList;
});

/** Provides the command bar, the list of keys, and the keys of all pages. */
export function FindProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(newRegistry);
  const [bar, setBar] = useState(false);
  const [keyList, setKeyList] = useState({ turn: 0, opened: false });
  const [early] = useState(newEarlyKeys);
  const before = useRef<{ focus: Element[]; then?: () => void }>(undefined);
  const find = useMemo(
    (): Find => ({
      registry,
      openBar: () => {
        before.current = { focus: withAncestors(document.activeElement) };
        early.begin();
        setBar(true);
      },
      openKeys: () => {
        setKeyList(({ turn }) => ({ turn: turn + 1, opened: true }));
      },
    }),
    [registry, early],
  );
  const closeBar = useCallback(
    (then?: () => void) => {
      if (before.current) before.current.then = then;
      early.end();
      setBar(false);
    },
    [early],
  );
  // The focus returns before the action, so that a dialog of the action returns it to the same element.
  useEffect(() => {
    if (bar || !before.current) return;
    const { focus, then } = before.current;
    before.current = undefined;
    focusNearest(focus);
    then?.();
  }, [bar]);
  useFindKeys(find, bar, closeBar, early);
  return (
    <FindContext value={find}>
      {children}
      {bar && <CommandBar registry={registry} early={early} onClose={closeBar} />}
      {keyList.turn > 0 && (
        <KeyList
          key={keyList.turn}
          registry={registry}
          opened={keyList.opened}
          onClose={() => {
            setKeyList(({ turn }) => ({ turn, opened: false }));
          }}
        />
      )}
    </FindContext>
  );
}

/** Handles the keys of all pages: Ctrl+K, G and a letter, J, K and the question mark. */
function useFindKeys(
  { registry, openBar, openKeys }: Find,
  barIsOpen: boolean,
  close: () => void,
  early: EarlyKeys,
): void {
  const latest = useRef({ barIsOpen });
  useEffect(() => {
    latest.current = { barIsOpen };
  });
  useEffect(() => {
    let sequenceBegan = -Infinity;
    // The second key of a sequence, and Ctrl+K, belong to no part of the page.
    const first = (event: KeyboardEvent) => {
      if (early.keep(event)) return;
      if (early.isKeeping() && event.key === 'Escape') close();
      const began = sequenceBegan;
      if (event.key !== 'Shift') sequenceBegan = -Infinity;
      if (event.key.toLowerCase() === 'k' && hasOnlyCtrl(event)) {
        event.preventDefault();
        event.stopPropagation();
        if (latest.current.barIsOpen) close();
        else if (!document.querySelector('[aria-modal="true"]')) openBar();
        return;
      }
      if (event.timeStamp - began > SEQUENCE_TIME || !isPageKey(event)) return;
      const command = commandOfKeys(registry, `G ${event.key.toUpperCase()}`);
      if (!command) return;
      event.preventDefault();
      event.stopPropagation();
      command.run();
    };
    const last = (event: KeyboardEvent) => {
      if (!isPageKey(event)) return;
      if (event.key === 'g') sequenceBegan = event.timeStamp;
      else if (event.key === '?') openKeys();
      else if (!((event.key === 'j' && stepRow(1)) || (event.key === 'k' && stepRow(-1)))) return;
      event.preventDefault();
    };
    window.addEventListener('keydown', first, true);
    window.addEventListener('keydown', last);
    return () => {
      window.removeEventListener('keydown', first, true);
      window.removeEventListener('keydown', last);
    };
  }, [registry, openBar, openKeys, close, early]);
}

function commandOfKeys(registry: Registry, keys: string) {
  return registry
    .list()
    .flatMap((part) => part.commands ?? [])
    .find((command) => command.keys === keys);
}

/** Notes that a schedule or a batch was visited. The command bar offers the latest visits. */
export function useVisit(visit: Visit): void {
  const user = useQuery(meQuery).data?.name;
  const text = JSON.stringify(visit);
  useEffect(() => {
    if (user !== undefined) noteVisit(user, JSON.parse(text) as Visit);
  }, [user, text]);
}
