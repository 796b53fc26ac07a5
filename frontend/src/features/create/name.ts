import type { Definition } from '@/api/definition';

export type NameFault = 'empty' | 'start' | 'case' | 'chars' | 'long';

const MOST = 63;

/** What is wrong with the name of a schedule; undefined if nothing is. */
export function nameFault(name: string): NameFault | undefined {
  if (name === '') return 'empty';
  if (/[A-Z]/.test(name)) return 'case';
  if (/[^a-z0-9-]/.test(name)) return 'chars';
  if (name.startsWith('-')) return 'start';
  return name.length > MOST ? 'long' : undefined;
}

/** A name that may be used, as near to a text as can be: `My report.yaml` is `my-report`. Empty if nothing is left of it. */
export function nameFrom(text: string): string {
  return text
    .toLowerCase()
    .replace(/\.(ya?ml|json)$/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MOST);
}

/** The document of a schedule that nothing is said of yet. */
export function emptyDocument(name: string, title: string, timezone: string): Definition {
  return {
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name,
    ...(title ? { title } : {}),
    ...(timezone && timezone !== 'UTC' ? { timezone } : {}),
    jobs: [],
  };
}

/** The document of another schedule under a name of its own. */
export function copyOf(source: Definition, name: string, title: string): Definition {
  const called = title || source.title;
  return { ...source, name, ...(called ? { title: called } : {}) };
}
