export { Band } from './Band';
export { Open } from './Open';
export { useRenewNight } from './useNight';
