export type { Size, View } from './camera';
export { CardFrame, isTooLong } from './CardFrame';
export { isField } from './Controls';
export { trace, svgPath } from './curve';
export { LaneTitle } from './LaneTitle';
export { type Inside, useInside } from './inside';
export { layout } from './layout';
export { CARD } from './measures';
export { Scene } from './Scene';
export { SceneView, type SceneViewProps } from './SceneView';
export {
  cardId,
  jobOfMark,
  laneMark,
  type Look,
  newStage,
  type Stage,
  type StageStore,
  useStage,
  useSurroundings,
} from './stage';
export { ToolButton } from './ToolButton';
export type * from './types';
export { useSize } from './useSize';
export { hit, rowsOf, type Step, step, within } from './walk';
