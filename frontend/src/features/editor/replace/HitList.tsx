import { Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { taskOf } from '@/document';
import { useDoc, useEditor } from '../context';
import { useFieldTexts } from '../shell/fieldTexts';
import { excerptOf, type Hit } from './hits';
import styles from './Replace.module.css';

interface Props {
  hits: readonly Hit[];
  leftOut: ReadonlySet<string>;
  onLeftOut: (next: ReadonlySet<string>) => void;
  /** Why a hit cannot be replaced. */
  faultOf: (hit: Hit) => string | undefined;
  onClose: () => void;
}

/** The hits by job, task and field, each with its text before and after. A hit can be left out. */
export function HitList({ hits, leftOut, onLeftOut, faultOf, onClose }: Props) {
  const { t } = useTranslation('replace');
  const { search, goTo } = useEditor();
  const placeOf = usePlace();
  const chosen = hits.filter(({ id }) => !leftOut.has(id)).length;
  const leave = (id: string, out: boolean) => {
    const next = new Set(leftOut);
    if (out) next.add(id);
    else next.delete(id);
    onLeftOut(next);
  };
  const show = ({ at: { task, job, field } }: Hit) => {
    onClose();
    const view = task === undefined && job === undefined ? 'settings' : search.view === 'table' ? 'table' : undefined;
    goTo({ view, task, job: task === undefined ? job : undefined, field });
  };
  return (
    <section aria-label={t('list')} className={styles.list}>
      <Checkbox
        size="xs"
        label={t('all')}
        checked={chosen === hits.length}
        indeterminate={chosen > 0 && chosen < hits.length}
        onChange={(event) => {
          onLeftOut(event.currentTarget.checked ? new Set() : new Set(hits.map(({ id }) => id)));
        }}
      />
      <ul>
        {hits.map((hit) => {
          const place = placeOf(hit);
          const fault = faultOf(hit);
          return (
            <li key={hit.id} data-out={leftOut.has(hit.id) || fault !== undefined || undefined}>
              <Checkbox
                size="xs"
                checked={!leftOut.has(hit.id)}
                aria-label={`${t('include')}: ${place}`}
                onChange={(event) => {
                  leave(hit.id, !event.currentTarget.checked);
                }}
              />
              <div>
                <button
                  type="button"
                  className={styles.place}
                  title={t('go', { place })}
                  onClick={() => {
                    show(hit);
                  }}
                >
                  {place}
                </button>
                <Change hit={hit} />
                {fault !== undefined && <p className={styles.fault}>{fault}</p>}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Change({ hit: { at, match } }: { hit: Hit }) {
  const { t } = useTranslation('replace');
  const { before, hit, insert, after } = excerptOf(at.text, match);
  return (
    <>
      <p className={styles.line}>
        <span className="hg-visually-hidden">{t('before')}</span>
        {before}
        <del>{hit}</del>
        {after}
      </p>
      <p className={styles.line}>
        <span className="hg-visually-hidden">{t('after')}</span>
        {before}
        {insert === '' ? <i title={t('removed')} /> : <ins>{insert}</ins>}
        {after}
      </p>
    </>
  );
}

/** The place of a hit as text: its job, its task and the label of its field. */
function usePlace(): (hit: Hit) => string {
  const { t } = useTranslation('replace');
  const { t: tEditor } = useTranslation('editor');
  const doc = useDoc((s) => s.doc);
  const { label } = useFieldTexts();
  return ({ at: { job, task, field } }) => {
    const handler = task === undefined ? undefined : taskOf(doc, task)?.handler;
    const place = [
      job === undefined ? tEditor('place.schedule') : tEditor('place.job', { job }),
      ...(task === undefined ? [] : [tEditor('place.task', { task })]),
    ].join(' › ');
    return t('place', { place, field: label(field, handler) });
  };
}
