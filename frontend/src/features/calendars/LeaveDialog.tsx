import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Dialog } from '@/ui';

/** Asks before a page with unsaved edits is left. The browser itself asks before the tab is closed. */
export function LeaveDialog({ dirty }: { dirty: boolean }) {
  const { t } = useTranslation('calendars');
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog
      opened
      onClose={reset}
      title={t('leave.title')}
      footer={
        <>
          <Button onClick={proceed}>{t('leave.go')}</Button>
          <Button variant="filled" onClick={reset}>
            {t('leave.stay')}
          </Button>
        </>
      }
    >
      <p>{t('leave.text')}</p>
    </Dialog>
  );
}
