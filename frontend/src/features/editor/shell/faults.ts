import { check, type Doc, type DocFault, joinFaults } from '@/document';
import type { OfferedHandler } from '../context';
import type { ServerVerdict } from './useVerdict';

/** What is wrong with a document: what is seen here at once, and what the server found in it a moment ago. */
export function judgedFaults(doc: Doc, handlers: readonly OfferedHandler[], verdict?: ServerVerdict): DocFault[] {
  const here = check(doc, handlers);
  return verdict ? joinFaults(here, verdict.faults, verdict.doc, doc) : here;
}
