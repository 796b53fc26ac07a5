export { useTaking } from './useTaking';
