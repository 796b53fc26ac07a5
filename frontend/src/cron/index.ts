export { readCron } from './read';
export { cronWords } from './words';
export {
  type CronForm,
  type CronTime,
  type Cycle,
  CYCLES,
  defaultForm,
  formOf,
  groupTriggers,
  steps,
  type TriggerGroup,
  writeCrons,
} from './form';
