import { Button, Select, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { faultText } from '@/api/problem';
import { keys } from '@/api/queries';
import { Dialog, ErrorNote, Skeleton, toast } from '@/ui';
import { type DocumentKind, readDocument, saveDocument } from './calls';
import { CHANNEL_TYPES, type ChannelType, nameIn, newChannel } from './templates';
import styles from './Alerts.module.css';

interface Props {
  kind: DocumentKind;
  /** The rule or channel to edit; without it, a new one is made. */
  name?: string;
  /** The text of a new one. */
  template: string;
  onClose: () => void;
  /** Called with the name of a new one, instead of onClose. */
  onSaved?: (name: string) => void;
}

/** Edits a rule or a channel as YAML. A new channel begins with a template of its type. */
export function DocumentDialog({ kind, name, template, onClose, onSaved }: Props) {
  const { t } = useTranslation(['alerts', 'common']);
  const { t: problems } = useTranslation('problems');
  const id = useId();
  const client = useQueryClient();
  const stored = useQuery({
    queryKey: [...keys.alerts, 'document', kind, name],
    queryFn: () => readDocument(kind, name ?? ''),
    enabled: name !== undefined,
    staleTime: Infinity, // what is typed belongs to the revision that was read when the dialog opened
    gcTime: 0,
  });
  const [typed, setTyped] = useState<string>();
  const text = typed ?? stored.data?.document ?? template;
  const [nameless, setNameless] = useState(false);
  const save = useMutation({
    mutationFn: (of: string) => saveDocument(kind, of, text, stored.data?.revision ?? 0),
    onSuccess: ({ faults }, of) => {
      toast(t('alerts:document.saved', { name: of }));
      for (const fault of faults ?? []) toast(faultText(fault, problems), { error: true });
      if (name === undefined && onSaved) onSaved(of);
      else onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.alerts, predicate: isNoDocument }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const of = name ?? nameIn(text);
    setNameless(of === undefined);
    if (of !== undefined && !save.isPending) save.mutate(of);
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={name === undefined ? t(`alerts:document.new.${kind}`) : t(`alerts:document.edit.${kind}`, { name })}
      summary={t(`alerts:document.summary.${kind}`)}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button
            type="submit"
            form={id}
            variant="filled"
            loading={save.isPending}
            disabled={name !== undefined && !stored.data}
          >
            {t('alerts:document.save')}
          </Button>
        </>
      }
    >
      <form id={id} className={styles.form} onSubmit={submit} noValidate>
        {save.error && <ErrorNote error={save.error} scrollIntoView />}
        {stored.isError && <ErrorNote error={stored.error} retry={() => void stored.refetch()} />}
        {stored.isLoading && <Skeleton rows={3} />}
        {kind === 'channel' && name === undefined && <TypeField text={text} onText={setTyped} />}
        {(name === undefined || stored.data) && (
          <Textarea
            data-autofocus
            label={t('alerts:document.text')}
            value={text}
            autosize
            minRows={8}
            maxRows={20}
            spellCheck={false}
            classNames={{ input: styles.text }}
            error={nameless ? t('alerts:document.nameless') : undefined}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
            }}
          />
        )}
      </form>
    </Dialog>
  );
}

/** The document in an open dialog stays as it was read. */
const isNoDocument = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[1] !== 'document';

/** The type of a new channel. Another one replaces the text by its template. */
function TypeField({ text, onText }: { text: string; onText: (text: string) => void }) {
  const { t, i18n } = useTranslation('alerts');
  const type = CHANNEL_TYPES.find((one) => new RegExp(`^type:\\s*${one}\\s*$`, 'm').test(text)) ?? null;
  return (
    <Select
      label={t('document.type')}
      value={type}
      allowDeselect={false}
      data={CHANNEL_TYPES.map((value) => ({ value, label: t(`type.${value}`) }))}
      onChange={(value) => {
        if (value !== null) onText(newChannel(value as ChannelType, i18n.language));
      }}
    />
  );
}
