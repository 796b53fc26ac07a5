import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useEdgeFades } from '@/ui';
import type { Tab } from './search';
import styles from './TaskDrawer.module.css';

interface Props {
  tabs: readonly Tab[];
  tab: Tab;
  counts: Partial<Record<Tab, string>>;
  onTab: (tab: Tab) => void;
  children: ReactNode;
}

/** The tabs of the drawer. The arrow keys, Home and End select a tab. */
export function Tabs({ tabs, tab, counts, onTab, children }: Props) {
  const { t } = useTranslation('task');
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEdgeFades(list);
  const selectByKey = (e: KeyboardEvent) => {
    const at = tabs.indexOf(tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[e.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    e.preventDefault();
    onTab(next);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <>
      <div
        ref={list}
        className={styles.tabs}
        role="tablist"
        aria-label={t('tabs.label')}
        onKeyDown={selectByKey}
        tabIndex={-1}
      >
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            data-tab={name}
            aria-selected={name === tab}
            aria-controls={name === tab ? `${id}-panel` : undefined}
            tabIndex={name === tab ? 0 : -1}
            onClick={() => {
              onTab(name);
            }}
          >
            {t(`tabs.${name}`)}
            {counts[name] && <small>{counts[name]}</small>}
          </button>
        ))}
      </div>
      <div
        className={tab === 'log' ? styles.full : styles.panel}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${tab}`}
      >
        {children}
      </div>
    </>
  );
}
