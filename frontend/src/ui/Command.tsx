import { Button, CopyButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import styles from './Command.module.css';

/** A command or another text to copy, with a copy button. */
export function Command({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <div className={styles.command}>
      {/* A scrollable region must be reachable by the keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="compact-sm" onClick={copy}>
            {copied ? t('copied') : t('copy')}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
