export type { Draft, DraftActions, DraftState } from './types';
export { useDraft } from './useDraft';
