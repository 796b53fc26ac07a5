export { hasHooks, Hooks, taskHasHooks } from './Hooks';
