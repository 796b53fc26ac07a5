export { ruleTextKey, STATE_OF_DECISION } from './ticks';
