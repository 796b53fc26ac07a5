import { Link } from '@tanstack/react-router';
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type EditorView, useEditor } from '../context';
import styles from './Tabs.module.css';

const VIEWS = ['canvas', 'table', 'yaml', 'settings', 'history'] as const satisfies readonly EditorView[];

/** The views of the schedule. One stop of the keyboard; the arrow keys go on to the others. */
export function Tabs({ children }: { children: ReactNode }) {
  const { t } = useTranslation('editor');
  const {
    search: { view = 'canvas' },
  } = useEditor();
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
    const at = tabs.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = tabs.at(to % tabs.length);
    next?.focus();
    next?.click();
  };
  return (
    <div className={styles.bar}>
      {/* The list itself takes no focus: it hears the keys of the tabs in it. */}
      {/* eslint-disable-next-line jsx-a11y/interactive-supports-focus */}
      <div className={styles.tabs} role="tablist" aria-label={t('views')} onKeyDown={move}>
        {VIEWS.map((v) => (
          <Link
            key={v}
            id={`tab-${v}`}
            role="tab"
            aria-selected={v === view}
            aria-controls="editor-view"
            tabIndex={v === view ? 0 : -1}
            from="/schedules/$name"
            to="."
            search={(s) => ({ ...s, view: v === 'canvas' ? undefined : v })}
            activeProps={{}}
          >
            {t(`view.${v}`)}
          </Link>
        ))}
      </div>
      {children}
    </div>
  );
}
