export { Canvas } from './Canvas';
