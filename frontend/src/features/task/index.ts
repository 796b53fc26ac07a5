import { lazyPreload } from '@/ui';

export { RunActions } from './RunActions';
export type { TaskSearch } from './search';

/** The drawer about one task of a batch. Its code comes after the page's. */
export const TaskDrawer = lazyPreload(async () => (await import('./TaskDrawer')).TaskDrawer);
