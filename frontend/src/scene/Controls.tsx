import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskGraph } from '@/graph';
import styles from './Controls.module.css';
import { ToolButton } from './ToolButton';

const Find = lazy(() => import('./Find').then(({ Find: found }) => ({ default: found })));

interface Props {
  graph: TaskGraph;
  onFit: () => void;
  onZoom: (factor: number) => void;
  onFind: (key: string) => void;
  /** Whether redundant dependencies are drawn; undefined if there are none. */
  redundant?: boolean;
  onRedundant: (on: boolean) => void;
  /** More buttons of the page. */
  tools?: ReactNode;
}

const ICONS = {
  plus: 'M8 3.5v9M3.5 8h9',
  minus: 'M3.5 8h9',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  find: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  redundant: 'M4 2.5v11M12 2.5c0 5-8 6-8 11',
} as const;

/** The toolbar over the graph. */
export function Controls({ graph, onFit, onZoom, onFind, redundant, onRedundant, tools }: Props) {
  const { t } = useTranslation('scene');
  const [finding, setFinding] = useState(false);
  useEffect(() => {
    const find = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
      event.preventDefault();
      setFinding(true);
    };
    window.addEventListener('keydown', find);
    return () => {
      window.removeEventListener('keydown', find);
    };
  }, []);
  return (
    <div className={styles.controls} role="toolbar" aria-label={t('controls')}>
      {finding ? (
        <Suspense>
          <Find
            graph={graph}
            onFind={onFind}
            onClose={() => {
              setFinding(false);
            }}
          />
        </Suspense>
      ) : (
        <ToolButton
          label={t('find')}
          icon={ICONS.find}
          act={() => {
            setFinding(true);
          }}
        />
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

/** Whether an element receives typed text. */
function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}
