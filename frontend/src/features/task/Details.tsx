import { Button, CopyButton as Copy } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from '@tanstack/react-query';
import type { Definition, DefinitionTask } from '@/api/definition';
import { Empty, ErrorNote } from '@/ui';
import { attemptsQuery } from '@/api/queries';
import styles from './Details.module.css';
import type { TabProps } from './Notes';

/** Names of the params of the stock handlers that contain code. */
const CODE_PARAMS = ['command', 'script', 'statement', 'body'] as const;

/** How its executor is chosen. */
const routing = ({ selector, route, routeKey }: DefinitionTask, t: TFunction<['task', 'inspector']>) =>
  [
    [t('inspector:selector.label'), selector],
    [t('inspector:route.label'), route && t(`inspector:route.${route}`, { defaultValue: route })],
    [t('inspector:routeKey.label'), routeKey],
  ] satisfies [string, string | undefined][];

/** The pool that it needs, and how many slots. */
const poolText = (pool: DefinitionTask['pool'], t: TFunction<['task', 'inspector']>) =>
  pool && t('command.poolText', { name: pool.name, count: pool.slots ?? 1 });

/** How often it is repeated, and after which failures. */
function retryFacts(
  retry: DefinitionTask['retry'],
  t: TFunction<['task', 'inspector']>,
): [string, string | undefined][] {
  if (!retry?.max) return [];
  return [
    [t('command.retry'), t('command.retryText', { count: retry.max, delay: retry.delay ?? '0s' })],
    [
      t('inspector:retry.jitter'),
      retry.jitter ? t('inspector:retry.share', { n: Math.round(retry.jitter * 100) }) : undefined,
    ],
    [t('inspector:retry.on.label'), retry.on],
    [t('inspector:retry.when.label'), retry.when],
  ];
}

/** The tab with the work of the task, by its definition. */
export function Command({ spec, declared }: { spec?: DefinitionTask; declared?: Definition['params'] }) {
  const { t } = useTranslation(['task', 'inspector']);
  if (!spec) return <Empty title={t('command.none')} />;
  const params = spec.params ?? {};
  const code = CODE_PARAMS.filter((name) => typeof params[name] === 'string');
  const env =
    typeof params.env === 'object' && params.env !== null ? Object.entries(params.env as Record<string, unknown>) : [];
  const otherParams = Object.entries(params).filter(
    ([name]) => name !== 'env' && !code.includes(name as (typeof CODE_PARAMS)[number]),
  );
  const settings: [string, string | undefined][] = [
    [t('command.handler'), spec.handler],
    [t('command.group'), spec.group],
    [t('command.executor'), spec.executor],
    ...routing(spec, t),
    [t('command.when'), spec.when],
    [t('command.timeout'), spec.timeout],
    ...retryFacts(spec.retry, t),
    [t('command.pool'), poolText(spec.pool, t)],
    [t('command.priority'), spec.priority === undefined ? undefined : String(spec.priority)],
  ];
  return (
    <>
      {spec.description && <p style={{ marginBottom: 12 }}>{spec.description}</p>}
      {code.map((name) => (
        <Code key={name} title={t(`command.code.${name}`)} text={String(params[name]).replace(/\n$/, '')} />
      ))}
      {otherParams.length > 0 && (
        <Facts items={otherParams.map(([name, value]) => [name, <code key={name}>{textOf(value)}</code>])} />
      )}
      {env.length > 0 && (
        <>
          <h3>{t('command.env')}</h3>
          <Facts items={env.map(([name, value]) => [name, <code key={name}>{textOf(value)}</code>])} />
        </>
      )}
      <h3>{t('command.how')}</h3>
      <Facts items={settings.filter((f): f is [string, string] => f[1] !== undefined && f[1] !== '')} />
      {declared && Object.keys(declared).length > 0 && JSON.stringify(params).includes('${{') && (
        <p className="hg-quiet">{t('command.filled', { open: '${{', close: '}}' })}</p>
      )}
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A list of names and values. */
function Facts({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Code with its original whitespace, and a button to copy it. */
function Code({ title, text }: { title: string; text: string }) {
  return (
    <section className={styles.code}>
      <header>
        <h3>{title}</h3>
        <CopyButton text={text} />
      </header>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long code scrolls, by keyboard too */}
      <pre tabIndex={0} role="region" aria-label={title}>
        {text}
      </pre>
    </section>
  );
}

/** Copies a text to the clipboard, and confirms it. */
function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation('common');
  return (
    <Copy value={text}>
      {({ copied, copy }) => (
        <Button size="compact-sm" onClick={copy}>
          {t(copied ? 'copied' : 'copy')}
        </Button>
      )}
    </Copy>
  );
}

/** How tasks of the stock handlers produce outputs: keys of texts. */
const OUTPUT_HINTS = { shell: 'outputs.how.shell', sql: 'outputs.how.sql', http: 'outputs.how.http' } as const;

/** The tab with the outputs of the task. */
export function Outputs({ batch, task, run, relations, attempt }: TabProps & { attempt?: number }) {
  const { t } = useTranslation('task');
  const { data, error, refetch } = useQuery({ ...attemptsQuery(batch, task), enabled: run.attempts > 0 });
  const selected = data?.items.filter((a) => attempt === undefined || a.number === attempt).at(-1);
  const outputs = Object.entries((attempt === undefined ? run.outputs : undefined) ?? selected?.outputs ?? {});
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (outputs.length === 0) {
    if (run.attempts > 0 && !data) return null; // still loading
    const handler = relations.task?.handler ?? '';
    return (
      <Empty title={t('outputs.none')}>
        <p>{t(handler in OUTPUT_HINTS ? OUTPUT_HINTS[handler as keyof typeof OUTPUT_HINTS] : 'outputs.how.other')}</p>
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
