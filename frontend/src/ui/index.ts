export { BannerStack } from './BannerStack';
export { Command } from './Command';
export { useEdgeFades } from './useEdgeFades';
export { copyText, useCopy } from './copy';
export { CountsBar, doneCount, segments, totalCount } from './CountsBar';
export { Dialog } from './Dialog';
export { BeforeList, DocumentRow, ViewLinks } from './Documents';
export { ErrorNote } from './ErrorNote';
export { Glyph, StateChip } from './Glyph';
export { GLYPHS } from './glyphs';
export { NeedsServer, useCommandGuard } from './NeedsServer';
export { Empty, Page, PageHeader, useDocumentTitle } from './Page';
export { RunHistory } from './RunHistory';
export { RowMenu } from './RowMenu';
export { doneShards, ShardStrip } from './ShardStrip';
export { LoadMore, Row, Skeleton, SortTh, Table, VirtualRows } from './Table';
export { Ago, Elapsed, TimeUntil } from './TimeUntil';
export { toast, Toasts } from './Toasts';
export { readDuration, writeDuration } from './duration';
export { size } from './size';
export { focusFirstFault, useFocusFallback } from './focusFallback';
export { hasOnlyCtrl, isMac, isOverPage, isPageKey, keyName, setSingleKeys, singleKeysOn, takesText } from './keys';
export { lazyPreload } from './lazyPreload';
export { RemoveDialog } from './RemoveDialog';
export { Slow, TookUsually } from './TookUsually';
export { isSlow, type UsualRun } from './usual';
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
  took,
  useSpan,
  useTook,
  wallTimeAt,
  weekday,
} from './time';
export { Moment } from './Moment';
export { useExact, useShownZone } from './shownZone';
export { ScheduleZone, ViewZone } from './ViewZone';
export { ZoneMenu } from './ZoneMenu';
export { JobTitles, TaskTitles, useJobName, useTaskName, useTaskNames } from './titles';
