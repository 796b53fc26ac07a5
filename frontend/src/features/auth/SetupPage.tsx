import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, ApiError, data, type Schemas, setCsrf } from '@/api/client';
import { keys, setupQuery } from '@/api/queries';
import { ErrorNote, focusFirstFault } from '@/ui';
import { Frame } from './Frame';

type Fault = 'name' | 'short' | 'differs' | 'code';

interface Form {
  name: string;
  password: string;
  again: string;
  code: string;
}

/** The first page of a new server. It creates the administrator. */
export function SetupPage() {
  const { t } = useTranslation('auth');
  const setup = useQuery(setupQuery);
  const [form, setForm] = useState<Form>({ name: 'admin', password: '', again: '', code: '' });
  const [submitted, setSubmitted] = useState(false);
  const set = (field: keyof typeof form) => (e: { currentTarget: { value: string } }) => {
    const { value } = e.currentTarget;
    setForm((f) => ({ ...f, [field]: value }));
  };
  const create = useCreate(form, setup.data);
  const faults = {
    name: nameFault(form.name),
    password: passwordFault(form.password),
    again: form.again === form.password ? undefined : ('differs' as const),
    code: setup.data?.code && !form.code.trim() ? ('code' as const) : undefined,
  };
  const textOf = (fault?: Fault) => (submitted && fault ? t(`fault.${fault}`) : undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (Object.values(faults).some(Boolean)) focusFirstFault(event.currentTarget);
    else create.mutate();
  };
  if (setup.error)
    return (
      <Frame title={t('setup.title')} text={t('setup.text')}>
        <ErrorNote error={setup.error} retry={() => void setup.refetch()} />
      </Frame>
    );
  return (
    <Frame title={t('setup.title')} text={t('setup.text')}>
      <form onSubmit={submit} noValidate>
        <TextInput
          label={t('name')}
          value={form.name}
          onChange={set('name')}
          error={textOf(faults.name)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={63}
        />
        <PasswordInput
          label={t('password')}
          description={t('setup.rule')}
          data-autofocus
          value={form.password}
          onChange={set('password')}
          error={textOf(faults.password)}
          autoComplete="new-password"
          maxLength={1024}
          visibilityToggleButtonProps={{ 'aria-label': t('show') }}
        />
        <PasswordInput
          label={t('setup.again')}
          value={form.again}
          onChange={set('again')}
          error={textOf(faults.again)}
          autoComplete="new-password"
          maxLength={1024}
          visibilityToggleButtonProps={{ 'aria-label': t('show') }}
        />
        {setup.data?.code && (
          <TextInput
            label={t('setup.code')}
            description={t('setup.codeHint')}
            value={form.code}
            onChange={set('code')}
            error={textOf(faults.code)}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={64}
            styles={{ input: { fontFamily: 'var(--mono)' } }}
          />
        )}
        {create.error && <ErrorNote error={create.error} />}
        <Button type="submit" variant="filled" loading={create.isPending} disabled={!setup.data} fullWidth>
          {t('setup.button')}
        </Button>
      </form>
    </Frame>
  );
}

/** Creates the administrator and logs in. If the server has an administrator already, the login page is opened. */
function useCreate(form: Form, setup: Schemas['Setup'] | undefined) {
  const router = useRouter();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      data(
        api.POST('/api/v1/setup', {
          body: { name: form.name, password: form.password, ...(setup?.code ? { code: form.code.trim() } : {}) },
        }),
      ),
    onSuccess: (me) => {
      setCsrf(me.csrf ?? '');
      queries.setQueryData(keys.me, me);
      void router.navigate({ to: '/' }).then(() => {
        queries.setQueryData(keys.setup, { needed: false, code: false });
      });
    },
    onError: (error) => {
      // The server has an administrator already.
      if (error instanceof ApiError && error.status === 409) void queries.invalidateQueries({ queryKey: keys.setup });
    },
  });
  const created = create.isSuccess;
  useEffect(() => {
    if (setup && !setup.needed && !created) void router.navigate({ to: '/login', search: {}, replace: true });
  }, [setup, created, router]);
  return create;
}

// The page checks names and passwords before it sends the form. The server checks them again.
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/;
const MIN_LENGTH = 10; // in code points

/** The fault of the name of an administrator: `name` if the server would refuse it, undefined if it is valid. */
export function nameFault(name: string): 'name' | undefined {
  return NAME.test(name) ? undefined : 'name';
}

/** The fault of a password: `short` if it has too few code points, undefined if it is long enough. */
export function passwordFault(password: string): 'short' | undefined {
  return [...password].length < MIN_LENGTH ? 'short' : undefined;
}
