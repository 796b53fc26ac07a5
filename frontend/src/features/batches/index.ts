export { BatchesPage } from './BatchesPage';
