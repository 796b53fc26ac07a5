export { Inspector } from './Inspector';
