import { lazyPreload } from '@/ui';

export { ArchivedNote } from './ArchivedNote';
export { useArchive } from './useArchive';

/** The archived schedules, with buttons that unarchive them. */
export const ArchivedSchedules = lazyPreload(async () => (await import('./ArchivedSchedules')).ArchivedSchedules);
