import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiError, api } from '@/api/client';
import { keys } from '@/api/queries';
import { Dialog, ErrorNote, toast } from '@/ui';
import styles from './Dialogs.module.css';

interface Props {
  calendar: { name: string; usedBy: readonly string[] };
  onClose: () => void;
  onDeleted?: () => void;
}

/** Deletes a calendar after a confirmation. For a calendar in use, it lists the schedules instead. */
export function DeleteCalendar({ calendar: { name, usedBy }, onClose, onDeleted }: Props) {
  const { t } = useTranslation(['calendars', 'common']);
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/calendars/{name}', { params: { path: { name } } }),
    onSuccess: () => {
      toast(t('calendars:delete.done', { name }));
      onClose();
      onDeleted?.();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.calendars, exact: true }),
  });
  // Another user may have published a schedule with this calendar since the list was read.
  const users = usersIn(remove.error) ?? usedBy;
  if (users.length > 0)
    return (
      <Dialog
        opened
        onClose={onClose}
        title={t('calendars:delete.used', { name })}
        footer={<Button onClick={onClose}>{t('common:close')}</Button>}
      >
        <p>{t('calendars:delete.usedBy', { count: users.length })}</p>
        <ul className={styles.users}>
          {users.map((schedule) => (
            <li key={schedule}>
              <Link to="/schedules/$name" params={{ name: schedule }} search={{ view: 'settings' }}>
                {schedule}
              </Link>
            </li>
          ))}
        </ul>
      </Dialog>
    );
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('calendars:delete.title', { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button
            variant="filled"
            loading={remove.isPending}
            onClick={() => {
              remove.mutate();
            }}
          >
            {t('calendars:delete.go')}
          </Button>
        </>
      }
    >
      <p>{t('calendars:delete.text')}</p>
      {remove.error && <ErrorNote error={remove.error} />}
    </Dialog>
  );
}

/** The schedules that an answer of the server names as users. */
function usersIn(error: unknown): string[] | undefined {
  if (!(error instanceof ApiError) || error.problem.reason !== 'calendar_used') return undefined;
  return error.problem.params?.schedules?.split(', ');
}
