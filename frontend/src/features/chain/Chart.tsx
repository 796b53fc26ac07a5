import { useElementSize } from '@mantine/hooks';
import { Link as PageLink } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { exact, Glyph, weekday } from '@/ui';
import { axis, type Bar, type Chain, type Edge, isLate, type Link, mainBar, stateOf } from './chain';
import { type Drawing, draw, HEAD, ROW } from './drawing';
import { useFact, useMoment, useNeeds } from './words';
import styles from './Chain.module.css';

interface Props {
  chain: Chain;
  zone: string;
  /** Milliseconds since 1970. */
  now: number;
  /** The edges of the critical chain. */
  critical: readonly Edge[];
}

/** Pixels of the time axis; if the screen has fewer, the axis scrolls. */
const LEAST_WIDTH = 640;

/** A row for each schedule with its bars over time, and the edges between them. On a phone the rows are a list. */
export function Chart({ chain, zone, now, critical }: Props) {
  const { t } = useTranslation('chain');
  const { ref, width } = useElementSize();
  const plot = Math.max(LEAST_WIDTH, Math.floor(width));
  const moment = useMoment(zone, now);
  const fact = useFact(moment);
  const holds = (link: Link, bar: Bar) =>
    chain.edges.find((edge) => edge.to === link.name && edge.toMoment === bar.moment && edge.decides) ??
    chain.edges.find((edge) => edge.to === link.name && edge.toMoment === bar.moment && edge.missing);
  const drawing = draw(chain, plot, now, critical, {
    fact: (link, bar) => fact(link, bar, holds(link, bar)),
    expires: (at) => t('expires', { at: moment(at) }),
  });
  return (
    <div className={styles.card} role="region" aria-label={t('title', { name: chain.schedule })}>
      {/* The chart scrolls sideways if it is wider than the screen, by keyboard once it has the focus. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as above */}
      <div className={styles.scroll} tabIndex={0} role="group" aria-label={t('rows')}>
        <ol className={styles.rows}>
          {chain.schedules.map((link) => (
            <Row key={link.name} {...{ chain, link, moment, drawing, now }} holds={holds} />
          ))}
        </ol>
        <div className={styles.plot} ref={ref} aria-hidden="true">
          <svg width={plot} height={HEAD + ROW * chain.schedules.length} className={styles.svg}>
            <Axis {...{ chain, zone, now, drawing }} />
            {drawing.edges.map(({ key, path, arrow, met, critical: isCritical }) => (
              <g key={key} className={styles.edge} data-met={met || undefined} data-critical={isCritical || undefined}>
                <path d={path} />
                <path d={arrow} className={styles.arrow} />
              </g>
            ))}
            <Bars drawing={drawing} />
          </svg>
        </div>
      </div>
    </div>
  );
}

/** The lines of the clock, and the mark of now. */
function Axis({ chain, zone, now, drawing }: Pick<Props, 'chain' | 'zone' | 'now'> & { drawing: Drawing }) {
  const { i18n } = useTranslation();
  const bottom = HEAD + ROW * chain.schedules.length;
  const [from, until] = [Date.parse(chain.from), Date.parse(chain.until)];
  const local = Date.parse(`${exact(from, { zone, seconds: true }).replace(' ', 'T')}Z`);
  const lines = axis(from, until, 12, local - (from - (from % 1000)));
  const [nowX, nowText] = [drawing.x(now), exact(now, { zone }).slice(11)];
  return (
    <>
      {lines.map((at, i) => {
        const x = drawing.x(at);
        const text = exact(at, { zone }).slice(11);
        const isDay = text === '00:00' || (i === 0 && until - from > 86_400_000);
        return (
          <g key={at} className={styles.line}>
            <path d={`M${String(x)} ${String(HEAD - 8)}V${String(bottom)}`} />
            {Math.abs(x - nowX) > 46 && x > 18 && x < drawing.width - 18 && (
              <text x={x} y={18} textAnchor="middle" data-day={isDay || undefined}>
                {isDay ? weekday(at, i18n.language, now, zone) : text}
              </text>
            )}
          </g>
        );
      })}
      {nowX >= 0 && nowX <= drawing.width && (
        <g className={styles.now}>
          <path d={`M${String(nowX)} ${String(HEAD - 8)}V${String(bottom)}`} />
          <rect x={nowX - 22} y={4} width={44} height={19} rx={9.5} />
          <text x={nowX} y={18} textAnchor="middle">
            {nowText}
          </text>
        </g>
      )}
    </>
  );
}

/** The bars of all rows, and above them their texts. */
function Bars({ drawing }: { drawing: Drawing }) {
  return (
    <>
      {drawing.bars.map(({ key, state, quiet, late, usual, ran, ahead, begins }) => (
        <g key={key} data-state={state} data-quiet={quiet || undefined} className={styles.bar}>
          {usual && <rect className={styles.usual} {...usual} rx={4} />}
          {begins && (
            <g className={styles.begins}>
              <rect {...begins.rect} rx={2} />
              <path d={begins.tick} />
            </g>
          )}
          {ran && <rect className={styles.ran} {...ran} rx={3} />}
          {ahead && <rect className={styles.ahead} {...ahead} rx={3} data-late={late || undefined} />}
        </g>
      ))}
      {drawing.bars.flatMap(({ key, text, begins, note }) =>
        [text && { ...text, note }, begins && { ...begins.text, note: undefined }].map(
          (one, i) =>
            one && (
              <text
                key={`${key} ${String(i)}`}
                className={styles.text}
                x={one.x}
                y={one.y}
                textAnchor={one.anchor}
                data-note={one.note}
              >
                {one.words}
              </text>
            ),
        ),
      )}
    </>
  );
}

interface RowProps extends Pick<Props, 'chain' | 'now'> {
  link: Link;
  moment: (at: string | number) => string;
  drawing: Drawing;
  holds: (link: Link, bar: Bar) => Edge | undefined;
}

/** Says why nobody waits for a schedule; renders nothing for another one. */
function Off({ link }: { link: Link }) {
  const { t } = useTranslation('chain');
  if (link.missing || (link.enabled && !link.archived)) return null;
  return <small>{t(link.archived ? 'archived' : 'off')}</small>;
}

/** The row of a schedule: its name, when it is due, what it waits for, and what is known of its moment in words. */
function Row({ chain, link, moment, drawing, holds }: RowProps) {
  const { t } = useTranslation(['chain', 'states']);
  const needs = useNeeds();
  const fact = useFact(moment);
  const bar = mainBar(link);
  const state = stateOf(bar);
  const waits = chain.edges.filter((edge) => edge.to === link.name && edge.toMoment === bar?.moment && edge.needed > 0);
  return (
    <li className={styles.row} data-place={link.place} data-state={state} data-late={(bar && isLate(bar)) || undefined}>
      <Glyph state={state} />
      <div className={styles.label}>
        <span className={styles.name}>
          {link.missing ? (
            <b>{link.name}</b>
          ) : (
            <PageLink to="/schedules/$name/chain" params={{ name: link.name }} search={{}} title={link.title}>
              {link.name}
            </PageLink>
          )}
          {bar?.batch !== undefined && (
            <PageLink
              to="/batches/$id"
              params={{ id: bar.batch }}
              preload={false}
              className={styles.batch}
              aria-label={t('chain:batch', { id: bar.batch })}
            >
              #{bar.batch}
            </PageLink>
          )}
        </span>
        {(link.missing ? [t('chain:missing')] : needs(link)).map((line) => (
          <small key={line} title={line}>
            {line}
          </small>
        ))}
        <Off link={link} />
      </div>
      <p className={styles.words}>
        <span className="hg-visually-hidden">{t(`chain:place.${link.place}`)}: </span>
        {bar && bar.outcome !== 'held' && <span className={styles.state}>{t(`states:${state}`)} </span>}
        {bar ? (
          <Words {...{ link, bar, moment }} words={fact(link, bar, holds(link, bar))} />
        ) : (
          <Idle {...{ link, moment }} />
        )}
        {waits.length > 0 && (
          <span className={styles.waits}>
            {' '}
            {t('chain:needsMet')}{' '}
            {waits
              .map((edge) => t('chain:met', { schedule: edge.from, met: edge.met, needed: edge.needed }))
              .join('; ')}
          </span>
        )}
        {link.more > 0 && <span> {t('chain:more', { count: link.more })}</span>}
      </p>
      <Mini drawing={drawing} name={link.name} />
    </li>
  );
}

function Words({ bar, words, moment }: { link: Link; bar: Bar; words: string; moment: RowProps['moment'] }) {
  const { t } = useTranslation('chain');
  const waits = bar.outcome === 'expected' || bar.outcome === 'held' || bar.outcome === 'unknown';
  return (
    <>
      {words}
      {waits && bar.mayBeginUntil && ` · ${t('expires', { at: moment(bar.mayBeginUntil) })}`}
    </>
  );
}

/** A schedule without a moment near now. */
function Idle({ link, moment }: { link: Link; moment: RowProps['moment'] }) {
  const { t } = useTranslation('chain');
  return link.nextAt ? t('next', { at: moment(link.nextAt) }) : t('quiet');
}

/** The bars of one row as a small strip, for phones. */
function Mini({ drawing, name }: { drawing: Drawing; name: string }) {
  const part = (n: number) => `${String(Math.max(0, Math.min(100, (n / drawing.width) * 100)))}%`;
  const span = (box: { x: number; width: number }) => ({
    left: part(box.x),
    width: `max(3px, calc(${part(box.x + box.width)} - ${part(box.x)}))`,
  });
  return (
    <div className={styles.mini} aria-hidden="true">
      {drawing.bars
        .filter((bar) => bar.schedule === name)
        .map(({ key, state, usual, ran, ahead, late }) => (
          <span key={key} data-state={state}>
            {usual && <i data-kind="usual" style={span(usual)} />}
            {ran && <i data-kind="ran" style={span(ran)} />}
            {ahead && <i data-kind="ahead" data-late={late || undefined} style={span(ahead)} />}
          </span>
        ))}
      {drawing.now !== undefined && <i data-kind="now" style={{ left: part(drawing.now) }} />}
    </div>
  );
}
