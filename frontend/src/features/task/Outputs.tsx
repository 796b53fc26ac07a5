import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { attemptsQuery } from '@/api/queries';
import { Empty, ErrorNote } from '@/ui';
import { CopyButton, Facts } from './Facts';
import type { Shared } from './Notes';

/** How tasks of the stock handlers put something out. */
const HOW = { shell: 'outputs.how.shell', sql: 'outputs.how.sql', http: 'outputs.how.http' } as const;

/** What the task gave to those that follow it. */
export function Outputs({ batch, task, run, relations, attempt }: Shared & { attempt?: number }) {
  const { t } = useTranslation('task');
  const { data, error, refetch } = useQuery({ ...attemptsQuery(batch, task), enabled: run.attempts > 0 });
  const chosen = data?.items.filter((a) => attempt === undefined || a.number === attempt).at(-1);
  const outputs = Object.entries((attempt === undefined ? run.outputs : undefined) ?? chosen?.outputs ?? {});
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (outputs.length === 0) {
    if (run.attempts > 0 && !data) return null; // not known yet
    const handler = relations.task?.handler ?? '';
    return (
      <Empty title={t('outputs.none')}>
        <p>{t(handler in HOW ? HOW[handler as keyof typeof HOW] : 'outputs.how.other')}</p>
      </Empty>
    );
  }
  return (
    <>
      <Facts items={outputs.map(([name, value]) => [name, <code key={name}>{value}</code>])} />
      <CopyButton text={outputs.map(([name, value]) => `${name}=${value}`).join('\n')} />
    </>
  );
}
