import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { reloadForMissingChunk } from '@/api/reload';

/** The names of the languages by code, each in its own language. */
export const LANGUAGES = { en: 'English', zh: '中文' } as const;
/** The code of a supported language. */
export type Language = keyof typeof LANGUAGES;

const STORAGE_KEY = 'hivego.language';
const bundles = import.meta.glob<Record<string, object>>('./bundles/*.ts');

/** The initial language: the stored choice, or else the first supported language of the browser, or else English. */
export function initialLanguage(stored: string | null, browser: readonly string[]): Language {
  for (const code of [stored, ...browser]) {
    const language = code?.toLowerCase().split('-')[0];
    if (language && language in LANGUAGES) return language as Language;
  }
  return 'en';
}

async function load(language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, 'common')) return;
  const bundle = await bundles[`./bundles/${language}.ts`]?.();
  for (const [namespace, texts] of Object.entries(bundle?.default ?? {})) {
    i18next.addResourceBundle(language, namespace, texts);
  }
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
