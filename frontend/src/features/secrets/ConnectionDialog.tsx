import { Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { type ConnectionType, secretKeys, secretsQuery } from '@/api/secrets';
import { Dialog, ErrorNote, Skeleton, toast } from '@/ui';
import { type ConnectionForm, documentOf, emptyForm, formOf } from './connectionForm';
import styles from './Secrets.module.css';

interface Props {
  /** The connection to edit; without it, a new one is made. */
  name?: string;
  types: readonly ConnectionType[];
  onClose: () => void;
  /** Called after a connection was saved that is to be tried. */
  onTest: (name: string) => void;
}

/** What is saved, and whether it is tried then. */
interface Request {
  form: ConnectionForm;
  test: boolean;
}

/** Makes a connection, or changes one. Its password is the name of a secret. */
export function ConnectionDialog({ name, types, onClose, onTest }: Props) {
  const { t } = useTranslation(['secrets', 'common']);
  const id = useId();
  const client = useQueryClient();
  const stored = useQuery({
    queryKey: [...secretKeys.connections, name],
    queryFn: () => data(api.GET('/api/v1/connections/{name}', { params: { path: { name: name ?? '' } } })),
    enabled: name !== undefined,
    staleTime: Infinity, // what is typed belongs to the revision that was read when the dialog opened
    gcTime: 0,
  });
  const [typed, setTyped] = useState<ConnectionForm>();
  const form = typed ?? (stored.data ? formOf(stored.data) : emptyForm(types[0]?.name ?? ''));
  const type = types.find((one) => one.name === form.type);
  const change = (part: Partial<ConnectionForm>) => {
    setTyped({ ...form, ...part });
  };
  const save = useMutation({
    mutationFn: ({ form }: Request) =>
      data(
        api.PUT('/api/v1/connections/{name}', {
          params: { path: { name: form.name.trim() }, query: { base: stored.data?.revision ?? 0 } },
          body: documentOf(form, type) as never,
        }),
      ),
    onSuccess: (_saved, { test }) => {
      toast(t('secrets:connection.done', { name: form.name.trim() }));
      if (test) onTest(form.name.trim());
      else onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: secretKeys.connections, exact: true }),
  });
  const ready = form.name.trim() !== '' && (name === undefined || stored.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !save.isPending) save.mutate({ form, test: false });
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      busy={stored.isFetching}
      title={name === undefined ? t('secrets:connection.new') : t('secrets:connection.edit', { name })}
      summary={t('secrets:connection.summary')}
      footer={
        <Footer
          id={id}
          ready={ready}
          saving={save.isPending ? save.variables : undefined}
          onClose={onClose}
          onTest={() => {
            save.mutate({ form, test: true });
          }}
        />
      }
    >
      <form id={id} className={styles.form} onSubmit={submit} noValidate autoComplete="off">
        {save.error && <ErrorNote error={save.error} />}
        {stored.error && <ErrorNote error={stored.error} retry={() => void stored.refetch()} />}
        {name !== undefined && stored.isPending ? (
          <Skeleton rows={4} />
        ) : (
          <Fields form={form} types={types} type={type} isNew={name === undefined} onChange={change} />
        )}
        {stored.data && stored.data.usedBy.length > 0 && (
          <p className={styles.quiet}>{t('secrets:connection.usedBy', { names: stored.data.usedBy.join(', ') })}</p>
        )}
      </form>
    </Dialog>
  );
}

interface FooterProps {
  /** The id of the form. */
  id: string;
  ready: boolean;
  /** The request under way. */
  saving: Request | undefined;
  onClose: () => void;
  onTest: () => void;
}

function Footer({ id, ready, saving, onClose, onTest }: FooterProps) {
  const { t } = useTranslation(['secrets', 'common']);
  return (
    <>
      <Button className={styles.cancel} onClick={onClose}>
        {t('common:cancel')}
      </Button>
      <Button disabled={!ready} loading={saving?.test === true} onClick={onTest}>
        {t('secrets:connection.saveAndTest')}
      </Button>
      <Button type="submit" form={id} variant="filled" loading={saving?.test === false} disabled={!ready}>
        {t('secrets:save')}
      </Button>
    </>
  );
}

interface FieldsProps {
  form: ConnectionForm;
  types: readonly ConnectionType[];
  type: ConnectionType | undefined;
  isNew: boolean;
  onChange: (part: Partial<ConnectionForm>) => void;
}

function Fields({ form, types, type, isNew, onChange }: FieldsProps) {
  const { t } = useTranslation('secrets');
  const remote = type === undefined || type.port > 0;
  const shared = { form, onChange };
  return (
    <>
      {isNew && <TextField {...shared} field="name" label={t('head.name')} detail={t('connection.nameDetail')} focus />}
      <TextField {...shared} field="title" label={t('connection.title')} focus={!isNew} />
      <Select
        label={t('head.type')}
        allowDeselect={false}
        data={types.map((one) => ({ value: one.name, label: one.title }))}
        value={form.type}
        onChange={(value) => {
          onChange({ type: value ?? form.type });
        }}
      />
      {remote && (
        <div className={styles.pair}>
          <TextField {...shared} field="host" label={t('connection.host')} />
          <TextInput
            label={t('connection.port')}
            inputMode="numeric"
            placeholder={type && String(type.port)}
            value={form.port}
            onChange={(event) => {
              onChange({ port: event.currentTarget.value.replace(/\D/g, '') });
            }}
          />
        </div>
      )}
      <TextField
        {...shared}
        field="database"
        label={t(remote ? 'connection.database' : 'connection.file')}
        detail={remote ? undefined : t('connection.fileDetail')}
      />
      {remote && <TextField {...shared} field="user" label={t('connection.user')} />}
      {remote && <SecretField value={form.secret} onChange={onChange} />}
      {type && type.options.length > 0 && <Options type={type} values={form.options} onChange={onChange} />}
      <TextField {...shared} field="groups" label={t('head.groups')} detail={t('connection.groupsDetail')} />
    </>
  );
}

interface TextProps extends Pick<FieldsProps, 'form' | 'onChange'> {
  field: 'name' | 'title' | 'host' | 'database' | 'user' | 'groups';
  label: string;
  detail?: string;
  /** Takes the first focus of the dialog. */
  focus?: boolean;
}

function TextField({ form, onChange, field, label, detail, focus }: TextProps) {
  return (
    <TextInput
      label={label}
      description={detail}
      autoComplete="off"
      spellCheck={false}
      data-autofocus={focus ? true : undefined}
      value={form[field]}
      onChange={(event) => {
        onChange({ [field]: event.currentTarget.value });
      }}
    />
  );
}

/** Chooses the secret with the password. */
function SecretField({ value, onChange }: { value: string; onChange: FieldsProps['onChange'] }) {
  const { t } = useTranslation('secrets');
  const names = (useQuery(secretsQuery).data ?? []).map((secret) => secret.name);
  return (
    <Select
      label={t('connection.password')}
      description={t('connection.passwordDetail')}
      clearable
      searchable
      placeholder={t('connection.noPassword')}
      data={value === '' || names.includes(value) ? names : [...names, value]}
      value={value === '' ? null : value}
      onChange={(secret) => {
        onChange({ secret: secret ?? '' });
      }}
    />
  );
}

interface OptionsProps {
  type: ConnectionType;
  values: Record<string, string>;
  onChange: FieldsProps['onChange'];
}

/** The options of the type; an empty one is left out. */
function Options({ type, values, onChange }: OptionsProps) {
  return (
    <div className={styles.options}>
      {type.options.map((option) => {
        const shared = { label: option.name, value: values[option.name] ?? '' };
        const set = (value: string) => {
          onChange({ options: { ...values, [option.name]: value } });
        };
        return option.values.length > 0 ? (
          <Select
            key={option.name}
            {...shared}
            value={shared.value === '' ? null : shared.value}
            clearable
            data={option.values}
            onChange={(value) => {
              set(value ?? '');
            }}
          />
        ) : (
          <TextInput
            key={option.name}
            {...shared}
            autoComplete="off"
            onChange={(event) => {
              set(event.currentTarget.value);
            }}
          />
        );
      })}
    </div>
  );
}
