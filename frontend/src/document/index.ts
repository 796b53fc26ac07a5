export { check } from './check';
export { type Clip, copyJobs, copyTasks, type LostNeed, lostNeeds, paste, pasteBelowNeeds, readClip } from './clip';
export { diff, type Diff, type FieldChange, type ItemChange, type TaskChange } from './diff';
export {
  type DocFault,
  faultKind,
  type FaultKind,
  faultText,
  isKey,
  isName,
  isParam,
  joinFaults,
  MAX,
  worseKind,
} from './faults';
export { parseDuration } from './fields';
export {
  addJob,
  addTask,
  addTaskAfter,
  duplicateJob,
  editHead,
  editJob,
  editParams,
  editTasks,
  freeKey,
  removeJob,
  removeTasks,
  renameJob,
  renameParam,
  renameTask,
  replaceAll,
  setDisabled,
  setJobDisabled,
  type TaskFields,
} from './commands';
export {
  acceptOffer,
  connect,
  disconnect,
  disconnectAll,
  moveTargetLater,
  type Note,
  noteOf,
  noteText,
  offerText,
  redundantNeedsOf,
  type Refusal,
  refusalText,
  refusalOf,
  removeRedundant,
} from './dependencies';
export { DEFAULT_FIELDS, type Defaults, withDefaults } from '@/api/defaults';
export { duplicateTasks, moveJob, moveTasks, moveTasksToNewJob } from './lanes';
export { type Match, type TextQuery, withReplaced } from './matches';
export { type Conflict, repairKeys, merge, type Merged } from './merge';
export { applyOps, jobOf, jobOfTask, type Op, ordered, positionsOf, tasksOf, taskOf } from './ops';
export { resolve } from './resolve';
export { type Command, labelText, type DocumentState, type DocumentStore, type Label, newDocumentStore } from './store';
export { type DocText, keyFaults, type Replacement, replaceTexts, type TextKind, textsOf } from './texts';
export * from './types';
