import { Button } from '@mantine/core';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './Dialog';
import { ErrorNote } from './ErrorNote';
import { toast } from './Toasts';

interface Props {
  /** The question, which names what is removed. */
  title: string;
  /** The text of the button that removes it. */
  go: string;
  /** The toast that follows. */
  done: string;
  remove: () => Promise<unknown>;
  /** What is read again afterwards. */
  queryKey: QueryKey;
  onClose: () => void;
  /** What removing it means. */
  children: ReactNode;
  /** What follows the error of the last attempt: a way on if the server has refused. */
  more?: (error: Error | null) => ReactNode;
}

/** Removes something after a person has read what follows. */
export function RemoveDialog({ title, go, done, remove, queryKey, onClose, children, more }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      toast(done);
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            variant="filled"
            loading={isPending}
            onClick={() => {
              mutate();
            }}
          >
            {go}
          </Button>
        </>
      }
    >
      <p>{children}</p>
      {error && <ErrorNote error={error} />}
      {more?.(error)}
    </Dialog>
  );
}
