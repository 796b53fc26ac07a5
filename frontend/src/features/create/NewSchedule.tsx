import { Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { ErrorNote, focusFirstFault, Dialog } from '@/ui';
import { convert, documentOf, draftsQuery, namesQuery, start, type Taken } from './calls';
import { copyOf, emptyDocument, nameFault, nameFrom } from './name';
import { TextSource } from './TextSource';
import styles from './Create.module.css';

type From = 'empty' | 'copy' | 'text';
const WAYS: readonly From[] = ['empty', 'copy', 'text'];

/** What the new schedule begins with. */
export interface Beginning {
  name?: string;
  /** The schedule that it is a copy of. */
  copy?: string;
}

interface Props {
  beginning: Beginning;
  opened: boolean;
  onClose: () => void;
  onMade?: () => void;
}

/** Asks what a new schedule is called and what it begins with. Nothing of it is published: it opens as a draft. */
export function NewSchedule({ beginning, opened, onClose, onMade }: Props) {
  const { t } = useTranslation(['editor', 'common']);
  const navigate = useNavigate();
  const client = useQueryClient();
  const form = useId();
  const [from, setFrom] = useState<From>(beginning.copy === undefined ? 'empty' : 'copy');
  const [name, setName] = useState(beginning.name ?? '');
  const [named, setNamed] = useState(beginning.name !== undefined);
  const [title, setTitle] = useState('');
  const [source, setSource] = useState<string | null>(beginning.copy ?? null);
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [taken, setTaken] = useState<{ name: string; by: Taken }>();
  const [faults, setFaults] = useState<readonly Schemas['Fault'][]>([]);
  const [error, setError] = useState<unknown>();
  const names = useQuery({ ...namesQuery, enabled: opened });

  const fault = nameFault(name);
  const there = names.data?.some((s) => s.name === name) ? 'schedule' : taken?.name === name ? taken.by : undefined;
  const wrong = there !== undefined || (fault !== undefined && (fault !== 'empty' || tried));
  const propose = (from: string) => {
    if (!named) setName(nameFrom(from));
  };

  const make = async () => {
    let doc: Definition;
    if (from === 'text') {
      const read = await convert(text);
      if (!read.definition) {
        setFaults(read.faults);
        return;
      }
      doc = copyOf(read.definition as unknown as Definition, name, title);
    } else if (from === 'copy' && source !== null) doc = copyOf(await documentOf(source), name, title);
    else doc = emptyDocument(name, title.trim(), Intl.DateTimeFormat().resolvedOptions().timeZone);
    const by = await start(doc, client);
    if (by) {
      setTaken({ name, by });
      return;
    }
    void client.invalidateQueries({ queryKey: draftsQuery.queryKey });
    onClose();
    onMade?.();
    await navigate({ to: '/schedules/$name', params: { name }, search: {} });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (busy) return;
    if (fault || there || (from === 'copy' && source === null) || (from === 'text' && text.trim() === '')) {
      focusFirstFault(event.currentTarget);
      return;
    }
    setBusy(true);
    setError(undefined);
    setFaults([]);
    make()
      .catch((failed: unknown) => {
        setError(failed);
      })
      .finally(() => {
        setBusy(false);
      });
  };

  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      focusInside
      title={t('editor:create.title')}
      summary={t('editor:create.summary')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={form} variant="filled" loading={busy}>
            {t('editor:create.go')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        {error !== undefined && <ErrorNote error={error} />}
        <SegmentedControl
          aria-label={t('editor:create.from')}
          value={from}
          onChange={(way) => {
            setFrom(way as From);
          }}
          data={WAYS.map((way) => ({ value: way, label: t(`editor:create.way.${way}`) }))}
        />
        {from === 'copy' && (
          <Select
            searchable
            label={t('editor:create.copy')}
            value={source}
            nothingFoundMessage={t('editor:create.copyNone')}
            maxDropdownHeight={260}
            onChange={(value) => {
              setSource(value);
              if (value !== null) propose(`${value}-copy`);
            }}
            error={tried && source === null ? t('editor:create.copyMissing') : undefined}
            data={(names.data ?? []).map((s) => ({
              value: s.name,
              label: s.title ? `${s.name} · ${s.title}` : s.name,
            }))}
          />
        )}
        {from === 'text' && (
          <TextSource
            text={text}
            faults={faults}
            missing={tried && text.trim() === ''}
            onText={(next) => {
              setText(next);
              setFaults([]);
              propose(/^name:\s*["']?([^\s"'#]+)/m.exec(next)?.[1] ?? '');
            }}
          />
        )}
        <div className={styles.pair}>
          <TextInput
            data-autofocus
            label={t('editor:create.name')}
            value={name}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            description={t('editor:create.nameHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setNamed(event.currentTarget.value !== '');
            }}
            error={
              wrong &&
              (there ? (
                <>
                  {t(`editor:create.taken.${there}`, { name })}{' '}
                  <Link to="/schedules/$name" params={{ name }} search={{}} onClick={onClose}>
                    {t('editor:create.openIt')}
                  </Link>
                </>
              ) : (
                t(`editor:create.fault.${fault ?? 'empty'}`)
              ))
            }
          />
          <TextInput
            label={t('editor:create.titleOf')}
            value={title}
            maxLength={200}
            description={t('editor:create.titleHint')}
            inputWrapperOrder={['label', 'input', 'description']}
            onChange={(event) => {
              setTitle(event.currentTarget.value);
            }}
          />
        </div>
      </form>
    </Dialog>
  );
}
