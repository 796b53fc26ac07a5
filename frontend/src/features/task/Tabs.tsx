import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Tab, TABS } from './search';
import styles from './Tabs.module.css';

interface Props {
  tab: Tab;
  counts: Partial<Record<Tab, string>>;
  onTab: (tab: Tab) => void;
  children: ReactNode;
}

/** The drawer's tabs; arrows, Home and End go from one to the next. */
export function Tabs({ tab, counts, onTab, children }: Props) {
  const { t } = useTranslation('task');
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const key = (e: KeyboardEvent) => {
    const at = TABS.indexOf(tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[e.key];
    const next = to === undefined ? undefined : TABS[(to + TABS.length) % TABS.length];
    if (!next) return;
    e.preventDefault();
    onTab(next);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <>
      <div ref={list} className={styles.list} role="tablist" aria-label={t('tabs.label')} onKeyDown={key} tabIndex={-1}>
        {TABS.map((name) => (
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
