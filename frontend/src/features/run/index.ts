export { useRun } from './useRun';
