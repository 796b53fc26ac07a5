import { useTranslation } from 'react-i18next';
import { describeTrigger } from '@/cron';
import type { ReactNode } from 'react';
import type { Definition } from '@/api/definition';
import type { Batch } from '@/live';
import { Moment } from '@/ui';
import styles from './Params.module.css';

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The params of a batch beside their declared values, and facts about the batch and its policies. */
export function Params({ batch, definition }: { batch: Batch; definition: Definition }) {
  const { t, i18n } = useTranslation('batch');
  const { t: tCron } = useTranslation('cron');
  const triggerText = (triggers: NonNullable<Definition['triggers']>) =>
    triggers
      .map((trigger) => {
        const { text, described } = describeTrigger(trigger, tCron, i18n.language);
        return described && trigger.cron ? tCron('withCron', { words: text, cron: trigger.cron }) : text;
      })
      .join(tCron('and'));
  const names = [...new Set([...Object.keys(definition.params ?? {}), ...Object.keys(batch.params)])];
  return (
    <div className={styles.page}>
      <section>
        <h2>{t('params.title')}</h2>
        {names.length === 0 ? (
          <p className="hg-quiet">{t('params.none')}</p>
        ) : (
          <table className={styles.params}>
            <thead>
              <tr>
                <th scope="col">{t('params.name')}</th>
                <th scope="col">{t('params.value')}</th>
                <th scope="col">{t('params.declared')}</th>
              </tr>
            </thead>
            <tbody>
              {names.map((name) => {
                const given = name in batch.params;
                const declared = definition.params?.[name];
                return (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td>
                      <code>{textOf(given ? batch.params[name] : declared)}</code>
                      {given && <em>{t('params.given')}</em>}
                    </td>
                    <td className="hg-quiet">{declared !== undefined && <code>{textOf(declared)}</code>}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        )}
      </section>
      <section>
        <h2>{t('params.about')}</h2>
        <dl className={styles.facts}>
          {factsOf(batch, definition, t as never, triggerText).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}

/** The facts about the batch and its policies, as pairs of name and content. */
function factsOf(
  batch: Batch,
  definition: Definition,
  t: (key: string, values?: object) => string,
  triggerText: (triggers: NonNullable<Definition['triggers']>) => string,
): [string, ReactNode][] {
  const { policy = {}, triggers = [], flow = 'needs' } = definition;
  const scheduled = batch.schedule !== '';
  const out: [string, ReactNode][] = [
    [t('fact.moment'), <Moment key="moment" seconds at={batch.moment} />],
    [t('fact.kind'), t(`kind.${batch.kind}`)],
    [t('fact.by'), batch.createdBy],
    [t('fact.created'), <Moment key="created" seconds at={batch.createdAt} />],
    [t('fact.revision'), batch.revision > 0 ? String(batch.revision) : undefined],
    [t('fact.crons'), triggerText(triggers) || (scheduled ? t('fact.noCrons') : undefined)],
    [t('fact.flow'), t(`flow.${flow}`)],
    [t('fact.timeout'), policy.timeout ?? t('fact.noTimeout')],
    [t('fact.overlap'), scheduled ? t(`overlap.${policy.overlap ?? 'skip'}`) : undefined],
    [t('fact.catchUp'), scheduled ? t(`catchUp.${policy.catchUp?.mode ?? 'latest'}`) : undefined],
    [t('fact.expire'), policy.expire && t('fact.expireIn', { time: policy.expire })],
  ];
  return out.filter(([, value]) => Boolean(value));
}
