import { useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { chainTrail, criticalPath, type TaskGraph } from '@/graph';
import type { RunStore } from '@/live';
import { FINAL } from '@/ui';
import type { StageStore } from './stage';
import { ToolButton } from './ToolButton';

const SIGN = 'M4 2.5v2c0 3 8 4 8 7v2M4 13.5v-2M12 2.5v2';

/** Lights the chain of tasks that decided how long an ended batch took. */
export function Critical({ graph, runs, stage }: { graph: TaskGraph; runs: RunStore; stage: StageStore }) {
  const { t } = useTranslation('scene');
  const on = useStore(stage, (s) => s.pinned !== undefined);
  const ended = useSyncExternalStore(runs.subscribe, () => FINAL.has(runs.getBatch()?.state ?? 'none'));
  const show = (wanted: boolean) => {
    const chain = wanted ? criticalPath(graph, (key) => runs.getRun(runs.numberOf(key) ?? -1)) : [];
    stage.setState({ pinned: chain.length > 0 ? chainTrail(chain) : undefined });
  };
  // A batch that runs again, or another graph, has another chain.
  useEffect(
    () => () => {
      stage.setState({ pinned: undefined });
    },
    [stage, graph, ended],
  );
  return (
    <ToolButton
      label={t('critical')}
      hint={ended ? t('criticalHint') : t('criticalLater')}
      sign={SIGN}
      off={!ended}
      on={on}
      act={() => {
        show(!on);
      }}
    />
  );
}
