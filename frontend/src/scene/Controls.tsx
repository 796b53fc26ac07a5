import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskGraph } from '@/graph';
import { isPageKey } from '@/ui';
import styles from './Controls.module.css';
import { ToolButton } from './ToolButton';
import { collectTyped } from './typeAhead';

const Find = lazy(() => import('./Find').then(({ Find: found }) => ({ default: found })));

interface Props {
  graph: TaskGraph;
  onFit: () => void;
  onZoom: (factor: number) => void;
  onFind: (key: string) => void;
  /** Shows a task while the user types; undefined if nothing matches, and when the field is closed. */
  onHit: (key: string | undefined) => void;
  /** Whether redundant dependencies are drawn; undefined if there are none. */
  redundant?: boolean;
  onRedundant: (on: boolean) => void;
  /** More buttons of the page. */
  tools?: ReactNode;
  /** The buttons for the levels. */
  levels?: ReactNode;
}

const ICONS = {
  plus: 'M8 3.5v9M3.5 8h9',
  minus: 'M3.5 8h9',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  find: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  redundant: 'M4 2.5v11M12 2.5c0 5-8 6-8 11',
} as const;

/** The toolbar over the graph. */
export function Controls({ graph, onFit, onZoom, onFind, onHit, redundant, onRedundant, tools, levels }: Props) {
  const { t } = useTranslation('scene');
  const { finding, open, onClose, ...field } = useFinding();
  return (
    <div className={styles.controls} role="toolbar" aria-label={t('controls')}>
      {finding ? (
        <Suspense>
          <Find
            graph={graph}
            onFind={onFind}
            onHit={onHit}
            onClose={() => {
              onHit(undefined);
              onClose();
            }}
            {...field}
          />
        </Suspense>
      ) : (
        <ToolButton label={t('find')} icon={ICONS.find} act={open} />
      )}
      {tools}
      {redundant !== undefined && (
        <ToolButton
          label={t('redundant')}
          hint={t('redundantHint')}
          icon={ICONS.redundant}
          on={redundant}
          act={() => {
            onRedundant(!redundant);
          }}
        />
      )}
      <i className={styles.line} />
      {levels}
      <ToolButton
        label={t('zoomOut')}
        icon={ICONS.minus}
        act={() => {
          onZoom(0.8);
        }}
      />
      <ToolButton
        label={t('zoomIn')}
        icon={ICONS.plus}
        act={() => {
          onZoom(1.25);
        }}
      />
      <ToolButton label={t('fit')} icon={ICONS.fit} act={onFit} />
    </div>
  );
}

/** Opens and closes the field that finds a task. What is typed before the field is there goes into it. */
function useFinding() {
  const [finding, setFinding] = useState(false);
  const take = useRef<() => string>(undefined);
  const open = useCallback(() => {
    take.current ??= collectTyped();
    setFinding(true);
  }, []);
  const [text, onText] = useState('');
  const onReady = useCallback(() => {
    onText(take.current?.() ?? '');
    take.current = undefined;
  }, []);
  const onClose = useCallback(() => {
    setFinding(false);
  }, []);
  useEffect(() => {
    const find = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isPageKey(event)) return;
      event.preventDefault();
      open();
    };
    window.addEventListener('keydown', find);
    return () => {
      window.removeEventListener('keydown', find);
      take.current?.();
    };
  }, [open]);
  return { finding, open, text, onText, onReady, onClose };
}
