import type { Schemas } from '@/api/client';

/** The kind of service to which a channel sends. */
export type ChannelType = Schemas['ChannelType'];

/** The types of channels, in the order of the menu. */
export const CHANNEL_TYPES: readonly ChannelType[] = [
  'email',
  'slack',
  'dingtalk',
  'feishu',
  'wecom',
  'webhook',
  'http',
];

const SECTIONS: Partial<Record<ChannelType, string>> = {
  email: `email:
  host: smtp.example.com
  user: hivego
  from: hivego@example.com
  to: [ops@example.com]
`,
  webhook: `http:
  url: https://example.com/alerts
`,
  http: `http:
  url: https://example.com/sms?key=\${{ secrets.key }}
  body: '{"text": "\${{ title }}"}'
`,
};

/** The document with which a new channel begins. */
export function newChannel(type: ChannelType, language: string): string {
  return `apiVersion: hivego/v1
kind: Channel
name: ${type === 'email' ? 'ops-mail' : `ops-${type}`}
type: ${type}
${language === 'zh' ? 'language: zh\n' : ''}${SECTIONS[type] ?? ''}`;
}

/** The document with which a new rule begins. It reports what most people want to know. */
export function newRule(channels: readonly string[]): string {
  return `apiVersion: hivego/v1
kind: Alert
name: night
on: [failed, recovered, late, needs_person]
channels: [${channels.slice(0, 1).join(', ')}]
`;
}

/** The name in a document; undefined if it has none. */
export function nameIn(text: string): string | undefined {
  return /^name:[ \t]*["']?([^\s"'#]+)/m.exec(text)?.[1];
}
