export { useRepair } from './useRepair';
export { useWish } from './useWish';
