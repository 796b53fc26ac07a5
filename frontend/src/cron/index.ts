export { readCron } from './read';
export { cronWords } from './words';
export { type Card, cardsOf } from './cards';
export { type CronForm, type CronTime, type Cycle, CYCLES, formOf, fresh, steps, writeCrons } from './form';
