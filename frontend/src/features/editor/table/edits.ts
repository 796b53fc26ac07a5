import type { Task } from '@/document';

/** The columns whose cells can be written in. */
export const WRITABLE = ['task', 'group', 'timeout', 'retry', 'priority'] as const;
export type Writable = (typeof WRITABLE)[number];

export const isWritable = (column: string): column is Writable => (WRITABLE as readonly string[]).includes(column);

/** What a cell holds as text. */
export function cellText(task: Task, column: Writable): string {
  switch (column) {
    case 'task':
      return task.title ?? '';
    case 'group':
      return task.group ?? '';
    case 'timeout':
      return task.timeout ?? '';
    case 'retry':
      return task.retry?.max === undefined ? '' : String(task.retry.max);
    case 'priority':
      return task.priority === undefined ? '' : String(task.priority);
  }
}

/** The fields that a text in a cell means. Undefined: it means nothing there. An empty one takes the field away. */
export function cellFields(task: Task, column: Writable, text: string): Partial<Omit<Task, 'key'>> | undefined {
  const value = text.trim();
  switch (column) {
    case 'task':
      return { title: value || undefined };
    case 'group':
      return { group: value || undefined };
    case 'timeout':
      return { timeout: value || undefined }; // a wrong one is told as a fault, not lost
    case 'retry': {
      const max = count(value);
      if (max === null) return undefined;
      const retry = { ...task.retry };
      if (max === undefined) delete retry.max;
      else retry.max = max;
      return { retry: Object.keys(retry).length > 0 ? retry : undefined };
    }
    case 'priority': {
      const priority = count(value);
      return priority === null ? undefined : { priority };
    }
  }
}

/** A whole number of a text; undefined for none, null for nonsense. */
function count(text: string): number | undefined | null {
  if (text === '') return undefined;
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}
