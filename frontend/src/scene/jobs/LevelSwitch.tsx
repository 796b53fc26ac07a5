import { useStore } from '@xyflow/react';
import { useTranslation } from 'react-i18next';
import { FAR } from '../camera';
import type { Camera } from '../useCamera';
import styles from './LevelSwitch.module.css';
import { CHOSEN_ZOOMS, type Level } from './useLevel';

type Name = 'cards' | 'tiles' | 'jobs';

/** The buttons for the levels, in the toolbar over the graph. */
export function LevelSwitch({ level, camera }: { level: Level; camera: Camera }) {
  const { t } = useTranslation('zoom');
  const far = useStore((s) => s.transform[2] < FAR);
  const zoom = useStore((s) => s.transform[2]);
  const { jobs, zooms, toJobs, toTasks, layout } = level;
  if (zooms.jobs === 0 || !layout) return null;
  const shown: Name = jobs ? 'jobs' : far ? 'tiles' : 'cards';
  const names: readonly Name[] = zooms.all < FAR ? ['cards', 'tiles', 'jobs'] : ['cards', 'jobs'];
  const go = (name: Name) => {
    if (name === shown) return;
    if (name === 'jobs') {
      toJobs();
      return;
    }
    const wanted = Math.max(zooms.all, zooms.jobs * 1.05, CHOSEN_ZOOMS[name]);
    if (jobs) toTasks(wanted);
    else camera.zoomBy(wanted / zoom);
  };
  return (
    <div className={styles.levels} role="group" aria-label={t('levels')}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === shown}
          onClick={() => {
            go(name);
          }}
        >
          {t(name)}
        </button>
      ))}
    </div>
  );
}
