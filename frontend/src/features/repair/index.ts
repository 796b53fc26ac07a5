import { lazyPreload } from '@/ui';

/** The task runs that a plan changes. It is loaded once it is shown. */
export const PlanRows = lazyPreload(async () => (await import('./PlanView')).PlanRows);
export { useRepair } from './useRepair';
export { useWish } from './useWish';
export type { Target } from './many';
export { useManyRepair } from './useManyRepair';
