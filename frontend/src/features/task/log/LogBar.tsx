import { ActionIcon, Tooltip } from '@mantine/core';
import { type KeyboardEvent, memo, type ReactNode, type Ref, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from './icons';
import styles from './LogBar.module.css';
import { type Times, useLogPrefs } from './prefs';
import type { SearchState } from './useLog';

const NEXT_TIMES: Record<Times, Times> = { clock: 'since', since: 'none', none: 'clock' };

/** Whether a log is so narrow that it shows times only once they are chosen. Styles of a row have the same width. */
const isNarrow = (bar: HTMLElement | null) => (bar?.offsetWidth ?? 0) <= 520;

interface Props {
  field: Ref<HTMLInputElement>;
  searchState: SearchState;
  onSearch: (text: string, backwards: boolean) => void;
  onClear: () => void;
  onStart: () => void;
  onEnd: () => void;
  onError?: () => void;
  /** Address of the whole log. */
  file: string;
}

/** The tools of a log: search, jumps, display options, and the file. */
export const LogBar = memo(function LogBar({
  field,
  searchState,
  onSearch,
  onClear,
  onStart,
  onEnd,
  onError,
  file,
}: Props) {
  const { t } = useTranslation('log');
  const [prefs, change] = useLogPrefs();
  const bar = useRef<HTMLDivElement>(null);
  return (
    <div ref={bar} className={styles.bar} role="toolbar" aria-label={t('tools')}>
      <Search field={field} searchState={searchState} onSearch={onSearch} onClear={onClear} />
      {onError && (
        <Tool label={t('toError')} onClick={onError}>
          <span className={styles.error}>
            <Icon name="error" />
          </span>
        </Tool>
      )}
      <Tool label={t('toStart')} onClick={onStart}>
        <Icon name="top" />
      </Tool>
      <Tool label={t('toEnd')} onClick={onEnd}>
        <Icon name="bottom" />
      </Tool>
      <Tool
        label={t('wrap')}
        pressed={prefs.wrap}
        onClick={() => {
          change({ wrap: !prefs.wrap });
        }}
      >
        <Icon name="wrap" />
      </Tool>
      <Tool
        label={t(`times.${prefs.times}`)}
        onClick={() => {
          const shows = prefs.chosen || prefs.times === 'none' || !isNarrow(bar.current);
          change({ times: shows ? NEXT_TIMES[prefs.times] : prefs.times, chosen: true });
        }}
      >
        <Icon name="clock" />
      </Tool>
      <Tooltip label={t('download')}>
        <ActionIcon
          component="a"
          href={file}
          download
          variant="subtle"
          color="gray"
          size={28}
          aria-label={t('download')}
          className={styles.tool}
        >
          <Icon name="download" />
        </ActionIcon>
      </Tooltip>
    </div>
  );
});

function Search({
  field,
  searchState,
  onSearch,
  onClear,
}: Pick<Props, 'field' | 'searchState' | 'onSearch' | 'onClear'>) {
  const { t } = useTranslation('log');
  const [text, setText] = useState('');
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === 'Enter' && text !== '') {
      e.preventDefault();
      onSearch(text, e.shiftKey);
    }
    if (e.key === 'Escape' && (text !== '' || searchState.status !== 'idle')) {
      e.stopPropagation();
      setText('');
      onClear();
    }
  };
  return (
    <div className={styles.search}>
      <input
        ref={field}
        type="search"
        value={text}
        placeholder={t('search')}
        aria-label={t('searchLabel')}
        onChange={(e) => {
          setText(e.target.value);
          if (e.target.value === '') onClear();
        }}
        onKeyDown={onKeyDown}
      />
      <span className={styles.result} role="status">
        {resultText(searchState, t)}
      </span>
      {text !== '' && (
        <>
          <Tool
            label={t('previous')}
            onClick={() => {
              onSearch(text, true);
            }}
          >
            <Icon name="up" />
          </Tool>
          <Tool
            label={t('next')}
            onClick={() => {
              onSearch(text, false);
            }}
          >
            <Icon name="down" />
          </Tool>
        </>
      )}
    </div>
  );
}

function resultText(
  { status, progress, wrapped }: SearchState,
  t: ReturnType<typeof useTranslation<'log'>>['t'],
): string {
  if (status === 'busy') return progress > 0 ? t('searching', { percent: Math.round(progress * 100) }) : '';
  if (status === 'none') return t('nothing');
  if (status === 'failed') return t('searchFailed');
  return wrapped ? t('around') : '';
}

function Tool({
  label,
  pressed,
  onClick,
  children,
}: {
  label: string;
  pressed?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        aria-label={label}
        aria-pressed={pressed}
        className={styles.tool}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
