export { TicksPage } from './TicksPage';
