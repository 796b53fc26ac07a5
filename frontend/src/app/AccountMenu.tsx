import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, setCsrf } from '@/api/client';
import { meQuery } from '@/api/queries';
import { type Language, LANGUAGES, setLanguage } from '@/i18n';
import styles from './AccountMenu.module.css';

const SCHEMES = ['light', 'dark', 'auto'] as const;

/** The menu of the logged-in user: the language, the theme, and the logout. */
export function AccountMenu() {
  const { t, i18n } = useTranslation();
  const { data: me } = useQuery(meQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queries = useQueryClient();
  const router = useRouter();
  const logOut = async () => {
    await api.DELETE('/api/v1/session');
    setCsrf('');
    queries.clear();
    await router.navigate({ to: '/login', search: {} });
  };
  return (
    <Menu position="bottom-end" width={190} shadow="lg" loop withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton
          className={styles.button}
          aria-label={t('accountOf', { name: me?.name ?? '' })}
          data-initials={(me?.name ?? '').slice(0, 2)}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me?.name}</Menu.Label>
        <Menu.Divider />
        <Menu.Label>{t('language')}</Menu.Label>
        <Menu.RadioGroup value={i18n.language} onChange={(code) => void setLanguage(code as Language)}>
          {(Object.keys(LANGUAGES) as Language[]).map((code) => (
            <Menu.RadioItem key={code} value={code} lang={code} closeMenuOnClick>
              {LANGUAGES[code]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('theme')}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => {
            setColorScheme(scheme as (typeof SCHEMES)[number]);
          }}
        >
          {SCHEMES.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick>
              {t(`themes.${scheme}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => void logOut()}>{t('logOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
