import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { executorsQuery } from '@/api/queries';
import type { Task } from '@/document';
import { type OfferedHandler, useDoc, useEditor } from '../../context';
import { namesFor } from '../expression/complete';
import { ExpressionInput } from '../expression/ExpressionInput';
import { Combo } from '../fields/Combo';
import { Field } from '../fields/Field';
import { ChooseField } from '../fields/Text';
import { textOr } from '../useEdit';

type Set = (field: string, fields: Partial<Omit<Task, 'key'>>) => void;

/** What is set in common by tasks; undefined where they differ, too. */

const RULES = ['all_success', 'all_done', 'one_success', 'one_failed', 'all_failed'] as const;

/** The handler, with how many executors offer each. What params the new one has not is kept. */
export function HandlerField({ value, set, mixed }: { value: string; set: Set; mixed?: boolean }) {
  const { t } = useTranslation('inspector');
  const { handlers } = useEditor();
  const offers = handlers.map((one) => ({
    value: one.name,
    label: one.title && one.title !== one.name ? `${one.title} · ${one.name}` : one.name,
    detail: t('handler.offered', { count: offering(one) }),
  }));
  return (
    <Combo
      label={t('handler.label')}
      name="handler"
      late
      value={value}
      placeholder={mixed ? t('mixed') : t('handler.placeholder')}
      offers={offers}
      onChange={(handler) => {
        set('handler', { handler });
      }}
    />
  );
}

const offering = (handler: OfferedHandler): number => Object.values(handler.groups).reduce((sum, n) => sum + n, 0);

/** How the needs must have ended, with what that means. */
export function RuleField({ value, set, mixed }: { value?: Task['rule']; set: Set; mixed?: boolean }) {
  const { t } = useTranslation('inspector');
  const rule = value ?? 'all_success';
  return (
    <ChooseField
      label={t('rule.label')}
      name="rule"
      help={mixed ? undefined : t(`rule.means.${rule}`)}
      quiet={value === undefined || mixed}
      value={mixed ? '' : rule}
      options={[
        ...(mixed ? [{ value: '', label: t('mixed') }] : []),
        ...RULES.map((one) => ({ value: one, label: t(`rule.${one}`) })),
      ]}
      onPick={(picked) => {
        if (picked !== '') set('rule', { rule: picked === 'all_success' ? undefined : (picked as Task['rule']) });
      }}
    />
  );
}

/** The group of executors, with how many of them offer the handler. */
export function GroupField({
  value,
  handler,
  set,
  mixed,
}: {
  value?: string;
  handler?: OfferedHandler;
  set: Set;
  mixed?: boolean;
}) {
  const { t } = useTranslation('inspector');
  const { handlers } = useEditor();
  const groups = [...new Set(['default', ...handlers.flatMap((one) => Object.keys(one.groups))])].sort();
  const offers = groups.map((group) => ({
    value: group,
    detail: t('group.offered', { count: handler?.groups[group] ?? 0 }),
  }));
  const empty = mixed ? t('mixed') : 'default';
  const here = handler?.groups[value ?? 'default'] ?? 0;
  return (
    <Combo
      label={t('group.label')}
      name="group"
      value={value ?? ''}
      placeholder={empty}
      offers={offers}
      note={handler && !mixed ? t('group.here', { count: here, handler: handler.name }) : undefined}
      onChange={(group) => {
        set('group', { group: group === 'default' ? undefined : textOr(group) });
      }}
    />
  );
}

/** One executor by its name. */
export function ExecutorField({ value, set, mixed }: { value?: string; set: Set; mixed?: boolean }) {
  const { t } = useTranslation('inspector');
  const { data } = useQuery(executorsQuery);
  const offers = (data?.items ?? []).map((one) => ({ value: one.name, detail: one.group }));
  return (
    <Combo
      label={t('executor.label')}
      name="executor"
      value={value ?? ''}
      placeholder={mixed ? t('mixed') : t('executor.any')}
      offers={offers}
      onChange={(executor) => {
        set('executor', { executor: textOr(executor) });
      }}
    />
  );
}

/** The condition: a whole expression. */
export function WhenField({ task, value, set, mixed }: { task: string; value?: string; set: Set; mixed?: boolean }) {
  const { t } = useTranslation('inspector');
  const doc = useDoc((s) => s.doc);
  const names = useMemo(() => namesFor(doc, task), [doc, task]);
  return (
    <Field label={t('when.label')} name="when" help={t('when.note')}>
      {(control) => (
        <ExpressionInput
          {...control}
          bare
          mono
          value={value ?? ''}
          placeholder={mixed ? t('mixed') : t('when.placeholder')}
          names={names}
          onChange={(when) => {
            set('when', { when: textOr(when) });
          }}
        />
      )}
    </Field>
  );
}
