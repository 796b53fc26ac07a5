import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { meQuery } from '@/api/queries';
import { useFind } from '@/features/find';
import { type Language, LANGUAGES, setLanguage } from '@/i18n';
import { useLogOut } from './useLogOut';
import styles from './AccountMenu.module.css';

/** The colour schemes that a user can choose. */
export const SCHEMES = ['light', 'dark', 'auto'] as const;

/** The menu of the logged-in user: the language, the theme, and the logout. */
export function AccountMenu() {
  const { t, i18n } = useTranslation();
  const { data: me } = useQuery(meQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const logOut = useLogOut();
  const { openBar, openKeys } = useFind();
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
        <Menu.Item onClick={openBar}>{t('find.open')}</Menu.Item>
        <Menu.Item onClick={openKeys}>{t('find.keys')}</Menu.Item>
        <Menu.Item onClick={logOut}>{t('logOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
