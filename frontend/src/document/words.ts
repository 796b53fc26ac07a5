import type { TFunction } from 'i18next';
import { faultAndRemedy } from '@/api/problem';
import type { DocFault } from './faults';
import type { Note, Refusal } from './refuse';
import type { Label } from './store';

/** `t` of the namespace `document`. */
type T = TFunction<'document'>;

/** What a command did, as in “Undo: move load”. */
export const didText = (t: T, { did, params }: Label): string => t(`did.${did}`, params ?? {});

/** A refusal in words. */
export const refusalText = (t: T, { code, params }: Refusal): string => t(`refuse.${code}`, { ...params });
/** A note in words. */
export const noteText = (t: T, { code, params }: Note): string => t(`note.${code}`, { ...params });

/** What a refusal offers, as the text of a button; undefined if it offers nothing. */
export const offerText = (t: T, { offer, params }: Refusal): string | undefined =>
  offer && t(`offer.${offer}`, { ...params });

/** A fault in words. */
export interface FaultText {
  message: string;
  /** What to do about it. */
  remedy?: string;
}

/** A fault in the user's language, or in the server's sentences if it has no text here. */
export function faultText(t: T, fault: DocFault): FaultText {
  if (!fault.say) {
    const [message, remedy] = faultAndRemedy(t, fault);
    return message ? { message, remedy } : { message: fault.message ?? fault.code, remedy: fault.remedy };
  }
  return {
    message: t(`fault.${fault.say}`, fault.params ?? {}),
    remedy: t(`remedy.${fault.remedySay ?? fault.say}`, fault.params ?? {}),
  };
}
