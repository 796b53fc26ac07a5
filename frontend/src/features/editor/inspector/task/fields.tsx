import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { executorsQuery } from '@/api/queries';
import { isKey, MAX, type Task, type TaskFields } from '@/document';
import { type OfferedHandler, useDoc, useEditor } from '../../context';
import { namesFor } from '../fields/completion';
import { Combo, ExpressionInput } from '../fields/Suggest';
import { Field } from '../fields/Field';
import { Check, ChooseField, Input } from '../fields/Text';
import { unsetIfEmpty } from '../useEdit';
import { NumberField } from '../fields/Typed';
import { useInherited } from './inherited';

/** Sets fields of the tasks; `field` is the one that the user edits. */
export type SetField = (field: string, fields: TaskFields | ((task: Task) => TaskFields)) => void;

const RULES = ['all_success', 'all_done', 'one_success', 'one_failed', 'all_failed'] as const;

/** The handler; each suggestion has the number of executors that offer it. A change keeps the params. */
export function HandlerField({
  value,
  set,
  mixed,
  prefix = '',
}: {
  value: string;
  set: SetField;
  mixed?: boolean;
  /** What stands before its name in faults: `onEnd[0].`. */
  prefix?: string;
}) {
  const { t } = useTranslation('inspector');
  const { handlers } = useEditor();
  const suggestions = handlers.map((one) => ({
    value: one.name,
    label: one.title && one.title !== one.name ? `${one.title} · ${one.name}` : one.name,
    detail: t('handler.offered', { count: executorsOffering(one) }),
  }));
  return (
    <Combo
      label={t('handler.label')}
      name={`${prefix}handler`}
      commitOnBlur
      value={value}
      placeholder={mixed ? t('mixed') : t('handler.placeholder')}
      suggestions={suggestions}
      onChange={(handler) => {
        set('handler', { handler });
      }}
    />
  );
}

const executorsOffering = (handler: OfferedHandler): number =>
  Object.values(handler.groups).reduce((sum, n) => sum + n, 0);

/** The rule: how the needs must have ended, with an explanation. */
export function RuleField({ value, set, mixed }: { value?: Task['rule']; set: SetField; mixed?: boolean }) {
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

/** The group of executors; each suggestion has the number of executors in it that offer the handler. */
export function GroupField({
  value,
  handler,
  set,
  mixed,
  prefix = '',
  inherited,
  writeStandard = inherited !== undefined,
}: {
  value?: string;
  handler?: OfferedHandler;
  set: SetField;
  mixed?: boolean;
  prefix?: string;
  /** The group that the job gives. */
  inherited?: string;
  /** Whether the standard group is written, because a job gives another one. */
  writeStandard?: boolean;
}) {
  const { t } = useTranslation('inspector');
  const { handlers } = useEditor();
  const groups = [...new Set(['default', ...handlers.flatMap((one) => Object.keys(one.groups))])].sort();
  const suggestions = groups.map((group) => ({
    value: group,
    detail: t('group.offered', { count: handler?.groups[group] ?? 0 }),
  }));
  const inWords = useInherited();
  const placeholder = mixed ? t('mixed') : inherited === undefined ? 'default' : inWords(inherited);
  const executorCount = handler?.groups[value ?? inherited ?? 'default'] ?? 0;
  return (
    <Combo
      label={t('group.label')}
      name={`${prefix}group`}
      value={value ?? ''}
      placeholder={placeholder}
      suggestions={suggestions}
      note={handler && !mixed ? t('group.here', { count: executorCount, handler: handler.name }) : undefined}
      onChange={(group) => {
        set('group', { group: group === 'default' && !writeStandard ? undefined : unsetIfEmpty(group) });
      }}
    />
  );
}

/** One executor by its name. */
export function ExecutorField({ value, set, mixed }: { value?: string; set: SetField; mixed?: boolean }) {
  const { t } = useTranslation('inspector');
  const { data } = useQuery(executorsQuery);
  const suggestions = (data?.items ?? []).map((one) => ({ value: one.name, detail: one.group }));
  return (
    <Combo
      label={t('executor.label')}
      name="executor"
      value={value ?? ''}
      placeholder={mixed ? t('mixed') : t('executor.any')}
      suggestions={suggestions}
      onChange={(executor) => {
        set('executor', { executor: unsetIfEmpty(executor) });
      }}
    />
  );
}

const DEFAULT_PRIORITY = 5;

/** The priority among the tasks that wait for a slot. Without one, a task has the priority of the schedule. */
export function PriorityField({
  value,
  set,
  mixed,
  help,
  prefix = '',
  inherited,
}: {
  value?: number;
  set: SetField;
  mixed?: boolean;
  help?: string;
  prefix?: string;
  /** The priority that the job gives. */
  inherited?: number;
}) {
  const { t } = useTranslation('inspector');
  const inWords = useInherited();
  const ofSchedule = useDoc((s) => s.doc.policy?.priority) || DEFAULT_PRIORITY;
  return (
    <NumberField
      label={t('priority.label')}
      name={`${prefix}priority`}
      integer
      min={1}
      max={10}
      value={value}
      placeholder={mixed ? t('mixed') : inherited === undefined ? String(ofSchedule) : inWords(String(inherited))}
      help={help}
      onChange={(n) => {
        set('priority', { priority: typeof n === 'number' ? n : undefined });
      }}
    />
  );
}

interface FlagProps {
  name: 'allowFailure' | 'disabled';
  value?: boolean;
  set: SetField;
  mixed?: boolean;
  note?: string;
}

/** A field that is true or left out. */
export function Flag({ name, value, set, mixed, note }: FlagProps) {
  const { t } = useTranslation('inspector');
  return (
    <Check
      label={t(`${name}.label`)}
      name={name}
      mixed={mixed}
      note={note}
      checked={value === true}
      onChange={(on) => {
        set(name, { [name]: on || undefined });
      }}
    />
  );
}

/** The condition: a whole expression. */
export function WhenField({
  task,
  value,
  set,
  mixed,
}: {
  task: string;
  value?: string;
  set: SetField;
  mixed?: boolean;
}) {
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
            set('when', { when: unsetIfEmpty(when) });
          }}
        />
      )}
    </Field>
  );
}

interface Props {
  value: string;
  /** The keys of the other items, which are not allowed. */
  otherKeys: readonly string[];
  onRename: (key: string) => void;
}

/**
 * The key of a task or job. A new key takes effect when the focus leaves the field, because others refer to the item by
 * its key. A key that is not allowed stays in the field, with the reason.
 */
export function KeyField({ value, otherKeys: otherKeys, onRename }: Props) {
  const { t } = useTranslation('inspector');
  const [draft, setDraft] = useState<{ of: string; text: string }>();
  const typed = draft?.of === value ? draft.text : undefined;
  const refusal =
    typed === undefined || typed === value
      ? undefined
      : !isKey(typed)
        ? t('key.form')
        : otherKeys.some((key) => key.toLowerCase() === typed.toLowerCase())
          ? t('key.taken', { key: typed })
          : undefined;
  const commit = () => {
    if (refusal !== undefined) return;
    if (typed !== undefined && typed !== value) onRename(typed);
    setDraft(undefined);
  };
  return (
    <Field label={t('key.label')} name="key" refusal={refusal}>
      {(control) => (
        <Input
          {...control}
          value={typed ?? value}
          maxLength={MAX.key}
          onChange={(event) => {
            setDraft({ of: value, text: event.currentTarget.value });
          }}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
            if (event.key === 'Escape' && typed !== undefined) {
              event.preventDefault();
              setDraft(undefined);
            }
          }}
        />
      )}
    </Field>
  );
}
