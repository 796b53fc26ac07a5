import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, setCsrf } from '@/api/client';
import { keys, setupQuery } from '@/api/queries';
import { ErrorNote } from '@/ui';
import { Frame } from './Frame';

const COMMAND = 'hivego user password';

/** The login page. After the login, it opens the page that the user wanted to see. */
export function LoginPage() {
  const { t } = useTranslation('auth');
  const router = useRouter();
  const queries = useQueryClient();
  const { next, ended } = useSearch({ strict: false });
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const setup = useQuery(setupQuery);
  useEffect(() => {
    if (setup.data?.needed) void router.navigate({ to: '/setup', replace: true });
  }, [setup.data, router]);
  const login = useMutation({
    mutationFn: () => data(api.POST('/api/v1/session', { body: { name, password } })),
    onSuccess: (me) => {
      setCsrf(me.csrf ?? '');
      queries.setQueryData(keys.me, me);
      router.history.push(next ?? '/');
    },
    onError: () => {
      setPassword('');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    login.mutate();
  };
  return (
    <Frame title={t('login.title')} text={t(ended ? 'login.ended' : 'login.text')}>
      <form onSubmit={submit}>
        <TextInput
          label={t('name')}
          value={name}
          onChange={(e) => {
            setName(e.currentTarget.value);
          }}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={63}
          required
          withAsterisk={false}
          data-autofocus
        />
        <PasswordInput
          label={t('password')}
          value={password}
          onChange={(e) => {
            setPassword(e.currentTarget.value);
          }}
          autoComplete="current-password"
          maxLength={1024}
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': t('show') }}
        />
        {login.error && <ErrorNote error={login.error} title={t('login.failed')} />}
        <Button type="submit" variant="filled" loading={login.isPending} fullWidth>
          {t('login.button')}
        </Button>
        <p className="hg-quiet">
          {t('login.forgotten')} <code>{COMMAND}</code>
        </p>
      </form>
    </Frame>
  );
}
