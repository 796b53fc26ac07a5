import type { Definition } from '@/api/definition';

/** A fault of the name of a schedule. */
export type NameFault = 'empty' | 'start' | 'case' | 'chars' | 'long';

const MAX_LENGTH = 63;

/** The fault of the name of a schedule; undefined if the name is valid. */
export function nameFault(name: string): NameFault | undefined {
  if (name === '') return 'empty';
  if (/[A-Z]/.test(name)) return 'case';
  if (/[^a-z0-9-]/.test(name)) return 'chars';
  if (name.startsWith('-')) return 'start';
  return name.length > MAX_LENGTH ? 'long' : undefined;
}

/** The valid name closest to a text: `my-report` for `My report.yaml`. Empty if the text has no usable character. */
export function nameFrom(text: string): string {
  return text
    .toLowerCase()
    .replace(/\.(ya?ml|json)$/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_LENGTH);
}

/** The document of a schedule without jobs. */
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

/** A copy of a document with another name, and with another title unless that is empty. */
export function copyOf(source: Definition, name: string, title: string): Definition {
  const newTitle = title || source.title;
  return { ...source, name, ...(newTitle ? { title: newTitle } : {}) };
}
