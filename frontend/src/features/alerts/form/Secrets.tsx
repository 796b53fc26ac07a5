import { PasswordInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useExact } from '@/ui';
import type { Secret } from '../calls';
import type { ChannelType } from './document';

interface Props {
  type: ChannelType;
  secrets: {
    known: readonly Secret[];
    typed: Readonly<Record<string, string>>;
    set: (name: string, value: string) => void;
    faultOf: (name: string) => string | undefined;
  };
}

/** The secrets of a channel. They are never shown: an empty field leaves its secret as it is. */
export function Secrets({ type, secrets }: Props) {
  const { t } = useTranslation('alerts');
  const exact = useExact();
  const label = (name: string) => {
    if (type === 'email') return t('secrets.password');
    if (type === 'webhook') return t('secrets.signing');
    if (type !== 'http' && name === 'url') return t('secrets.url');
    if (type !== 'http' && name === 'key') return t('secrets.key');
    return t('secrets.named', { name });
  };
  const detail = ({ name, required, set, setAt, setBy }: Secret) => {
    if (set && setAt) return t('secrets.set', { at: exact(setAt), by: setBy ?? '' });
    if (name === 'url' && (type === 'dingtalk' || type === 'feishu' || type === 'wecom' || type === 'slack'))
      return t(`secrets.example.${type}`);
    return t(required ? 'secrets.required' : 'secrets.optional');
  };
  // What the channel cannot do without comes first.
  const ordered = [...secrets.known].sort((a, b) => Number(b.required) - Number(a.required));
  return ordered.map((secret) => (
    <PasswordInput
      key={secret.name}
      label={label(secret.name)}
      description={detail(secret)}
      withAsterisk={secret.required}
      autoComplete="new-password"
      spellCheck={false}
      placeholder={secret.set ? '••••••••' : undefined}
      value={secrets.typed[secret.name] ?? ''}
      error={secrets.faultOf(secret.name)}
      onChange={(event) => {
        secrets.set(secret.name, event.currentTarget.value);
      }}
    />
  ));
}
