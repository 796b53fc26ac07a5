import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { disconnect, taskOf } from '@/document';
import { edgeKey, redundantNeeds } from '@/graph';
import { useDoc, useEditor } from '../context';
import { Head } from './Head';
import styles from './Inspector.module.css';

/** One dependency. */
export function EdgePanel({ from, to, onClose }: { from: string; to: string; onClose: () => void }) {
  const { t } = useTranslation('inspector');
  const { store } = useEditor();
  const doc = useDoc((s) => s.doc);
  const { apply, select } = store.getState();
  const rule = taskOf(doc, to)?.rule ?? 'all_success';
  const redundant = redundantNeeds(doc).has(edgeKey(from, to));
  const end = (key: string) => (
    <li>
      <button
        type="button"
        onClick={() => {
          select({ tasks: [key] });
        }}
      >
        <b>{taskOf(doc, key)?.title ?? key}</b>
        <small>{key}</small>
      </button>
    </li>
  );
  return (
    <>
      <Head title={`${from} → ${to}`} onClose={onClose}>
        {t('edge.what')}
      </Head>
      <div className={styles.body}>
        <section className={styles.section}>
          <h3>{t('edge.from')}</h3>
          <ul className={styles.tasks}>{end(from)}</ul>
        </section>
        <section className={styles.section}>
          <h3>{t('edge.to')}</h3>
          <ul className={styles.tasks}>{end(to)}</ul>
          <p className="hg-quiet">{t(`rule.means.${rule}`)}</p>
        </section>
        {redundant && (
          <p>{t('edge.redundant', { path: wayRound(from, to, (key) => taskOf(doc, key)?.needs ?? []).join(' → ') })}</p>
        )}
        <div className={styles.buttons}>
          <Button
            className={styles.danger}
            onClick={() => {
              apply(disconnect(store.getState().doc, from, to));
            }}
          >
            {t('edge.remove')}
          </Button>
        </div>
      </div>
    </>
  );
}

/** The shortest other way from one task to another. */
function wayRound(from: string, to: string, needsOf: (key: string) => readonly string[]): string[] {
  const seen = new Set([to]);
  let ways = needsOf(to)
    .filter((need) => need !== from)
    .map((need) => [need, to]);
  while (ways.length > 0) {
    const next: string[][] = [];
    for (const way of ways) {
      const [at = ''] = way;
      if (at === from) return way;
      if (seen.has(at)) continue;
      seen.add(at);
      for (const need of needsOf(at)) next.push([need, ...way]);
    }
    ways = next;
  }
  return [from, to];
}
