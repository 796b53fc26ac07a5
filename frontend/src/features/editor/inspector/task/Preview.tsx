import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { More } from '../Panel';

const Rendered = lazy(() => import('./Rendered'));

/** What an executor would get of a task now, as the server renders it. It is requested only while it is open. */
export function Preview({ task, main }: { task: string; main?: string }) {
  const { t } = useTranslation('inspector');
  return (
    <More title={t('preview.title')}>
      <Suspense fallback={null}>
        <Rendered task={task} main={main} />
      </Suspense>
    </More>
  );
}
