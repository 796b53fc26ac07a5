import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Language, LANGUAGES, setLanguage } from '@/i18n';
import styles from './Frame.module.css';

/**
 * The page around a form that is shown without a session: the logo, the form, and the choice of the language, because
 * there is no menu yet.
 */
export function Frame({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  const { t, i18n } = useTranslation();
  useEffect(() => {
    document.title = `${title} · ${t('appName')}`;
  }, [title, t]);
  // The form is the only content, so its first empty field takes the focus.
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    card.current?.querySelector<HTMLInputElement>('input[data-autofocus]')?.focus();
  }, []);
  return (
    <main className={styles.page}>
      <section ref={card} className={styles.card} aria-labelledby="auth-title">
        <svg viewBox="0 0 22 24" width="37" height="40" aria-hidden="true" focusable="false">
          <path d="M11 1l9.5 5.5v11L11 23 1.5 17.5v-11z" fill="var(--honey)" />
          <path d="M7 8v8M15 8v8M7 12h8" stroke="var(--on-honey)" strokeWidth="2" strokeLinecap="round" fill="none" />
        </svg>
        <h1 id="auth-title">{title}</h1>
        <p className={styles.text}>{text}</p>
        {children}
      </section>
      <p className={styles.languages}>
        {(Object.keys(LANGUAGES) as Language[]).map((code) => (
          <button
            key={code}
            type="button"
            lang={code}
            aria-pressed={i18n.language === code}
            onClick={() => void setLanguage(code)}
          >
            {LANGUAGES[code]}
          </button>
        ))}
      </p>
    </main>
  );
}
