import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, data, setCsrf } from '@/api/client';
import { keys, setupQuery } from '@/api/queries';
import { ErrorNote, focusFirstFault } from '@/ui';
import { Frame } from './Frame';
import { nameFault, passwordFault } from './rules';

/** The first page of a new server: whoever started it becomes its administrator. */
export function SetupPage() {
  const { t } = useTranslation('auth');
  const router = useRouter();
  const queries = useQueryClient();
  const setup = useQuery(setupQuery);
  const [form, setForm] = useState({ name: 'admin', password: '', again: '', code: '' });
  const [tried, setTried] = useState(false);
  const set = (field: keyof typeof form) => (e: { currentTarget: { value: string } }) => {
    const { value } = e.currentTarget;
    setForm((f) => ({ ...f, [field]: value }));
  };
  const create = useMutation({
    mutationFn: () =>
      data(
        api.POST('/api/v1/setup', {
          body: { name: form.name, password: form.password, ...(setup.data?.code ? { code: form.code.trim() } : {}) },
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
      // Somebody else was first: from now on there is a login.
      if (error instanceof ApiError && error.status === 409) void queries.invalidateQueries({ queryKey: keys.setup });
    },
  });
  const made = create.isSuccess; // whoever has just been created is logged in
  useEffect(() => {
    if (setup.data && !setup.data.needed && !made) void router.navigate({ to: '/login', search: {}, replace: true });
  }, [setup.data, made, router]);
  const faults = {
    name: nameFault(form.name),
    password: passwordFault(form.password),
    again: form.again === form.password ? undefined : ('differs' as const),
    code: setup.data?.code && !form.code.trim() ? ('code' as const) : undefined,
  };
  const said = (fault?: 'name' | 'short' | 'differs' | 'code') => (tried && fault ? t(`fault.${fault}`) : undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (Object.values(faults).some(Boolean)) focusFirstFault(event.currentTarget);
    else create.mutate();
  };
  if (setup.error)
    return (
      <Frame title={t('setup.title')} words={t('setup.words')}>
        <ErrorNote error={setup.error} retry={() => void setup.refetch()} />
      </Frame>
    );
  return (
    <Frame title={t('setup.title')} words={t('setup.words')}>
      <form onSubmit={submit} noValidate>
        <TextInput
          label={t('name')}
          value={form.name}
          onChange={set('name')}
          error={said(faults.name)}
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
          error={said(faults.password)}
          autoComplete="new-password"
          maxLength={1024}
          visibilityToggleButtonProps={{ 'aria-label': t('show') }}
        />
        <PasswordInput
          label={t('setup.again')}
          value={form.again}
          onChange={set('again')}
          error={said(faults.again)}
          autoComplete="new-password"
          maxLength={1024}
          visibilityToggleButtonProps={{ 'aria-label': t('show') }}
        />
        {setup.data?.code && (
          <TextInput
            label={t('setup.code')}
            description={t('setup.codeWords')}
            value={form.code}
            onChange={set('code')}
            error={said(faults.code)}
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
