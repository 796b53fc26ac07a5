import { later } from '@/ui';

export { apiSource, type LogPart, type LogPlace, type LogQuestion, type LogSource } from './log/source';
export { RunActions } from './RunActions';
export type { TaskDrawerProps, TaskSearch } from './TaskDrawer';

/** The drawer about one task of a batch. Its code comes after the page's. */
export const TaskDrawer = later(async () => (await import('./TaskDrawer')).TaskDrawer);
