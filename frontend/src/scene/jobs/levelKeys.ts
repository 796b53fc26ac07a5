import type { KeyboardEvent } from 'react';
import { jobOfMark, laneMark, type SceneStore } from '../sceneStore';
import type { Level } from './useLevel';

interface Parts {
  sceneStore: SceneStore;
  goTo: (key: string | undefined) => void;
  /** Key of the selected task. */
  selected?: string;
}

/**
 * Handles the keys of the level of jobs before all others: Enter on a bar opens or folds its job, and Escape folds the
 * open job once nothing is selected. Returns whether the key was handled.
 */
export function handleLevelKey(event: KeyboardEvent, level: Level, { sceneStore, goTo, selected }: Parts): boolean {
  if (!level.jobs || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
  const { active, selected: chosen } = sceneStore.getState();
  const job = jobOfMark(active);
  if (event.key === 'Enter' && job !== undefined) {
    level.toggle(job);
    return true;
  }
  if (event.key !== 'Escape' || level.open === undefined) return false;
  if (selected !== undefined || chosen.size > 0) return false;
  const { open } = level;
  level.fold();
  goTo(laneMark(open));
  return true;
}
