import { Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog, ErrorNote, focusFirstFault } from '@/ui';
import { TextSource } from './TextSource';
import { type Initial, useCreate, SOURCES } from './useCreate';
import styles from './Create.module.css';

interface Props {
  initial: Initial;
  opened: boolean;
  onClose: () => void;
  onCreated?: () => void;
}

/** Asks for the name and the source of a new schedule. The schedule opens as a draft; nothing is published. */
export function NewSchedule({ initial, opened, onClose, onCreated }: Props) {
  const { t } = useTranslation(['editor', 'common']);
  const form = useId();
  const state = useCreate(initial, opened, () => {
    onClose();
    onCreated?.();
  });
  const { values, set, propose, missing } = state;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!state.submit()) focusFirstFault(event.currentTarget);
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
          <Button type="submit" form={form} variant="filled" loading={state.busy}>
            {t('editor:create.go')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        {state.error !== undefined && <ErrorNote error={state.error} />}
        <SegmentedControl
          aria-label={t('editor:create.from')}
          value={values.source}
          onChange={(source) => {
            set({ source: source as (typeof SOURCES)[number] });
          }}
          data={SOURCES.map((source) => ({ value: source, label: t(`editor:create.way.${source}`) }))}
        />
        {values.source === 'copy' && (
          <Select
            searchable
            searchValue={state.copies.search}
            onSearchChange={state.copies.setSearch}
            filter={({ options }) => options}
            label={t('editor:create.copy')}
            value={values.copyOf}
            nothingFoundMessage={t('editor:create.copyNone')}
            maxDropdownHeight={260}
            onChange={(copyOf) => {
              set({ copyOf });
              if (copyOf !== null) propose(`${copyOf}-copy`);
            }}
            error={missing.copyOf ? t('editor:create.copyMissing') : undefined}
            data={proposals(state)}
          />
        )}
        {values.source === 'text' && (
          <TextSource
            text={values.text}
            faults={state.textFaults}
            missing={missing.text}
            onText={(text) => {
              set({ text });
              propose(/^name:\s*["']?([^\s"'#]+)/m.exec(text)?.[1] ?? '');
            }}
          />
        )}
        <div className={styles.pair}>
          <NameInput state={state} onClose={onClose} />
          <TextInput
            label={t('editor:create.titleOf')}
            value={values.title}
            maxLength={200}
            description={t('editor:create.titleHint')}
            inputWrapperOrder={['label', 'input', 'description']}
            onChange={(event) => {
              set({ title: event.currentTarget.value });
            }}
          />
        </div>
      </form>
    </Dialog>
  );
}

/** The schedules to copy that the list proposes. The chosen one is always among them. */
function proposals({ copies: { schedules }, values: { copyOf } }: ReturnType<typeof useCreate>) {
  const all = schedules.map((s) => ({ value: s.name, label: s.title ? `${s.name} · ${s.title}` : s.name }));
  const known = copyOf === null || all.some((s) => s.value === copyOf);
  return known ? all : [{ value: copyOf, label: copyOf }, ...all];
}

/** The input for the name. If the name is taken, a link opens the schedule or draft that has it. */
function NameInput({ state, onClose }: { state: ReturnType<typeof useCreate>; onClose: () => void }) {
  const { t } = useTranslation('editor');
  const { name } = state.values;
  const fault = state.nameOwner ? (
    <>
      {t(`create.taken.${state.nameOwner}`, { name })}{' '}
      <Link to="/schedules/$name" params={{ name }} search={{}} onClick={onClose}>
        {t('create.openIt')}
      </Link>
    </>
  ) : (
    state.nameFault && t(`create.fault.${state.nameFault}`)
  );
  return (
    <TextInput
      data-autofocus
      label={t('create.name')}
      value={name}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      description={t('create.nameHint')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={(event) => {
        state.set({ name: event.currentTarget.value });
      }}
      error={fault}
    />
  );
}
