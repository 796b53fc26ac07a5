import { Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { focusNearest, withAncestors } from './focusFallback';
import styles from './Dialog.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  /** One line below the title. */
  summary?: ReactNode;
  /** The buttons, the primary one last. They are always visible. */
  footer: ReactNode;
  children: ReactNode;
  /** The content is loading. */
  busy?: boolean;
  /** The element with the attribute `data-autofocus` takes the first focus, instead of the title. */
  focusInside?: boolean;
  /** As wide as the page. */
  wide?: boolean;
  /** The content is a text without buttons. It can take the focus, so that keys scroll it. */
  reading?: boolean;
}

/**
 * A dialog in the middle of the page, or at the bottom on a phone. Escape closes it. Mount it when it opens: on
 * closing, it returns the focus to the element that had it then, or to the nearest ancestor.
 */
export function Dialog(props: Props) {
  const { opened, onClose, title, summary, footer, children, busy, focusInside, wide, reading } = props;
  const { t } = useTranslation();
  const [opener] = useState(() => withAncestors(currentOpener()));
  useEffect(() => {
    if (!opened) focusNearest(opener);
  }, [opened, opener]);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      returnFocus={false}
      size={wide ? 'min(1600px, 96vw)' : 640}
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

/** The focused element, or the button of its menu, because the menu closes. */
function currentOpener(): Element | null {
  const focused = document.activeElement;
  const menu = focused?.closest('[role="menu"]');
  return (menu?.id ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : null) ?? focused;
}
