import { createContext, useContext } from 'react';

/** The drawer is a sheet over the view in windows narrower than this. */
const DRAWER = 900;
export const isCovered = (): boolean => window.innerWidth < DRAWER;

/** Where the drawer is a sheet, some views show it only when they are asked to: rows are marked without it. */
export interface SheetState {
  shown: boolean;
  show: () => void;
  /** Puts it away, and leaves what is selected; undefined where it goes with the selection. */
  hide?: () => void;
}

export const SheetContext = createContext<SheetState>({ shown: true, show: () => undefined });
export const useSheet = (): SheetState => useContext(SheetContext);
