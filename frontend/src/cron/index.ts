export { readCron } from './read';
export { describeTrigger } from './describe';
export {
  type CronForm,
  type CronTime,
  type Cycle,
  CYCLES,
  defaultForm,
  formOf,
  groupTriggers,
  isComplete,
  LAST_DAY,
  steps,
  type TriggerGroup,
  withCycle,
  withStep,
  writeCrons,
} from './form';
