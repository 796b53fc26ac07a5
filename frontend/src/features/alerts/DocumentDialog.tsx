import { Button, SegmentedControl, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemText } from '@/api/problem';
import { Dialog, ErrorNote, focusFirstFault, Skeleton } from '@/ui';
import { channelsQuery, type DocumentKind } from './calls';
import { CHANNEL_FIELDS, ChannelForm } from './form/ChannelForm';
import { type ChannelDoc, isForAll, newChannel, newRule, type RuleDoc } from './form/document';
import { RULE_FIELDS, RuleForm } from './form/RuleForm';
import { Secrets } from './form/Secrets';
import { useDocument } from './form/useDocument';
import type { View } from './form/useTyped';
import { TestResult } from './TestResult';
import styles from './form/Form.module.css';

interface Props {
  kind: DocumentKind;
  /** The rule or channel to edit; without it, a new one is made. */
  name?: string;
  onClose: () => void;
}

/** Edits a rule or a channel, as a form or as YAML. */
export function DocumentDialog({ kind, ...props }: Props) {
  return kind === 'rule' ? <RuleDialog {...props} /> : <ChannelDialog {...props} />;
}

function RuleDialog({ name, onClose }: Omit<Props, 'kind'>) {
  const { t } = useTranslation('alerts');
  const channels = useQuery(channelsQuery);
  const [initial] = useState(() => newRule((channels.data ?? []).map((channel) => channel.name)));
  const document = useDocument<RuleDoc>({
    kind: 'rule',
    name,
    initial,
    onSaved: onClose,
    refuse: (doc) => {
      const names = (doc.schedules?.length ?? 0) + (doc.tags?.length ?? 0);
      return isForAll(doc) || names > 0 ? {} : { scope: t('form.scopeEmpty') };
    },
  });
  return (
    <Frame kind="rule" name={name} document={document} fields={RULE_FIELDS} onClose={onClose}>
      <RuleForm form={document.form} exists={name !== undefined} />
    </Frame>
  );
}

function ChannelDialog({ name, onClose }: Omit<Props, 'kind'>) {
  const { t, i18n } = useTranslation('alerts');
  const [initial] = useState(() => newChannel(i18n.language));
  const document = useDocument<ChannelDoc>({ kind: 'channel', name, initial, onSaved: onClose });
  const { check, view, form, secrets, test } = document;
  const type = (check.data?.definition as unknown as ChannelDoc | undefined)?.type;
  return (
    <Frame
      kind="channel"
      name={name}
      document={document}
      fields={CHANNEL_FIELDS}
      onClose={onClose}
      below={
        <>
          {type && (view === 'yaml' || type === form.doc.type) && <Secrets type={type} secrets={secrets} />}
          <TestResult error={test.error} result={test.data} />
        </>
      }
      extra={(submit) => (
        <Button
          loading={test.isPending}
          onClick={() => {
            submit(test.mutateAsync);
          }}
        >
          {t('test.send')}
        </Button>
      )}
    >
      <ChannelForm form={form} exists={name !== undefined} />
    </Frame>
  );
}

/** Does something with what was typed. It returns nothing if there are faults. */
type Act = () => Promise<unknown>;

interface FrameProps extends Omit<Props, 'onClose'> {
  document: ReturnType<typeof useDocument<RuleDoc>> | ReturnType<typeof useDocument<ChannelDoc>>;
  /** The paths with a field in the form. */
  fields: readonly string[];
  onClose: () => void;
  children: ReactNode;
  /** What follows the form, and the text as well. */
  below?: ReactNode;
  /** A further button. */
  extra?: (submit: (act: Act) => void) => ReactNode;
}

/** The dialog around a form: the choice between form and YAML, what has no field of its own, and the buttons. */
function Frame({ kind, name, document, fields, onClose, children, below, extra }: FrameProps) {
  const { t } = useTranslation(['alerts', 'common']);
  const id = useId();
  const { stored, ready, view, turn, save } = document;
  const submit = (act: Act) => {
    act().then(
      (done) => {
        const form = globalThis.document.getElementById(id);
        if (!done && form) focusFirstFault(form);
      },
      () => undefined, // it is shown
    );
  };
  const elsewhere = view === 'form' ? document.elsewhere(fields) : [];
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={name === undefined ? t(`alerts:document.new.${kind}`) : t(`alerts:document.edit.${kind}`, { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          {extra?.(submit)}
          <Button type="submit" form={id} variant="filled" loading={save.isPending} disabled={!ready}>
            {t('alerts:document.save')}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className={styles.form}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (ready && !save.isPending) submit(save.mutateAsync);
        }}
      >
        {save.error && <ErrorNote error={save.error} scrollIntoView />}
        {turn.error && <ErrorNote error={turn.error} scrollIntoView />}
        {stored.isError && <ErrorNote error={stored.error} retry={() => void stored.refetch()} />}
        {stored.isLoading && <Skeleton rows={3} />}
        {ready && (
          <>
            <SegmentedControl
              className={styles.views}
              size="xs"
              aria-label={t('alerts:form.view')}
              value={view}
              data={(['form', 'yaml'] as const).map((value) => ({ value, label: t(`alerts:form.views.${value}`) }))}
              onChange={(value) => {
                document.convert(value as View);
              }}
            />
            {view === 'form' ? children : <YamlText document={document} kind={kind} />}
            <Faults faults={elsewhere} />
            {below}
            {document.check.error && (
              <p className={styles.note}>
                {t('alerts:form.unchecked')} <CheckError error={document.check.error} />
              </p>
            )}
          </>
        )}
      </form>
    </Dialog>
  );
}

function CheckError({ error }: { error: unknown }) {
  const { t } = useTranslation('problems');
  return problemText(error, t).detail;
}

/** The document as YAML, with its faults by line. */
function YamlText({ document, kind }: Pick<FrameProps, 'document' | 'kind'>) {
  const { t } = useTranslation('alerts');
  const faults = document.textFaults;
  return (
    <>
      <Textarea
        data-autofocus
        label={t('document.text')}
        description={t(`document.summary.${kind}`)}
        value={document.text}
        autosize
        minRows={8}
        maxRows={20}
        spellCheck={false}
        classNames={{ input: styles.text }}
        aria-invalid={faults.some((fault) => !fault.warning) || undefined}
        onChange={(event) => {
          document.setText(event.currentTarget.value);
        }}
      />
      <div role="status">
        <ul className={styles.faults}>
          {faults.map((fault) => (
            <li key={fault.text} data-warning={fault.warning}>
              {fault.text}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

function Faults({ faults }: { faults: readonly string[] }) {
  if (faults.length === 0) return null;
  return (
    <ul className={styles.faults} role="alert">
      {faults.map((fault) => (
        <li key={fault}>{fault}</li>
      ))}
    </ul>
  );
}
