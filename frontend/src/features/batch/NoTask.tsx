import { Button, Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Batch } from '@/live';
import { Empty } from '@/ui';

interface Props {
  batch: Batch;
  task: string;
  onClose: () => void;
  /** There is no room for it beside the view. */
  over?: boolean;
}

/** What a link to a task says that this batch does not have. */
export function NoTask({ over, ...props }: Props) {
  const { t } = useTranslation('batch');
  if (!over) return <Words {...props} />;
  return (
    <Modal.Root opened onClose={props.onClose}>
      <Modal.Overlay backgroundOpacity={0.35} />
      <Modal.Content aria-label={t('noTask.title', { task: props.task })}>
        <Words {...props} />
      </Modal.Content>
    </Modal.Root>
  );
}

function Words({ batch, task, onClose }: Omit<Props, 'over'>) {
  const { t } = useTranslation('batch');
  return (
    <Empty title={t('noTask.title', { task })}>
      {batch.revision > 0 && <p>{t('noTask.detail', { revision: batch.revision })}</p>}
      <Button onClick={onClose}>{t('noTask.close')}</Button>
    </Empty>
  );
}
