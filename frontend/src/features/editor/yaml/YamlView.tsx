import { Button, FileButton, Loader } from '@mantine/core';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { api, data } from '@/api/client';
import { ErrorNote, toast } from '@/ui';
import { useEditor } from '../context';
import { LIMIT, lineOf, type TextFault, type TextPorts, TextSync } from './sync';
import type { TextHandle } from './TextEditor';
import styles from './YamlView.module.css';

const TextEditor = lazy(() => import('./TextEditor'));

/** The document as YAML, to read and to write. */
export function YamlView() {
  const { name, store, search } = useEditor();
  const { t } = useTranslation('views');
  const sync = useMemo(() => new TextSync(store, ports(name)), [store, name]);
  useEffect(() => {
    sync.open();
    return () => {
      sync.close();
    };
  }, [sync]);
  const { text, status, stale, faults, problem } = useStore(sync.state);
  const editor = useRef<TextHandle>(null);
  const shown = useMemo(() => faults.map((fault) => ({ ...fault, text: words(fault, t) })), [faults, t]);
  const [sought, setSought] = useState<string>();
  const wanted = search.task ?? search.job;
  useEffect(() => {
    if (status === 'loading' || wanted === undefined || wanted === sought) return;
    const line = lineOf(text, wanted);
    const frame = requestAnimationFrame(() => {
      setSought(wanted);
      if (line !== undefined) editor.current?.goTo(line, false);
    });
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [wanted, sought, text, status]);

  const open = async (file: File | null) => {
    if (!file) return;
    const content = file.size > LIMIT ? undefined : await file.text();
    if (content === undefined) toast(t('yaml.tooLarge', { limit: LIMIT >> 20 }), { error: true });
    else if (content.includes('\0')) toast(t('yaml.notText'), { error: true });
    else sync.typed(content.replace(/\r\n?/g, '\n'));
  };
  return (
    <div className={styles.view}>
      <div className={styles.tools}>
        <span role="status" className={styles.status} data-status={status}>
          {status === 'loading' || status === 'reading' ? <Loader size={12} color="gray" /> : null}
          {t(
            status === 'loading'
              ? 'yaml.loading'
              : status === 'reading'
                ? 'yaml.reading'
                : status === 'taken'
                  ? 'yaml.taken'
                  : 'yaml.kept',
          )}
        </span>
        {stale && (
          <Button size="compact-sm" onClick={() => void sync.take()}>
            {t('yaml.take')}
          </Button>
        )}
        {(status === 'kept' || stale) && (
          <Button size="compact-sm" onClick={() => void sync.backToDraft()}>
            {t('yaml.discard')}
          </Button>
        )}
        <span className={styles.space} />
        {status === 'taken' && (
          <Button size="compact-sm" variant="subtle" onClick={() => void sync.backToDraft()}>
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
            void navigator.clipboard.writeText(text).then(() => {
              toast(t('yaml.copied'));
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
      {stale && <p className={styles.note}>{t('yaml.stale')}</p>}
      {problem !== undefined && (
        <div className={styles.note}>
          <ErrorNote error={problem} retry={() => void (status === 'loading' ? sync.backToDraft() : sync.take())} />
        </div>
      )}
      <div className={styles.place}>
        <Suspense fallback={null}>
          {status !== 'loading' && (
            <TextEditor
              ref={editor}
              text={text}
              label={`${t('yaml.label')}. ${t('yaml.leave')}`}
              faults={shown}
              onTyped={(typed) => {
                sync.typed(typed);
              }}
            />
          )}
        </Suspense>
      </div>
      <section className={styles.faults} aria-label={t('yaml.faults')}>
        {shown.length === 0 ? (
          <p className="hg-quiet">{status === 'taken' && t('yaml.noFaults')}</p>
        ) : (
          <ul>
            {shown.map((fault, n) => (
              <li key={n} data-warning={fault.warning || undefined}>
                {fault.line !== undefined && (
                  <button
                    type="button"
                    onClick={() => {
                      editor.current?.goTo(fault.line ?? 1, true);
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
    </div>
  );
}

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
    keep: {
      read: () => localStorage.getItem(key),
      write: (text) => {
        try {
          localStorage.setItem(key, text);
        } catch {
          // Full: the text is still on the page, and leaves it only by being taken over or given up.
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

function words(fault: TextFault, t: T): string {
  if (fault.words === 'tooLarge') return t('yaml.tooLarge', { limit: LIMIT >> 20 });
  if (fault.words) return t(`yaml.${fault.words}`, { key: fault.key });
  return [fault.message, fault.remedy].filter(Boolean).join(': ');
}

function download(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = file;
  link.click();
  URL.revokeObjectURL(url);
}
