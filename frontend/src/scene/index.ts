export type { View } from './camera';
export { CardFrame, isTooLong } from './CardFrame';
export { svgPath, traceEdge } from './curve';
export { LaneTitle } from './LaneTitle';
export { type SceneApi, useSceneApi } from './sceneApi';
export { layoutGraph } from './layout';
export { CARD } from './dimensions';
export { Scene, useSize } from './Scene';
export { SceneView, type SceneViewProps } from './SceneView';
export {
  cardId,
  jobOfMark,
  laneMark,
  type SceneRenderer,
  newSceneStore,
  type SceneStore,
  useSceneState,
  useSceneContext,
} from './sceneStore';
export { useMeasureName } from './textWidth';
export { ToolButton } from './ToolButton';
export type * from './types';
export { rowsOf, type Step, cardAfterStep, boxesIn } from './walk';
