import { useTranslation } from 'react-i18next';
import { lazyPreload } from '@/ui';
import { More } from '../Panel';
import type { RenderedProps } from './Rendered';

const Rendered = lazyPreload<RenderedProps>(() => import('./Rendered').then((m) => m.Rendered));

/** What an executor would get of a task now, as the server renders it. It is requested only while it is open. */
export function Preview({ task, main }: { task: string; main?: string }) {
  const { t } = useTranslation('inspector');
  return (
    <More title={t('preview.title')}>
      <Rendered task={task} main={main} />
    </More>
  );
}
