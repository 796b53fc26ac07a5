import type { i18n as I18n } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import english from './locales/en/handlers.json';

interface Texts {
  title?: string;
  description?: string;
  choices?: readonly string[];
}
interface HandlerEntry extends Texts {
  params: Readonly<Record<string, Texts>>;
}
type All = Readonly<Record<string, HandlerEntry>>;
type Loose = Readonly<Record<string, unknown>>;

/** Translates the texts of handlers to the language of the user. */
export interface HandlerTexts {
  /** Translates the title and the description of a handler. */
  handler: <H extends { name: string; title?: string; description?: string }>(handler: H) => H;
  /** Translates the titles and descriptions in the JSON Schema of the params of a handler. */
  schema: <S extends object>(handler: string, schema: S) => S;
}

/** Translates nothing. */
export const UNTRANSLATED: HandlerTexts = { handler: (handler) => handler, schema: (_, schema) => schema };

/**
 * Translates the texts of HiveGo's own handlers to the current language. A text is translated only if it equals the
 * text of HiveGo's handler: another handler of the same name keeps its own texts.
 */
export function handlerTexts(i18n: Pick<I18n, 'language' | 'getResourceBundle'>): HandlerTexts {
  const originals: All = english;
  const translations = i18n.getResourceBundle(i18n.language, 'handlers') as All | undefined;
  if (i18n.language === 'en' || !translations) return UNTRANSLATED;
  const entryOf = (entries: All, name: string) => (Object.hasOwn(entries, name) ? entries[name] : undefined);
  return {
    handler: (handler) => ({
      ...handler,
      ...translateTexts(handler as Loose, entryOf(originals, handler.name), entryOf(translations, handler.name)),
    }),
    schema: (name, schema) => {
      const [from, to] = [entryOf(originals, name)?.params, entryOf(translations, name)?.params];
      return from && to ? (translateSchema(schema as Loose, '', from, to) as typeof schema) : schema;
    },
  };
}

/** The translation of handlers to the language of the user. The result changes only with the language. */
export function useHandlerTexts(): HandlerTexts {
  const { i18n } = useTranslation();
  const { language } = i18n;
  return useMemo(
    () => handlerTexts({ language, getResourceBundle: i18n.getResourceBundle.bind(i18n) }),
    [i18n, language],
  );
}

/** The translations of those texts of a handler or property that equal the original ones. */
function translateTexts(source: Loose, original: Texts | undefined, translation: Texts | undefined): Loose {
  const out: Record<string, unknown> = {};
  if (!original || !translation) return out;
  for (const name of ['title', 'description'] as const)
    if (source[name] !== undefined && source[name] === original[name]) out[name] = translation[name];
  const choices = source['x-enum-titles'];
  if (
    original.choices &&
    translation.choices &&
    Array.isArray(choices) &&
    choices.length === original.choices.length &&
    original.choices.every((choice, i) => choice === choices[i])
  )
    out['x-enum-titles'] = translation.choices;
  return out;
}

/**
 * Translates a schema. The texts of its properties, at any depth, are found by their paths, such as `poll.cancel.url`.
 */
function translateSchema(
  schema: Loose,
  path: string,
  originals: Readonly<Record<string, Texts>>,
  translations: Readonly<Record<string, Texts>>,
): Loose {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const out = Object.entries(properties).map(([name, property]) => {
    if (!isObject(property)) return [name, property] as const;
    const propertyPath = path + name;
    const translated = translateSchema(property, `${propertyPath}.`, originals, translations);
    return [
      name,
      Object.hasOwn(originals, propertyPath)
        ? { ...translated, ...translateTexts(property, originals[propertyPath], translations[propertyPath]) }
        : translated,
    ] as const;
  });
  return { ...schema, properties: Object.fromEntries(out) };
}

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
