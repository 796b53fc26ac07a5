export type { Draft, DraftActions } from './types';
export { useDraft } from './useDraft';
