import { Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { focusNearest, withAncestors } from './focusFallback';
import styles from './Dialog.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  /** One line below the title: what the dialog is about. */
  summary?: ReactNode;
  /** The buttons; the primary one last. They stay in sight. */
  footer: ReactNode;
  children: ReactNode;
  /** What it shows is being renewed. */
  busy?: boolean;
  /** Where something else than the title takes the first focus, it has the attribute `data-autofocus`. */
  focusInside?: boolean;
  /** It is for reading: without a button in it the text itself takes the focus, so that keys scroll it. */
  reading?: boolean;
}

/**
 * A dialog that asks before something is done: in the middle of the page, from below on a phone. Esc closes it. It is
 * mounted when it opens, and gives the focus back to what had it then, or to what is nearest around that.
 */
export function Dialog({ opened, onClose, title, summary, footer, children, busy, focusInside, reading }: Props) {
  const { t } = useTranslation();
  const [opener] = useState(() => withAncestors(openerNow()));
  useEffect(() => {
    if (!opened) focusNearest(opener);
  }, [opened, opener]);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      returnFocus={false}
      size={640}
      radius="lg"
      centered
      transitionProps={{ duration: 120, transition: 'fade' }}
      classNames={{ inner: styles.inner, content: styles.content }}
    >
      <Modal.Overlay backgroundOpacity={0.35} />
      <Modal.Content aria-busy={busy}>
        <div className={styles.header}>
          <Modal.Title className={styles.title} tabIndex={-1} data-autofocus={focusInside ? undefined : true}>
            {title}
          </Modal.Title>
          {summary && <Modal.Body className={styles.summary}>{summary}</Modal.Body>}
          <Modal.CloseButton className={styles.close} aria-label={t('close')} />
        </div>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- for scrolling by keyboard */}
        <div className={styles.body} tabIndex={reading ? 0 : undefined}>
          {children}
        </div>
        <footer className={styles.footer}>{footer}</footer>
      </Modal.Content>
    </Modal.Root>
  );
}

/** What has the focus; of an item of a menu, which goes away, the button of that menu. */
function openerNow(): Element | null {
  const now = document.activeElement;
  const menu = now?.closest('[role="menu"]');
  return (menu?.id ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : null) ?? now;
}
