import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { reloadForMissingChunk } from '@/api/reload';

/** The names of the languages by code, each in its own language. */
export const LANGUAGES = { en: 'English', zh: '中文' } as const;
/** The code of a supported language. */
export type Language = keyof typeof LANGUAGES;

const STORAGE_KEY = 'hivego.language';
const bundles = import.meta.glob<Record<string, object>>('./bundles/*.ts');

/** The namespaces that only some pages need. They are no part of the bundles. */
export const ON_DEMAND = [
  'alerts',
  'auth',
  'backfill',
  'batch',
  'batches',
  'calendars',
  'canvas',
  'chain',
  'executors',
  'find',
  'forecast',
  'handlers',
  'history',
  'inspector',
  'log',
  'night',
  'planned',
  'replace',
  'reports',
  'runs',
  'secrets',
  'settings',
  'spreadsheet',
  'task',
  'ticks',
  'timeline',
  'views',
  'zoom',
] as const;
const files = import.meta.glob<object>(
  [
    './locales/*/{alerts,auth,backfill,batch,batches,calendars,canvas,chain}.json',
    './locales/*/{executors,find,forecast,handlers,history,inspector,log,night,planned,replace,reports,runs}.json',
    './locales/*/{secrets,settings,spreadsheet,task,ticks,timeline,views,zoom}.json',
  ],
  { import: 'default' },
);
/** The namespaces on demand that were loaded. Another language needs them, too. */
const needed = new Set<string>();

/** The initial language: the stored choice, or else the first supported language of the browser, or else English. */
export function initialLanguage(stored: string | null, browser: readonly string[]): Language {
  for (const code of [stored, ...browser]) {
    const language = code?.toLowerCase().split('-')[0];
    if (language && language in LANGUAGES) return language as Language;
  }
  return 'en';
}

async function load(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, 'common')) {
    const bundle = await bundles[`./bundles/${language}.ts`]?.();
    for (const [namespace, texts] of Object.entries(bundle?.default ?? {})) {
      i18next.addResourceBundle(language, namespace, texts);
    }
  }
  await Promise.all(
    [...needed].map(async (namespace) => {
      if (i18next.hasResourceBundle(language, namespace)) return;
      i18next.addResourceBundle(language, namespace, await files[`./locales/${language}/${namespace}.json`]?.());
    }),
  );
}

/** Loads the texts of namespaces on demand. Await it before the first render of a page that needs them. */
export async function loadTexts(...namespaces: (typeof ON_DEMAND)[number][]): Promise<void> {
  namespaces.forEach((namespace) => needed.add(namespace));
  await load(i18next.language as Language);
}

/** Loads the texts and sets the language of the page. Await it before the first render. */
export async function startI18n(): Promise<void> {
  const language = initialLanguage(localStorage.getItem(STORAGE_KEY), navigator.languages);
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    defaultNS: 'common',
    resources: {},
    interpolation: { escapeValue: false }, // React escapes
    returnNull: false,
  });
  await load(language).catch(async (error: unknown) => {
    await reloadForMissingChunk();
    throw error;
  });
  document.documentElement.lang = language;
}

/**
 * Switches the language of the page, and stores the choice. If the texts cannot be fetched now, the next load of the
 * page uses them.
 */
export async function setLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORAGE_KEY, language);
  try {
    await load(language);
  } catch {
    await reloadForMissingChunk();
    return;
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
