import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';

/** An event that rules have reported or that a person has taken, with its deliveries. */
export type Alert = Schemas['Alert'];
/** One event that one rule reports on one channel. */
export type Delivery = Schemas['AlertDelivery'];
/** A rule in the list, without its document. */
export type Rule = Schemas['AlertRuleSummary'];
/** A channel in the list, without its document. */
export type Channel = Schemas['ChannelSummary'];
/** What is known of a secret of a channel, without the secret itself. */
export type Secret = Schemas['ChannelSecret'];
/** What people write: a rule or a channel. */
export type DocumentKind = 'rule' | 'channel';

/** How many alerts are read at once. */
const PAGE = 50;

/** Selects alerts. */
interface AlertFilter {
  /** Only open problems. */
  open?: true;
  schedule?: string;
  /** A time before now, such as `24h`. */
  since?: string;
}

/** The open problems or the log, latest first, page by page. */
export const alertsQuery = (filter: AlertFilter) =>
  infiniteQueryOptions({
    queryKey: [...keys.alerts, filter.open ? 'open' : 'log', filter],
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/alerts', {
          params: { query: { ...filter, before: pageParam, limit: PAGE } },
          signal,
        }),
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (last) => (last.items.length < PAGE ? undefined : last.items.at(-1)?.id),
  });

/** All rules by name. */
export const rulesQuery = queryOptions({
  queryKey: [...keys.alerts, 'rules'],
  queryFn: async ({ signal }) => (await data(api.GET('/api/v1/alert-rules', { signal }))).items,
});

/** All channels by name. */
export const channelsQuery = queryOptions({
  queryKey: [...keys.alerts, 'channels'],
  queryFn: async ({ signal }) => (await data(api.GET('/api/v1/channels', { signal }))).items,
});

/** The log of the tries to send a delivery, oldest first. */
export const triesQuery = (delivery: number) =>
  queryOptions({
    queryKey: [...keys.alerts, 'tries', delivery],
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/alert-deliveries/{delivery}/tries', { params: { path: { delivery } }, signal })))
        .items,
  });

/** The newest revision of a rule or a channel, with its document. */
export async function readDocument(kind: DocumentKind, name: string): Promise<{ document: string; revision: number }> {
  const params = { params: { path: { name } } };
  return kind === 'rule'
    ? data(api.GET('/api/v1/alert-rules/{name}', params))
    : data(api.GET('/api/v1/channels/{name}', params));
}

/** A document as a form has it, or as YAML. */
export type Source = { doc: object } | { yaml: string };

/** Writes a document as YAML and as JSON, and lists its faults. Nothing is stored. */
export function convertDocument(kind: DocumentKind, source: Source): Promise<Schemas['ConvertedAlert']> {
  const [body, type] =
    'doc' in source ? [JSON.stringify(source.doc), 'application/json'] : [source.yaml, 'application/yaml'];
  return data(
    api.POST('/api/v1/alert-documents', {
      params: { query: { kind: kind === 'rule' ? 'Alert' : 'Channel' } },
      body: body as never,
      bodySerializer: (text: unknown) => text as string,
      headers: { 'Content-Type': type },
    }),
  );
}

/** Saves a document as the revision after `base`; 0 for a new one. */
export function saveDocument(kind: DocumentKind, name: string, text: string, base: number): Promise<Schemas['Saved']> {
  const request = {
    params: { path: { name }, query: { base } },
    body: text as never,
    bodySerializer: (body: unknown) => body as string,
    headers: { 'Content-Type': 'application/yaml' },
  };
  return kind === 'rule'
    ? data(api.PUT('/api/v1/alert-rules/{name}', request))
    : data(api.PUT('/api/v1/channels/{name}', request));
}

/** Deletes a rule or a channel. Its revisions stay. */
export async function deleteDocument(kind: DocumentKind, name: string): Promise<void> {
  const params = { params: { path: { name } } };
  if (kind === 'rule') await api.DELETE('/api/v1/alert-rules/{name}', params);
  else await api.DELETE('/api/v1/channels/{name}', params);
}
