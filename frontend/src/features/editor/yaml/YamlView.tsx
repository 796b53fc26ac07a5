import { Button, FileButton, Loader } from '@mantine/core';
import { lazy, type RefObject, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { api, data } from '@/api/client';
import { faultText } from '@/api/problem';
import { ErrorNote, toast, useCopy } from '@/ui';
import { useEditor } from '../context';
import { LIMIT, lineOf, type TextFault, type TextPorts, type TextState, TextSync } from './sync';
import type { TextHandle } from './TextEditor';
import { useCompletion } from './useCompletion';
import styles from './YamlView.module.css';

const TextEditor = lazy(() => import('./TextEditor'));

/** The document as YAML, editable. */
export function YamlView() {
  const { name, store, textSearch: searchRef } = useEditor();
  const { t } = useTranslation('views');
  const { t: tProblems } = useTranslation('problems');
  const completion = useCompletion();
  const phrases = useMemo(() => searchPhrases(t), [t]);
  const sync = useMemo(() => new TextSync(store, ports(name)), [store, name]);
  useEffect(() => {
    sync.open();
    return () => {
      sync.close();
    };
  }, [sync]);
  const { text, status, stale, faults, problem } = useStore(sync.state);
  const editor = useRef<TextHandle>(null);
  const shown = useMemo(
    () => faults.map((fault) => ({ ...fault, text: textOf(fault, t, tProblems) })),
    [faults, t, tProblems],
  );
  useAddressedLine(editor, text, status);
  useEffect(() => {
    if (!searchRef) return undefined;
    searchRef.current = () => {
      editor.current?.search();
    };
    return () => {
      searchRef.current = undefined;
    };
  }, [searchRef]);
  return (
    <div className={styles.view}>
      <Toolbar sync={sync} />
      {stale && <p className={styles.note}>{t('yaml.stale')}</p>}
      {problem !== undefined && (
        <div className={styles.note}>
          <ErrorNote
            error={problem}
            retry={() => void (status === 'loading' ? sync.resetToDraft() : sync.adoptText())}
          />
        </div>
      )}
      <div className={styles.place}>
        <Suspense fallback={null}>
          {status !== 'loading' && (
            <TextEditor
              ref={editor}
              text={text}
              label={`${t('yaml.label')}. ${t('yaml.leave')}`}
              phrases={phrases}
              completion={completion}
              faults={shown}
              onTyped={(typed) => {
                sync.typed(typed);
              }}
            />
          )}
        </Suspense>
      </div>
      <FaultList
        faults={shown}
        readable={status === 'inSync'}
        onGo={(line) => {
          editor.current?.goTo(line, true);
        }}
      />
    </div>
  );
}

/** Scrolls to the task or job that the address names, once for each address. */
function useAddressedLine(editor: RefObject<TextHandle | null>, text: string, status: TextState['status']): void {
  const { search } = useEditor();
  const [reached, setReached] = useState<string>();
  const wanted = search.task ?? search.job;
  useEffect(() => {
    if (status === 'loading' || wanted === undefined || wanted === reached) return;
    const line = lineOf(text, wanted);
    const frame = requestAnimationFrame(() => {
      setReached(wanted);
      if (line !== undefined) editor.current?.goTo(line, false);
    });
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [editor, wanted, reached, text, status]);
}

const STATUS_KEYS = {
  loading: 'yaml.loading',
  reading: 'yaml.reading',
  inSync: 'yaml.taken',
  rejected: 'yaml.kept',
} as const;

/** Whether text and draft are in step, and the commands on the text. */
function Toolbar({ sync }: { sync: TextSync }) {
  const { t } = useTranslation('views');
  const copy = useCopy();
  const { name } = useEditor();
  const { text, status, stale } = useStore(sync.state);
  const open = async (file: File | null) => {
    if (!file) return;
    const content = file.size > LIMIT ? undefined : await file.text();
    if (content === undefined) toast(t('yaml.tooLarge', { limit: LIMIT >> 20 }), { error: true });
    else if (content.includes('\0')) toast(t('yaml.notText'), { error: true });
    else sync.typed(content.replace(/\r\n?/g, '\n'));
  };
  return (
    <div className={styles.tools}>
      <span role="status" className={styles.status} data-status={status}>
        {status === 'loading' || status === 'reading' ? <Loader size={12} color="gray" /> : null}
        {t(STATUS_KEYS[status])}
      </span>
      {stale && (
        <Button size="compact-sm" onClick={() => void sync.adoptText()}>
          {t('yaml.take')}
        </Button>
      )}
      {(status === 'rejected' || stale) && (
        <Button size="compact-sm" onClick={() => void sync.resetToDraft()}>
          {t('yaml.discard')}
        </Button>
      )}
      <span className={styles.space} />
      {status === 'inSync' && (
        <Button size="compact-sm" variant="subtle" onClick={() => void sync.resetToDraft()}>
          {t('yaml.format')}
        </Button>
      )}
      <FileButton
        onChange={(file) => void open(file)}
        accept=".yaml,.yml,.json,text/plain,application/yaml,application/json"
      >
        {(props) => (
          <Button {...props} size="compact-sm" variant="subtle">
            {t('yaml.open')}
          </Button>
        )}
      </FileButton>
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() =>
          void copy(text).then((done) => {
            if (done) toast(t('yaml.copied'));
          })
        }
      >
        {t('yaml.copy')}
      </Button>
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() => {
          download(`${name}.yaml`, text);
        }}
      >
        {t('yaml.download')}
      </Button>
    </div>
  );
}

interface FaultListProps {
  faults: readonly (TextFault & { text: string })[];
  /** The text could be read, so an empty list means that it has no faults. */
  readable: boolean;
  onGo: (line: number) => void;
}

/** The faults of the text, each with a link to its line. */
function FaultList({ faults, readable, onGo }: FaultListProps) {
  const { t } = useTranslation('views');
  return (
    <section className={styles.faults} aria-label={t('yaml.faults')}>
      {faults.length === 0 ? (
        <p className="hg-quiet">{readable && t('yaml.noFaults')}</p>
      ) : (
        <ul>
          {faults.map((fault, n) => (
            <li key={n} data-warning={fault.warning || undefined}>
              {fault.line !== undefined && (
                <button
                  type="button"
                  onClick={() => {
                    onGo(fault.line ?? 1);
                  }}
                >
                  {t('yaml.place', { line: fault.line })}
                </button>
              )}
              <span>{fault.text}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The calls, the storage and the clock of a TextSync. */
function ports(name: string): TextPorts {
  const key = `hivego.yaml.${name}`;
  return {
    convert: (body) =>
      data(
        'yaml' in body
          ? api.POST('/api/v1/documents', {
              body: body.yaml as never,
              headers: { 'Content-Type': 'application/yaml' },
              bodySerializer: (text) => text,
            })
          : api.POST('/api/v1/documents', { body: body.doc as never }),
      ),
    storage: {
      read: () => localStorage.getItem(key),
      write: (text) => {
        try {
          localStorage.setItem(key, text);
        } catch {
          // The storage is full: the text stays on the page until it is read or discarded.
        }
      },
      remove: () => {
        localStorage.removeItem(key);
      },
    },
    later: (wait, call) => {
      const timer = setTimeout(call, wait);
      return () => {
        clearTimeout(timer);
      };
    },
  };
}

type T = ReturnType<typeof useTranslation<'views'>>['t'];

/** The texts of CodeMirror in the language of the page. */
const searchPhrases = (t: T): Record<string, string> => ({
  Completions: t('complete.label'),
  Find: t('search.find'),
  Replace: t('search.with'),
  next: t('search.next'),
  previous: t('search.previous'),
  all: t('search.all'),
  'match case': t('search.matchCase'),
  regexp: t('search.regex'),
  'by word': t('search.wholeWord'),
  replace: t('search.replace'),
  'replace all': t('search.replaceAll'),
  close: t('search.close'),
  'current match': t('search.current'),
  'on line': t('search.onLine'),
  'replaced $ matches': t('search.replaced'),
  'replaced match on line $': t('search.replacedOn'),
  'Go to line': t('search.goToLine'),
  go: t('search.go'),
});

/** A fault in the language of the page. */
function textOf(fault: TextFault, t: T, tProblems: TFunction<'problems'>): string {
  if (fault.localCode === 'tooLarge') return t('yaml.tooLarge', { limit: LIMIT >> 20 });
  if (fault.localCode) return t(`yaml.${fault.localCode}`, { key: fault.key });
  return faultText({ code: '', path: '', message: '', ...fault }, tProblems);
}

/** Saves a text as a file. */
function download(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = file;
  link.click();
  URL.revokeObjectURL(url);
}
