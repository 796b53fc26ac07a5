export { ExecutorsPage } from './ExecutorsPage';
