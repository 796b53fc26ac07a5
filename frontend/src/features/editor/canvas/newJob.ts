import { laneMark } from '@/scene';
import type { CanvasContextValue } from './canvasStore';

/** Adds a job before the one at an index, or at the end, and opens the field for its name. */
export function addJobAndName({ edit, canvas }: Pick<CanvasContextValue, 'edit' | 'canvas'>, index: number): void {
  const job = edit.addJob(index)?.job;
  if (job !== undefined) canvas.setState({ renaming: laneMark(job) });
}
