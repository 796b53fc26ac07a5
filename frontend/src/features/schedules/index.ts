export { SchedulesPage } from './SchedulesPage';
