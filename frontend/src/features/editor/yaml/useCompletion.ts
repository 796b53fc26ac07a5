import type { CompletionSource } from '@codemirror/autocomplete';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { calendarsQuery } from '@/api/queries';
import { limitsQuery } from '@/api/limits';
import { connectionsQuery, secretsQuery } from '@/api/secrets';
import { useEditor } from '../context';
import { secretNames } from '../inspector/fields/completion';
import { zones } from '../settings/zones';
import { useFieldTexts } from '../shell/fieldTexts';
import type { CompletionSources } from './completion';

/** The source of completions of the YAML view. The schema is loaded with the first of them. */
export function useCompletion(): CompletionSource {
  const { t, i18n } = useTranslation('views');
  const { store, handlers } = useEditor();
  const { label } = useFieldTexts();
  const { data: calendars } = useQuery({ ...calendarsQuery, retry: false });
  const { data: connections } = useQuery({ ...connectionsQuery, retry: false });
  const { data: limits } = useQuery({ ...limitsQuery, retry: false });
  const { data: secrets } = useQuery({ ...secretsQuery, retry: false });
  const sources = {
    known: () => ({
      doc: store.getState().doc,
      handlers,
      calendars: (calendars?.items ?? []).map(({ name }) => name),
      connections: (connections?.items ?? []).map(({ name }) => name),
      pools: (limits ?? []).filter(({ kind }) => kind === 'pool').map(({ name }) => name),
      zones: zones(),
      labelOf: label,
    }),
    secrets: () => secretNames(secrets ?? []),
    texts: { required: t('complete.required'), default: t('complete.default'), example: t('complete.example') },
    language: i18n.language,
  };
  const latest = useRef(sources);
  useEffect(() => {
    latest.current = sources;
  });
  return useMemo(
    () => async (context) => {
      const [{ complete }, descriptions] = await Promise.all([
        import('./completion'),
        latest.current.language === 'zh' ? import('./descriptions.zh.json') : undefined,
      ]);
      const now: CompletionSources = { ...latest.current, descriptions: descriptions?.default };
      return context.aborted ? null : complete(context, now);
    },
    [],
  );
}
