export { Drafts } from './Drafts';
export { useNewSchedule } from './useNewSchedule';
