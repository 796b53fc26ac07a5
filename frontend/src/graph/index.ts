export {
  byNumber,
  type GraphJob,
  type GraphTask,
  invalidEdges,
  type NumberedGraph,
  type TaskGraph,
  toGraph,
} from './graph';
export { countsByJob, type JobBundle, jobBundles, skippedBundles } from './jobs';
export { chainTrail, criticalPath, failureEdges, type Trail, trailOf } from './paths';
export { edgeKey, redundantNeeds, wouldBeRedundant } from './redundancy';
