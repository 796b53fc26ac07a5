export { BannerStack } from './BannerStack';
export { Command } from './Command';
export { CountsBar, doneCount, segments, totalCount } from './CountsBar';
export { Dialog } from './Dialog';
export { ErrorNote } from './ErrorNote';
export { Glyph, StateChip } from './Glyph';
export { Empty, Page, PageHeader, useDocumentTitle } from './Page';
export { RunHistory } from './RunHistory';
export { RowMenu } from './RowMenu';
export { LoadMore, Row, Skeleton, SortTh, Table, VirtualRows } from './Table';
export { Ago, Elapsed, TimeUntil } from './TimeUntil';
export { toast, Toasts } from './Toasts';
export { readDuration, writeDuration } from './duration';
export { size } from './size';
export { focusFirstFault, useFocusFallback } from './focusFallback';
export { lazyPreload } from './lazyPreload';
export { serverNow, useClock, useNow, useOnceDecided } from './now';
export * from './states';
export {
  clock,
  exact,
  here,
  isElsewhere,
  momentAtWallTime,
  relative,
  span,
  useSpan,
  useTook,
  wallTimeAt,
  weekday,
} from './time';
export { JobTitles, TaskTitles, useJobName, useTaskName, useTaskNames } from './titles';
