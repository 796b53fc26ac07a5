import type { Schemas } from '@/api/client';

type Kind = Schemas['AlertKind'];
/** The kind of service to which a channel sends. */
export type ChannelType = Schemas['ChannelType'];

/** A span of hours in which nothing is sent. */
export interface Quiet {
  from: string;
  to: string;
  days?: string[];
}

/** A rule as JSON. Members that the form does not know, such as comments, stay as they are. */
export interface RuleDoc {
  name: string;
  on: Kind[];
  schedules?: string[];
  tags?: string[];
  channels: string[];
  timezone?: string;
  deadline?: string;
  wait?: string;
  skips?: number;
  group?: string;
  repeat?: string;
  quiet?: Quiet[];
  escalate?: { after: string; to: string[] };
}

/** How a channel sends mail. */
export interface Email {
  host: string;
  port?: number;
  security?: string;
  user?: string;
  from: string;
  to?: string[];
  owners?: boolean;
}

/** An HTTP request. */
export interface Http {
  method?: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A channel as JSON. */
export interface ChannelDoc {
  name: string;
  type: ChannelType;
  language?: string;
  email?: Email;
  http?: Http;
}

/** The types of channels, in the order of the menu. */
export const CHANNEL_TYPES = ['email', 'slack', 'dingtalk', 'feishu', 'wecom', 'webhook', 'http'] as const;

/** The events of rules in groups: about schedules, about servers, and transitions that are no problem. */
export const EVENTS = {
  schedules: ['failed', 'recovered', 'late', 'not_started', 'skipped', 'needs_person', 'stuck'],
  servers: ['executor_lost', 'executor_full', 'clock_jumped', 'disk_short', 'delivery_failed'],
  transitions: ['started', 'succeeded', 'canceled'],
} as const satisfies Record<string, readonly Kind[]>;

/** The names of the groups of events. */
export const EVENT_GROUPS = Object.keys(EVENTS) as readonly (keyof typeof EVENTS)[];

/** The weekdays as documents name them. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const HEAD = { apiVersion: 'hivego/v1' };

/** The channel with which the form begins. */
export function newChannel(language: string): ChannelDoc {
  const head = { ...HEAD, kind: 'Channel', name: '', type: 'email' as const };
  return { ...head, ...(language === 'zh' ? { language } : {}), ...section('email') };
}

/** The rule with which the form begins. It reports what most people want to know. */
export function newRule(channels: readonly string[]): RuleDoc {
  const head = { ...HEAD, kind: 'Alert', name: '' };
  return { ...head, on: ['failed', 'recovered', 'late', 'needs_person'], channels: channels.slice(0, 1) };
}

/** The section of a channel of a type, with nothing filled in. */
function section(type: ChannelType): Pick<ChannelDoc, 'email' | 'http'> {
  if (type === 'email') return { email: { host: '', from: '', to: [] } };
  return type === 'webhook' || type === 'http' ? { http: { url: '' } } : {};
}

/** What was typed for other types of a channel. */
export type Sections = Partial<Record<ChannelType, Pick<ChannelDoc, 'email' | 'http'>>>;

/** A channel with another type. `sections` gets what was typed for the present one, and gives back what was before. */
export function withType(doc: ChannelDoc, type: ChannelType, sections: Sections): ChannelDoc {
  const { email, http, ...rest } = doc;
  sections[doc.type] = { ...(email && { email }), ...(http && { http }) };
  return { ...rest, type, ...(sections[type] ?? section(type)) };
}

/** An object with some members; those that are undefined are left out. */
export function patch<T extends object>(object: T, members: { [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(
    Object.entries({ ...object, ...members }).filter(([, value]) => value !== undefined),
  ) as unknown as T;
}

/** The names in a text, between commas, semicolons and line breaks, without repetitions. */
export function readNames(text: string): string[] {
  const names = text.split(/[,，;；、\n]/).map((name) => name.trim());
  return [...new Set(names)].filter(Boolean);
}

/** A member of `list` more or less, in the order of `all`. */
export function toggled<T>(list: readonly T[], one: T, on: boolean, all: readonly T[]): T[] {
  return [...new Set([...all, ...list])].filter((other) => (other === one ? on : list.includes(other)));
}

/** Headers as lines such as `Content-Type: text/plain`. */
export function writeHeaders(headers: Readonly<Record<string, string>> = {}): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** The headers in lines of text. A line without a colon is a name without a value. */
export function readHeaders(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** Whether a path is `field` or within it: `email.to[1]` is within `email.to`. */
export function within(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

/** Whether a rule is for all schedules. */
export function isForAll(doc: RuleDoc): boolean {
  return doc.schedules === undefined && doc.tags === undefined;
}

/** The fields that only some events use, with these events. */
const USED_BY = { deadline: ['late'], wait: ['not_started', 'executor_full'], skips: ['skipped'] } as const;

/** Whether a field has an effect with the events of a rule. */
export function isUsed(doc: RuleDoc, field: keyof typeof USED_BY): boolean {
  return USED_BY[field].some((kind) => doc.on.includes(kind));
}

/** What was typed into fields that have no effect now. */
export type Unused = Partial<Pick<RuleDoc, 'deadline' | 'wait' | 'skips'>>;

/** A rule with one event more or less. Fields that lose their effect move to `unused`, and come back with it. */
export function withEvent(doc: RuleDoc, kind: Kind, on: boolean, unused: Unused): RuleDoc {
  const next = { ...doc, on: toggled(doc.on, kind, on, Object.values(EVENTS).flat()) };
  const kept: Unused = { ...unused, ...pick(doc) };
  Object.assign(unused, kept);
  return patch(next, {
    deadline: isUsed(next, 'deadline') ? kept.deadline : undefined,
    wait: isUsed(next, 'wait') ? kept.wait : undefined,
    skips: isUsed(next, 'skips') ? kept.skips : undefined,
  });
}

function pick({ deadline, wait, skips }: RuleDoc): Unused {
  return patch<Unused>({}, { deadline, wait, skips });
}
