import { Button, Checkbox, SegmentedControl, TextInput } from '@mantine/core';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DocText, keyFaults, replaceTexts, textsOf, withReplaced } from '@/document';
import { Dialog } from '@/ui';
import { applyAndTell } from '../applyAndTell';
import { useDoc, useEditor } from '../context';
import { type Hit, hitsOf, replacementsOf } from './hits';
import { HitList } from './HitList';
import { LIMIT, reasonOf, type SearchState, useSearch } from './useSearch';
import type { ReplaceInput } from './input';
import styles from './Replace.module.css';

const KINDS = ['all', 'names', 'titles', 'params'] as const;
const OPTIONS = ['matchCase', 'wholeWord', 'regex'] as const;

interface Props {
  opened: boolean;
  onClose: () => void;
  /** The input of the last time, and how the next one is kept. */
  first: ReplaceInput;
  onInput: (input: ReplaceInput) => void;
}

/** Finds a text in the whole schedule, and replaces the chosen hits in one step. */
export function ReplaceDialog({ opened, onClose, first, onInput }: Props) {
  const { t } = useTranslation(['replace', 'common']);
  const { store } = useEditor();
  const form = useId();
  const [input, setInput] = useState(first);
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const doc = useDoc((s) => s.doc);
  const texts = useMemo(
    () => textsOf(doc).filter(({ kind }) => input.kind === 'all' || kind === input.kind),
    [doc, input.kind],
  );
  const search = useSearch(
    useMemo(() => texts.map(({ text }) => text), [texts]),
    input.query,
    input.replacement,
  );
  const matches = search.status === 'found' ? search.matches : undefined;
  const hits = useMemo(() => hitsOf(texts, matches ?? []), [texts, matches]);
  const replacements = useMemo(() => replacementsOf(hits, leftOut), [hits, leftOut]);
  const faults = useMemo(() => keyFaults(doc, replacements), [doc, replacements]);
  const faultOf = ({ id, at }: Hit) => {
    const fault = leftOut.has(id) ? undefined : faults.get(at);
    return fault && t(`replace:${fault}`, { key: newKey(at, replacements) });
  };
  const count = hits.filter((hit) => !leftOut.has(hit.id) && !faults.has(hit.at)).length;
  const change = (part: Partial<ReplaceInput>) => {
    const next = { ...input, ...part };
    setInput(next);
    onInput(next);
    setLeftOut(new Set());
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { doc: now, selection } = store.getState();
    const command = replaceTexts(now, replacements, selection);
    if (count === 0 || !command) return;
    applyAndTell(store, command, { done: t('replace:done', { count }), undo: t('replace:undo') });
    onClose();
  };
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={t('replace:title')}
      focusInside
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={form} variant="filled" disabled={count === 0}>
            {t('replace:apply', { count })}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        <Fields input={input} onChange={change} search={search} />
      </form>
      <Result search={search} empty={input.query.text === ''} count={hits.length} />
      {hits.length > 0 && (
        <HitList hits={hits} leftOut={leftOut} onLeftOut={setLeftOut} faultOf={faultOf} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** The key that the chosen hits would give. */
function newKey(at: DocText, replacements: ReturnType<typeof replacementsOf>): string {
  const found = replacements.find((one) => one.at === at);
  return found ? withReplaced(at.text, found.matches) : at.text;
}

interface FieldsProps {
  input: ReplaceInput;
  onChange: (part: Partial<ReplaceInput>) => void;
  search: SearchState;
}

function Fields({ input, onChange, search }: FieldsProps) {
  const { t } = useTranslation('replace');
  const { query, replacement, kind } = input;
  return (
    <>
      <TextInput
        data-autofocus
        label={t('find')}
        value={query.text}
        spellCheck={false}
        error={useFault(search)}
        onChange={(event) => {
          onChange({ query: { ...query, text: event.currentTarget.value } });
        }}
      />
      <TextInput
        label={t('with')}
        description={t('withHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={replacement}
        spellCheck={false}
        onChange={(event) => {
          onChange({ replacement: event.currentTarget.value });
        }}
      />
      <div className={styles.options}>
        {OPTIONS.map((option) => (
          <Checkbox
            key={option}
            size="xs"
            label={t(option)}
            checked={query[option]}
            onChange={(event) => {
              onChange({ query: { ...query, [option]: event.currentTarget.checked } });
            }}
          />
        ))}
      </div>
      <SegmentedControl
        size="xs"
        className={styles.kinds}
        aria-label={t('where')}
        value={kind}
        onChange={(next) => {
          onChange({ kind: next as ReplaceInput['kind'] });
        }}
        data={KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
      />
    </>
  );
}

/** Why nothing can be searched. */
function useFault(search: SearchState): string | undefined {
  const { t } = useTranslation('replace');
  if (search.status === 'slow') return t('slow');
  if (search.status !== 'wrong') return undefined;
  const reason = reasonOf(search.error);
  return t('wrong', { why: 'key' in reason ? t(`why.${reason.key}`) : reason.message });
}

function Result({ search, empty, count }: { search: SearchState; empty: boolean; count: number }) {
  const { t } = useTranslation('replace');
  const text = () => {
    if (empty) return t('begin');
    if (search.status === 'searching') return t('searching');
    if (search.status !== 'found') return '';
    return count === 0 ? t('none') : t('hits', { count });
  };
  return (
    <div>
      <p role="status" className="hg-quiet">
        {text()}
      </p>
      {search.status === 'found' && search.more && <p className={styles.more}>{t('more', { limit: LIMIT })}</p>}
    </div>
  );
}
