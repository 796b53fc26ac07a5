export { byNumber, invalidEdges, toGraph } from './graph';
export { chainTrail, criticalPath, failureEdges, type Trail, trailOf } from './paths';
export { redundantNeeds, wouldBeRedundant } from './redundancy';
export * from './types';
