import type { Task } from '@/document';

/** The columns whose cells are editable. */
export const WRITABLE = ['task', 'group', 'timeout', 'retry', 'priority'] as const;
/** An editable column. */
export type Writable = (typeof WRITABLE)[number];

/** Whether the cells of a column are editable. */
export const isWritable = (column: string): column is Writable => (WRITABLE as readonly string[]).includes(column);

/** The text of a cell. */
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

/**
 * The fields of a task that the text of a cell sets; an empty text removes the field. Undefined for a text that is not
 * allowed.
 */
export function cellFields(task: Task, column: Writable, text: string): Partial<Omit<Task, 'key'>> | undefined {
  const value = text.trim();
  switch (column) {
    case 'task':
      return { title: value || undefined };
    case 'group':
      return { group: value || undefined };
    case 'timeout':
      return { timeout: value || undefined }; // a wrong one is kept, and shown as a fault
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

/** Reads a whole number; undefined for an empty text, null for any other text. */
function count(text: string): number | undefined | null {
  if (text === '') return undefined;
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}
