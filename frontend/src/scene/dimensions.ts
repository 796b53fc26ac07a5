// The lengths of a drawing, in scene pixels.

/** The size of a card; its width if nothing is known about its lane. */
export const CARD = { width: 188, height: 46 } as const;
/** The widths of cards. All cards of a lane have the same one, by the longest name in the lane. */
export const CARD_WIDTHS = [188, 220, 252, 280] as const;
/** Between cards of a row: the channel for edges. */
export const GAP = 16;
/** Between rows of a lane. Edges bend here. */
export const ROW_GAP = 32;
/** Between lanes. */
export const LANE_GAP = 12;
/** `margin` is around all lanes; `side` is left and right of the cards of a lane, where edges may pass too. */
export const INSETS = { wide: { margin: 12, side: 16 }, narrow: { margin: 8, side: 11 } } as const;
/** Above and below the cards of a lane. */
export const LANE_PAD = 22;
/** A lane's head, beside its cards: number, title and count. */
export const HEAD = 120;
/** A lane's head above its cards, in a narrow drawing. */
export const HEAD_ABOVE = 44;
/** A drawing below this width is narrow: heads are above the cards. */
export const NARROW = 640;
/** The height of a lane without tasks: its head with a title of two lines. */
export const EMPTY_LANE = 68;
/** Between edges in one channel, and between them and the cards. */
export const TRACK = 6;
/** A channel is widened for at most this many edges. More edges have smaller distances. */
export const TRACKS = 8;
/** Free room below the last lane, so that the toolbar over the graph covers no card. */
export const FOOT = 52;
