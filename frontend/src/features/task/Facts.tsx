import { Button, CopyButton as Copy } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Facts.module.css';

/** Names and values, one below the other. */
export function Facts({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Code as it is written, with a way to take it along. */
export function Code({ title, text }: { title: string; text: string }) {
  return (
    <section className={styles.code}>
      <header>
        <h3>{title}</h3>
        <CopyButton text={text} />
      </header>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long code scrolls, by keyboard too */}
      <pre tabIndex={0} role="region" aria-label={title}>
        {text}
      </pre>
    </section>
  );
}

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation('common');
  return (
    <Copy value={text}>
      {({ copied, copy }) => (
        <Button size="compact-sm" onClick={copy}>
          {t(copied ? 'copied' : 'copy')}
        </Button>
      )}
    </Copy>
  );
}
