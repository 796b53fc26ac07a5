import { lazyPreload } from '@/ui';

export { RunActions, RunMenu } from './Actions';
export type { TaskSearch } from './search';

/** The drawer with the details of one task of a batch. Its code is loaded after the page. */
export const TaskDrawer = lazyPreload(async () => (await import('./TaskDrawer')).TaskDrawer);

/** How a task failed in a batch, in few words. */
export const TaskFailure = lazyPreload(async () => (await import('./TaskFailure')).TaskFailure);
