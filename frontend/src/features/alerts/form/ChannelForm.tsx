import { Checkbox, Select } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  CHANNEL_TYPES,
  type ChannelDoc,
  type ChannelType,
  type Email,
  type Http,
  patch,
  readHeaders,
  type Sections,
  withType,
  writeHeaders,
} from './document';
import { EXAMPLES } from './examples';
import { ListField, TextField } from './fields';
import type { Form } from './useDocument';
import styles from './Form.module.css';

/** The paths whose faults are shown beside a field. */
export const CHANNEL_FIELDS = [
  ...['name', 'type', 'language'],
  ...['host', 'port', 'security', 'user', 'from', 'to'].map((field) => `email.${field}`),
  ...['method', 'url', 'headers', 'body'].map((field) => `http.${field}`),
];

interface Props {
  form: Form<ChannelDoc>;
  /** The channel exists, so it keeps its name. */
  exists: boolean;
}

/** What a channel needs to send, by its type. Its secrets have fields of their own. */
export function ChannelForm({ form, exists }: Props) {
  const { t } = useTranslation('alerts');
  const { doc, change } = form;
  const sections = useRef<Sections>({});
  return (
    <>
      <div className={styles.pair}>
        <TextField
          form={form}
          path="name"
          first
          required
          disabled={exists}
          label={t('form.name')}
          description={exists ? t('form.nameStays') : t('form.nameDetail')}
          placeholder={EXAMPLES.channel}
          value={doc.name}
          onChange={(name) => {
            change({ ...doc, name }, 'name');
          }}
        />
        <Select
          label={t('document.type')}
          description={t(`form.typeDetail.${doc.type}`)}
          value={doc.type}
          allowDeselect={false}
          data={CHANNEL_TYPES.map((value) => ({ value, label: t(`type.${value}`) }))}
          onChange={(value) => {
            if (value !== null) change(withType(doc, value as ChannelType, sections.current), 'type');
          }}
        />
      </div>
      {doc.type === 'email' && <EmailFields form={form} />}
      {(doc.type === 'webhook' || doc.type === 'http') && <HttpFields form={form} />}
      <Select
        label={t('form.language')}
        value={doc.language ?? 'en'}
        allowDeselect={false}
        data={[
          { value: 'en', label: 'English' },
          { value: 'zh', label: '中文' },
        ]}
        onChange={(language) => {
          change(patch(doc, { language: language === 'zh' ? 'zh' : undefined }), 'language');
        }}
      />
    </>
  );
}

const SECURITIES = ['starttls', 'tls', 'none'] as const;

function EmailFields({ form }: { form: Form<ChannelDoc> }) {
  const { t } = useTranslation('alerts');
  const { doc, change } = form;
  const email = doc.email ?? { host: '', from: '' };
  const put = (members: { [K in keyof Email]?: Email[K] | undefined }, field: keyof Email) => {
    change({ ...doc, email: patch(email, members) }, `email.${field}`);
  };
  return (
    <>
      <div className={styles.server}>
        <TextField
          form={form}
          path="email.host"
          required
          label={t('form.host')}
          placeholder={EXAMPLES.host}
          value={email.host}
          onChange={(host) => {
            put({ host: host.trim() }, 'host');
          }}
        />
        <TextField
          form={form}
          path="email.port"
          label={t('form.port')}
          placeholder={email.security === 'tls' ? '465' : '587'}
          value={email.port === undefined ? '' : String(email.port)}
          onChange={(text) => {
            const digits = text.replaceAll(/\D/g, '').slice(0, 6);
            put({ port: digits ? Number(digits) : undefined }, 'port');
          }}
        />
        <Select
          label={t('form.security')}
          value={email.security ?? 'starttls'}
          allowDeselect={false}
          error={form.faultOf('email.security')}
          data={SECURITIES.map((value) => ({ value, label: t(`form.securities.${value}`) }))}
          onChange={(security) => {
            put({ security: security === 'starttls' ? undefined : (security ?? undefined) }, 'security');
          }}
        />
      </div>
      <TextField
        form={form}
        path="email.user"
        label={t('form.user')}
        description={t('form.userDetail')}
        value={email.user}
        onChange={(user) => {
          put({ user: user || undefined }, 'user');
        }}
      />
      <TextField
        form={form}
        path="email.from"
        required
        label={t('form.from')}
        placeholder={EXAMPLES.from}
        value={email.from}
        onChange={(from) => {
          put({ from }, 'from');
        }}
      />
      <ListField
        form={form}
        path="email.to"
        required
        label={t('form.to')}
        description={t('form.toDetail')}
        placeholder={EXAMPLES.to}
        value={email.to}
        onChange={(to) => {
          put({ to }, 'to');
        }}
      />
      <Checkbox
        size="sm"
        label={t('form.owners')}
        description={t('form.ownersDetail')}
        checked={email.owners ?? false}
        onChange={(event) => {
          put({ owners: event.currentTarget.checked || undefined }, 'owners');
        }}
      />
    </>
  );
}

const METHODS = ['POST', 'PUT', 'PATCH', 'GET'];

function HttpFields({ form }: { form: Form<ChannelDoc> }) {
  const { t } = useTranslation('alerts');
  const { doc, change } = form;
  const http = doc.http ?? { url: '' };
  const put = (members: { [K in keyof Http]?: Http[K] | undefined }, field: keyof Http) => {
    change({ ...doc, http: patch(http, members) }, `http.${field}`);
  };
  const example = doc.type === 'webhook' ? EXAMPLES.webhook : EXAMPLES.http;
  const url = (
    <TextField
      form={form}
      path="http.url"
      required
      label={t('form.url')}
      placeholder={example}
      value={http.url}
      onChange={(text) => {
        put({ url: text.trim() }, 'url');
      }}
    />
  );
  if (doc.type === 'webhook') return url;
  return (
    <>
      <div className={styles.request}>
        <Select
          label={t('form.method')}
          value={http.method ?? 'POST'}
          allowDeselect={false}
          error={form.faultOf('http.method')}
          data={METHODS}
          onChange={(method) => {
            put({ method: method === 'POST' ? undefined : (method ?? undefined) }, 'method');
          }}
        />
        {url}
      </div>
      <HeadersField
        form={form}
        value={http.headers}
        onChange={(headers) => {
          put({ headers }, 'headers');
        }}
      />
      <TextField
        form={form}
        path="http.body"
        rows={3}
        mono
        label={t('form.body')}
        description={t('form.bodyDetail', {
          names:
            '${{ title }}, text, kind, schedule, batch, task, error, owners, link, time, count, rule, id, secrets.NAME',
        })}
        placeholder={EXAMPLES.body}
        value={http.body}
        onChange={(body) => {
          put({ body: body || undefined }, 'body');
        }}
      />
    </>
  );
}

interface HeadersProps {
  form: Form<ChannelDoc>;
  value: Http['headers'];
  onChange: (headers: Http['headers']) => void;
}

/** The headers, one in a line. A line that is being typed stays as it is. */
function HeadersField({ form, value, onChange }: HeadersProps) {
  const { t } = useTranslation('alerts');
  const [typed, setTyped] = useState<string>();
  const same = typed !== undefined && writeHeaders(readHeaders(typed)) === writeHeaders(value);
  return (
    <TextField
      form={form}
      path="http.headers"
      rows={2}
      mono
      label={t('form.headers')}
      placeholder={EXAMPLES.headers}
      value={same ? typed : writeHeaders(value)}
      onChange={(text) => {
        setTyped(text);
        onChange(readHeaders(text));
      }}
    />
  );
}
