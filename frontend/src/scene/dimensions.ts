/** The measures of the drawing, on the 4 px grid where eyes meet it. */
export const CARD = { width: 188, height: 46 } as const;
/** Between cards of a row: a channel in which edges pass. */
export const GAP = 16;
/** Between rows of a lane: here edges bend. */
export const ROW_GAP = 32;
/** Between lanes. */
export const LANE_GAP = 12;
/** Around all lanes, and left and right of the cards of a lane, where edges may pass too. */
export const INSETS = { wide: { margin: 12, side: 16 }, narrow: { margin: 8, side: 11 } } as const;
/** Above and below the cards of a lane. */
export const LANE_PAD = 22;
/** A lane's head, beside its cards: number, title and count. */
export const HEAD = 120;
/** The same above the cards, where the width is small. */
export const HEAD_ABOVE = 44;
/** Below this width the heads are above the cards. */
export const NARROW = 640;
/** A lane of a job without tasks: as high as its head with a title of two lines. */
export const EMPTY_LANE = 68;
/** Between edges in one channel, and between them and the cards. */
export const TRACK = 6;
/** So many edges widen a channel; more edges have smaller distances. */
export const TRACKS = 8;
/** Free room below the last lane, so that the controls over it cover no card. */
export const FOOT = 52;
