import { useTranslation } from 'react-i18next';
import type { Definition, DefinitionTask } from '@/api/definition';
import { Empty } from '@/ui';
import { Code, Facts } from './Facts';

/** Params that are code, by their names in the stock handlers. */
const CODE = ['command', 'script', 'statement', 'body'] as const;

/** What the task does, as the definition says it. */
export function Command({ spec, params }: { spec?: DefinitionTask; params?: Definition['params'] }) {
  const { t } = useTranslation('task');
  if (!spec) return <Empty title={t('command.none')} />;
  const all = spec.params ?? {};
  const code = CODE.filter((name) => typeof all[name] === 'string');
  const env = typeof all.env === 'object' && all.env !== null ? Object.entries(all.env as Record<string, unknown>) : [];
  const rest = Object.entries(all).filter(([name]) => name !== 'env' && !code.includes(name as (typeof CODE)[number]));
  const retry = spec.retry?.max
    ? t('command.retryText', { count: spec.retry.max, delay: spec.retry.delay ?? '0s' })
    : undefined;
  const how: [string, string | undefined][] = [
    [t('command.handler'), spec.handler],
    [t('command.group'), spec.group],
    [t('command.executor'), spec.executor],
    [t('command.when'), spec.when],
    [t('command.timeout'), spec.timeout],
    [t('command.retry'), retry],
    [t('command.priority'), spec.priority === undefined ? undefined : String(spec.priority)],
  ];
  return (
    <>
      {spec.description && <p style={{ marginBottom: 12 }}>{spec.description}</p>}
      {code.map((name) => (
        <Code key={name} title={t(`command.code.${name}`)} text={String(all[name]).replace(/\n$/, '')} />
      ))}
      {rest.length > 0 && (
        <Facts items={rest.map(([name, value]) => [name, <code key={name}>{textOf(value)}</code>])} />
      )}
      {env.length > 0 && (
        <>
          <h3>{t('command.env')}</h3>
          <Facts items={env.map(([name, value]) => [name, <code key={name}>{textOf(value)}</code>])} />
        </>
      )}
      <h3>{t('command.how')}</h3>
      <Facts items={how.filter((f): f is [string, string] => f[1] !== undefined && f[1] !== '')} />
      {params && Object.keys(params).length > 0 && JSON.stringify(all).includes('${{') && (
        <p className="hg-quiet">{t('command.filled', { open: '${{', close: '}}' })}</p>
      )}
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
