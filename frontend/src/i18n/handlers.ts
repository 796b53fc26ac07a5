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

/** What executors say of their handlers, in the reader's language. */
export interface HandlerTexts {
  /** A handler with its title and description. */
  handler: <H extends { name: string; title?: string; description?: string }>(handler: H) => H;
  /** The JSON Schema of its params with their titles and descriptions. */
  schema: <S extends object>(handler: string, schema: S) => S;
}

/** Texts without any translation: handlers keep what they send. */
export const UNTRANSLATED: HandlerTexts = { handler: (handler) => handler, schema: (_, schema) => schema };

/**
 * The texts of HiveGo's own handlers in the present language. A text is translated only if it equals the text of
 * HiveGo's handler: another handler of the same name keeps its own texts.
 */
export function handlerTexts(i18n: Pick<I18n, 'language' | 'getResourceBundle'>): HandlerTexts {
  const known: All = english;
  const own = i18n.getResourceBundle(i18n.language, 'handlers') as All | undefined;
  if (i18n.language === 'en' || !own) return UNTRANSLATED;
  const of = (all: All, name: string) => (Object.hasOwn(all, name) ? all[name] : undefined);
  return {
    handler: (handler) => ({
      ...handler,
      ...translateTexts(handler as Loose, of(known, handler.name), of(own, handler.name)),
    }),
    schema: (name, schema) => {
      const [from, to] = [of(known, name)?.params, of(own, name)?.params];
      return from && to ? (translate(schema as Loose, '', from, to) as typeof schema) : schema;
    },
  };
}

/** The texts of handlers in the reader's language. The result changes only with the language. */
export function useHandlerTexts(): HandlerTexts {
  const { i18n } = useTranslation();
  const { language } = i18n;
  return useMemo(
    () => handlerTexts({ language, getResourceBundle: i18n.getResourceBundle.bind(i18n) }),
    [i18n, language],
  );
}

/** The texts of something that are known, as the other language has them. */
function translateTexts(it: Loose, known: Texts | undefined, own: Texts | undefined): Loose {
  const out: Record<string, unknown> = {};
  if (!known || !own) return out;
  for (const name of ['title', 'description'] as const)
    if (it[name] !== undefined && it[name] === known[name]) out[name] = own[name];
  const choices = it['x-enum-titles'];
  if (
    known.choices &&
    own.choices &&
    Array.isArray(choices) &&
    choices.length === known.choices.length &&
    known.choices.every((one, i) => one === choices[i])
  )
    out['x-enum-titles'] = own.choices;
  return out;
}

/** A schema whose properties, at any depth, are called by their paths: `poll.cancel.url`. */
function translate(
  schema: Loose,
  path: string,
  known: Readonly<Record<string, Texts>>,
  own: Readonly<Record<string, Texts>>,
): Loose {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const out = Object.entries(properties).map(([name, property]) => {
    if (!isObject(property)) return [name, property] as const;
    const at = path + name;
    const inside = translate(property, `${at}.`, known, own);
    return [
      name,
      Object.hasOwn(known, at) ? { ...inside, ...translateTexts(property, known[at], own[at]) } : inside,
    ] as const;
  });
  return { ...schema, properties: Object.fromEntries(out) };
}

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
