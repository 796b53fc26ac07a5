import type { Schemas } from '@/api/client';
import type { ConnectionType } from '@/api/secrets';
import { readGroups, writeGroups } from './groups';

/** What the form of a connection has, as it is typed. */
export interface ConnectionForm {
  name: string;
  title: string;
  description: string;
  type: string;
  host: string;
  port: string;
  database: string;
  user: string;
  /** The name of the secret with the password; empty for none. */
  secret: string;
  options: Record<string, string>;
  groups: string;
}

/** The form of a new connection of a type. */
export const emptyForm = (type: string): ConnectionForm => ({
  name: '',
  title: '',
  description: '',
  type,
  host: '',
  port: '',
  database: '',
  user: '',
  secret: '',
  options: {},
  groups: 'default',
});

/** The form of a stored connection. */
export const formOf = (stored: Schemas['Connection']): ConnectionForm => ({
  name: stored.name,
  title: stored.title,
  description: stored.description,
  type: stored.type,
  host: stored.host,
  port: stored.port === 0 ? '' : String(stored.port),
  database: stored.database,
  user: stored.user,
  secret: stored.passwordSecret,
  options: stored.options,
  groups: writeGroups(stored.groups),
});

/** The document of a form. Fields that the type does not have are left out, and so are empty ones. */
export function documentOf(form: ConnectionForm, type: ConnectionType | undefined): Record<string, unknown> {
  const text = (value: string) => (value.trim() === '' ? undefined : value.trim());
  const remote = type === undefined || type.port > 0;
  const known = type?.options.map(({ name }) => name) ?? [];
  const options = Object.fromEntries(
    Object.entries(form.options).filter(([name, value]) => value.trim() !== '' && known.includes(name)),
  );
  const port = text(form.port);
  return {
    apiVersion: 'hivego/v1',
    kind: 'Connection',
    name: form.name.trim(),
    title: text(form.title),
    description: text(form.description),
    type: form.type,
    host: remote ? text(form.host) : undefined,
    port: remote && port !== undefined ? Number(port) : undefined,
    database: text(form.database),
    user: remote ? text(form.user) : undefined,
    password: remote && form.secret !== '' ? `\${{ secrets.${form.secret} }}` : undefined,
    options: Object.keys(options).length > 0 ? options : undefined,
    groups: readGroups(form.groups),
  };
}
