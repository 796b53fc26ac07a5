import { useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type PageCommand, useCommands, useFind } from '@/features/find';
import { type Language, LANGUAGES, setLanguage } from '@/i18n';
import { SCHEMES } from './AccountMenu';
import { useLogOut } from './useLogOut';

/** Offers the pages, the settings and the logout in the command bar. */
export function useFrameCommands(): void {
  const { t, i18n } = useTranslation(['common', 'schedules']);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const navigate = useNavigate();
  const { openKeys } = useFind();
  const logOut = useLogOut();
  const page = (to: string, label: string, keys?: string): PageCommand => ({
    id: `page ${to}`,
    group: 'page',
    label,
    keys,
    words: [to.slice(1) || 'schedules'], // the English name, in each language
    run: () => void navigate({ to, search: {} }),
  });
  const setting = (id: string, label: string, words: readonly string[], run: () => void): PageCommand => ({
    id: `setting ${id}`,
    group: 'setting',
    label,
    words,
    run,
  });
  const languages = (Object.keys(LANGUAGES) as Language[]).filter((code) => code !== i18n.language);
  useCommands({
    commands: [
      page('/', t('common:nav.schedules'), 'G S'),
      page('/batches', t('common:nav.batches'), 'G B'),
      page('/executors', t('common:nav.executors'), 'G E'),
      page('/calendars', t('common:nav.calendars'), 'G C'),
      page('/alerts', t('common:nav.alerts'), 'G A'),
      page('/reports', t('common:nav.reports'), 'G R'),
      page('/forecast', t('schedules:forecast'), 'G F'),
      page('/settings', t('common:nav.settings')),
      page('/backfills', t('common:nav.backfills')),
      ...languages.map((code) =>
        setting(code, `${t('common:language')}: ${LANGUAGES[code]}`, ['language', code], () => void setLanguage(code)),
      ),
      ...SCHEMES.filter((scheme) => scheme !== colorScheme).map((scheme) =>
        setting(scheme, `${t('common:theme')}: ${t(`common:themes.${scheme}`)}`, ['theme', scheme], () => {
          setColorScheme(scheme);
        }),
      ),
      setting('keys', t('common:find.keys'), ['keys', 'shortcuts'], openKeys),
      setting('logOut', t('common:logOut'), ['log out', 'logout'], logOut),
    ],
  });
}
