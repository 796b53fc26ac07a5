export { check } from './check';
export { copyJobs, copyTasks, paste, readClip } from './clip';
export { diff, type Diff, type FieldChange, type ItemChange, type TaskChange } from './diff';
export { parseDuration } from './duration';
export { type DocFault, isKey, isName, isParam, MAX } from './faults';
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
  renameTask,
  replaceAll,
  setDisabled,
} from './commands';
export { duplicateTasks, moveJob, moveTargetLater, moveTasks, moveTasksToNewJob } from './lanes';
export { applyOps, jobOf, jobOfTask, type Op, ordered, placesOf, tasksOf, taskOf } from './ops';
export { joinFaults } from './join';
export { renameParam } from './params';
export { type Conflict, mended, merge, type Merged } from './merge';
export { type Note, note, redundantNeedsOf, type Refusal, refuse } from './refuse';
export { resolve } from './resolve';
export { type Command, type DocumentState, type DocumentStore, type Label, newDocumentStore } from './store';
export * from './types';
export { accept, connect, disconnect, disconnectAll, removeRedundant } from './connect';
export { didText, faultText, noteText, offerText, refusalText } from './words';
