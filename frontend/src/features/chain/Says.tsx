import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useSpan } from '@/ui';
import { type Bar, type Chain, consequences, criticalEdges, limitsOf, type Link, mainBar } from './chain';
import { useMoment, useNames } from './words';
import styles from './Chain.module.css';

interface Props {
  chain: Chain;
  zone: string;
  /** The schedule to which the critical chain is shown. */
  chosen?: string;
  /** As in the address. */
  resume?: string;
  onResume: (batch: number) => void;
}

/** What becomes of the chain, in sentences, and the button that resumes the failed batch. */
export function Says({ chain, zone, chosen, resume, onResume }: Props) {
  const { t } = useTranslation('chain');
  return (
    <section className={styles.says} aria-label={t('says.label')}>
      <div aria-live="polite">
        <p>
          <What chain={chain} zone={zone} resume={resume} />
        </p>
        <Limits chain={chain} zone={zone} />
        <Critical chain={chain} zone={zone} chosen={chosen} />
      </div>
      <div className={styles.buttons}>
        {chain.failures.map(({ batch, tasks, schedule }, i) => {
          const text = chain.failures.length > 1 ? t('resumeNamed', { schedule }) : t('resume', { count: tasks });
          return (
            <Button
              key={batch}
              variant={i === 0 ? 'filled' : 'default'}
              aria-label={t('resumeOf', { text, schedule, id: batch })}
              onClick={() => {
                onResume(batch);
              }}
            >
              {text}
            </Button>
          );
        })}
      </div>
    </section>
  );
}

/** Which schedules begin late, in time or not at all. */
function What({ chain, zone, resume }: Pick<Props, 'chain' | 'zone' | 'resume'>) {
  const { t } = useTranslation('chain');
  const now = Date.parse(chain.now);
  const moment = useMoment(zone, now);
  const names = useNames();
  const span = useSpan();
  if (chain.failures.length === 0) return t('says.nothing');
  const of = consequences(chain);
  const listed = (list: [Link, Bar][]) => names(list.map(([link]) => link.name));
  const parts: string[] = [];
  if (of.held.length > 0) parts.push(t('says.held', { names: listed(of.held), count: of.held.length }));
  for (const [link, bar] of of.missed)
    parts.push(t('says.missed', { name: link.name, at: moment(bar.endsAt ?? bar.moment) }));
  for (const [link, bar] of of.late)
    parts.push(t('says.late', { name: link.name, span: span((bar.lateSeconds ?? 0) * 1000) }));
  if (of.inTime.length > 0) parts.push(t('says.inTime', { names: listed(of.inTime), count: of.inTime.length }));
  if (of.unknown.length > 0) parts.push(t('says.unknown', { names: listed(of.unknown), count: of.unknown.length }));
  const assumed =
    resume === undefined || chain.resumeAt === undefined
      ? t('says.stands')
      : resume === 'now'
        ? t('says.now')
        : t('says.at', { at: moment(chain.resumeAt) });
  return (
    <>
      <b>{assumed}</b>
      {t('says.comma')}
      {parts.length > 0 ? names(parts) : t('says.nobody')}
      {t('says.stop')}
    </>
  );
}

/** Until when a resume is of use. */
function Limits({ chain, zone }: Pick<Props, 'chain' | 'zone'>) {
  const { t } = useTranslation('chain');
  const now = Date.parse(chain.now);
  const moment = useMoment(zone, now);
  const limits = limitsOf(chain);
  if (chain.failures.length === 0 || limits.length === 0) return null;
  return (
    <p>
      {limits.map(({ kind, schedule, until }) => (
        <span key={`${kind} ${schedule}`} className={styles.limit}>
          {until >= now ? (
            <>
              <b>{t('says.until', { at: moment(until) })}</b> {t(`says.${kind}Until`, { name: schedule })}
            </>
          ) : (
            t('says.tooLate', { name: schedule })
          )}{' '}
        </span>
      ))}
    </p>
  );
}

/** Outcomes with which a moment does not run, or not again. */
const STOPS: ReadonlySet<Bar['outcome']> = new Set(['held', 'expired', 'left_out', 'failed']);

/** The critical chain to the chosen schedule, and its expected end. */
function Critical({ chain, zone, chosen }: Pick<Props, 'chain' | 'zone' | 'chosen'>) {
  const { t } = useTranslation('chain');
  const moment = useMoment(zone, Date.parse(chain.now));
  const link = chain.schedules.find((one) => one.name === chosen);
  const bar = link && mainBar(link);
  if (!link || !bar) return null;
  const edges = criticalEdges(chain, link.name);
  const path = [...edges.map((edge) => edge.from).reverse(), link.name].join(' → ');
  const end = bar.finishedAt ?? (['expected', 'running', 'resumed'].includes(bar.outcome) ? bar.endsAt : undefined);
  return (
    <p className={styles.path}>
      {t('says.critical', { path })}
      {t('says.comma')}
      {end && t(bar.outcome === 'succeeded' ? 'says.ended' : 'says.ends', { at: moment(end) })}
      {!end && t(STOPS.has(bar.outcome) ? 'says.noEnd' : 'says.endUnknown')}
      {t('says.stop')}
    </p>
  );
}
