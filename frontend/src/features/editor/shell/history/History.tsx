import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Empty, ErrorNote } from '@/ui';
import { useEditor } from '../../context';
import { Outline } from '../Outline';
import { revisionsQuery } from '../queries';
import { useSession } from '../session';
import { Compare } from './Compare';
import { pairOf } from './compare';
import { Revisions } from './Revisions';
import styles from './History.module.css';

/** What was published when, by whom, and what it changed. */
export function History() {
  const { t } = useTranslation('editor');
  const { name, base, search } = useEditor();
  const { changed } = useSession();
  const { data: revisions, error, refetch } = useQuery({ ...revisionsQuery(name), enabled: base !== undefined });
  if (base === undefined)
    return (
      <Empty title={t('history.none')}>
        <p>{t('history.noneHint')}</p>
      </Empty>
    );
  if (!revisions)
    return error ? (
      <div className={styles.pad}>
        <ErrorNote error={error} retry={() => void refetch()} />
      </div>
    ) : (
      <Outline />
    );
  const numbers = revisions.map((revision) => revision.number);
  const pair = pairOf(search, { base, changed, numbers });
  return (
    <div className={styles.history}>
      <Revisions revisions={revisions} shown={pair.to} />
      <Compare pair={pair} numbers={numbers} />
    </div>
  );
}
