import { Button, Group, Modal, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Definition } from '@/api/definition';
import { scheduleQuery } from '@/api/queries';
import { ErrorNote } from '@/ui';

interface Props {
  schedule: string;
  onClose: () => void;
  onPick: (task: string) => void;
}

/** The dialog that asks which task of a schedule to run. */
export function TaskPicker({ schedule, onClose, onPick }: Props) {
  const { t } = useTranslation(['schedules', 'common']);
  const { data, error, refetch } = useQuery(scheduleQuery(schedule));
  const [task, setTask] = useState<string | null>(null);
  const jobs = (data?.definition as Definition | undefined)?.jobs ?? [];
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('schedules:task.title', { name: schedule })}
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      {error ? (
        <ErrorNote error={error} retry={() => void refetch()} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (task) onPick(task);
          }}
        >
          <Select
            data-autofocus
            searchable
            label={t('schedules:task.label')}
            description={t('schedules:task.hint')}
            nothingFoundMessage={t('schedules:task.none')}
            value={task}
            onChange={setTask}
            maxDropdownHeight={280}
            data={jobs.map((job) => ({
              group: job.title ?? job.key,
              items: (job.tasks ?? []).map(({ key, title }) => ({
                value: key,
                label: title ? `${key} · ${title}` : key,
              })),
            }))}
          />
          <Group justify="flex-end" mt="md" gap={8}>
            <Button onClick={onClose}>{t('common:cancel')}</Button>
            <Button type="submit" variant="filled" disabled={!task}>
              {t('schedules:task.go')}
            </Button>
          </Group>
        </form>
      )}
    </Modal>
  );
}
