export { TableView } from './TableView';
