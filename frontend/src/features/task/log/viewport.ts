import type { LogReader, LogState, Position } from './reader';
import type { NumberedLine } from './window';

/** Height of a line that is not wrapped, in pixels. */
const ROW_HEIGHT = 18;
/** Browsers limit the height of an element (pixels). Above this height, offsets are scaled. */
const MAX_HEIGHT = 6_000_000;
/** Milliseconds without scrolling after which the position of the scrollbar is corrected. */
const REST_DELAY = 160;

/** Events that announce scrolling before the scroll position changes. */
const BEFORE_SCROLL = ['wheel', 'touchmove', 'keydown'] as const;

/** The rows to render. */
export interface View {
  rows: readonly NumberedLine[];
  /** Whether the view stays at the end of the log while it grows. */
  sticky: boolean;
  state: LogState;
}

interface Parts {
  scroller: HTMLElement;
  sizer: HTMLElement;
  block: HTMLElement;
}

/** Whether the lines in memory reach the end of the log, as far as its size is known. */
const reachesEnd = ({ next, size = 0 }: LogState) => next >= size;

/** Where the target line of a jump is shown: at the top, or a third of the way down with its context above. */
type Aim = 'top' | 'middle';

/**
 * Shows a window of lines in an element with native scrolling. The browser lays out the rendered rows, wrapped or not.
 * The heights above and below them are estimates. When an estimate changes, the first visible line (the anchor) keeps
 * its position on the screen.
 */
export class Viewport {
  private parts?: Parts;
  private anchor = { offset: 0, y: 0 };
  private first = 0;
  private last = 0;
  private sticky = false;
  private jump = 0;
  private jumped = false; // the scrollbar does not show the new position yet
  private aim: Aim = 'middle';
  private top = 0; // offset of the block in the sizer, in pixels
  private lastScrollTop = -1; // the scrollTop that was set or seen last
  private perByte = ROW_HEIGHT / 80;
  private restTimer?: ReturnType<typeof setTimeout>;
  private dragTimer?: ReturnType<typeof setTimeout>;
  /** The user has scrolled or jumped. */
  userMoved = false;
  private readonly listeners = new Set<() => void>();
  private view: View;

  constructor(private readonly reader: LogReader) {
    this.view = { rows: [], sticky: false, state: reader.getState() };
  }

  getView = (): View => this.view;
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Renders into the given elements. The returned function detaches them. */
  attach(parts: Parts): () => void {
    this.parts = parts;
    const stop = this.reader.subscribe(this.update);
    const observer = new ResizeObserver(this.update);
    observer.observe(parts.scroller);
    observer.observe(parts.block);
    parts.scroller.addEventListener('scroll', this.scrolled, { passive: true });
    for (const name of BEFORE_SCROLL) parts.scroller.addEventListener(name, this.beforeScroll, { passive: true });
    this.update();
    return () => {
      stop();
      observer.disconnect();
      parts.scroller.removeEventListener('scroll', this.scrolled);
      for (const name of BEFORE_SCROLL) parts.scroller.removeEventListener(name, this.beforeScroll);
      clearTimeout(this.restTimer);
      clearTimeout(this.dragTimer);
      this.parts = undefined;
    };
  }

  /** Shows a position, and loads it if necessary. */
  show = (position: Position, aim: Aim = 'middle'): void => {
    this.aim = aim;
    if (position !== 'end') this.stick(false);
    void this.reader.goTo(position);
  };

  /** Shows a position that the user chose. A search for the error does not move the view afterwards. */
  goTo = (position: Position): void => {
    this.userMoved = true;
    this.show(position);
  };

  /** Whether the line at an offset is visible. */
  shows(offset: number): boolean {
    const row = this.rowAt(offset);
    if (!row || !this.parts) return false;
    const y = this.top + row.offsetTop - this.parts.scroller.scrollTop;
    return y >= 0 && y < this.height();
  }

  /** Offset of the first visible line. */
  topOffset(): number {
    return this.anchor.offset;
  }

  /** Positions the rendered rows. Call it after each render. */
  position = (rest = false): void => {
    const {
      parts,
      view: { rows, state },
    } = this;
    const [from, to] = [rows[0], rows.at(-1)];
    if (!parts || !from || !to) return;
    const { scroller, sizer, block } = parts;
    const viewHeight = this.height();
    const rowsHeight = block.offsetHeight;
    const { above, below, isStart } = this.estimate(state, from, to, rowsHeight);
    let scroll = scroller.scrollTop;
    if (this.sticky && scroll < this.lastScrollTop - 1 && scroll + viewHeight < scroller.scrollHeight - 1) {
      // The user scrolled up between two renders: new lines must not pull the view back to the end.
      this.userMoved = true;
      this.anchor.y += this.lastScrollTop - scroll;
      this.lastScrollTop = scroll;
      this.stick(false);
      this.draw();
      return;
    }
    if (this.sticky) {
      this.top = above;
      scroll = above + rowsHeight + below - viewHeight;
    } else {
      const current = scroll + this.anchor.y - (this.rowAt(this.anchor.offset)?.offsetTop ?? 0);
      const misplaced = isStart ? current !== 0 : this.isMisplaced(current, above, rest);
      this.top = misplaced ? above : current;
      scroll += this.top - current;
    }
    this.jumped = false;
    sizer.style.height = `${String(this.top + rowsHeight + below)}px`;
    block.style.transform = `translateY(${String(this.top)}px)`;
    if (Math.abs(scroller.scrollTop - scroll) > 0.5) scroller.scrollTop = scroll;
    this.lastScrollTop = scroller.scrollTop;
    this.observe();
  };

  /** Whether the rows are too close to the top to scroll up, or far from the position that the scrollbar shows. */
  private isMisplaced(current: number, above: number, rest: boolean): boolean {
    const viewHeight = this.height();
    return current < viewHeight / 2 || ((rest || this.jumped) && Math.abs(current - above) > viewHeight);
  }

  /** Estimates the heights above and below the rows, in pixels. */
  private estimate(state: LogState, from: NumberedLine, to: NumberedLine, rowsHeight: number) {
    const viewHeight = this.height();
    const size = Math.max(state.size ?? 0, to.end);
    if (rowsHeight > 0) this.perByte = rowsHeight / Math.max(to.end - from.offset, 1);
    const scale = Math.min(this.perByte, MAX_HEIGHT / Math.max(size, 1));
    const isStart = from.offset === 0;
    const isEnd = this.last === state.lines.length && state.next >= size;
    return {
      isStart,
      above: isStart ? 0 : Math.max(from.offset * scale, viewHeight),
      below: isEnd ? 0 : Math.max((size - to.end) * scale, viewHeight),
    };
  }

  private height(): number {
    return this.parts?.scroller.clientHeight || 600;
  }

  private rowAt(offset: number): HTMLElement | undefined {
    const row = this.parts?.block.children[this.reader.indexAt(offset) - this.first];
    return row instanceof HTMLElement ? row : undefined;
  }

  /** Renders a change of the reader, or of the size of the elements. */
  private readonly update = (): void => {
    const state = this.reader.getState();
    if (state.jump !== this.jump) {
      this.jump = state.jump;
      this.arrive(state);
    }
    this.draw();
  };

  private arrive(state: LogState): void {
    const { target } = state;
    this.jumped = this.aim === 'middle';
    if (target === 'end') this.stick(true);
    else if (target === 'start') this.anchor = { offset: 0, y: 0 };
    else this.anchor = { offset: target.offset, y: this.aim === 'top' ? 0 : Math.round(this.height() * 0.3) };
  }

  private stick(on: boolean): void {
    if (this.sticky === on) return;
    this.sticky = on;
    this.reader.follow(on);
  }

  private draw(): void {
    const state = this.reader.getState();
    const count = Math.ceil(this.height() / ROW_HEIGHT) + 4;
    const middle = this.sticky ? state.lines.length - count : this.reader.indexAt(this.anchor.offset);
    this.first = Math.max(middle - count, 0);
    this.last = Math.min(middle + 2 * count, state.lines.length);
    this.view = { rows: state.lines.slice(this.first, this.last), sticky: this.sticky, state };
    this.listeners.forEach((l) => {
      l();
    });
  }

  /** Stops following before a smooth scroll moves: new lines would pull the view back to the end. */
  private readonly beforeScroll = (e: Event): void => {
    if (!this.sticky || !this.parts || this.parts.scroller.scrollTop === 0) return;
    if (e instanceof WheelEvent && e.deltaY >= 0) return;
    if (e instanceof KeyboardEvent && e.key !== 'ArrowUp' && e.key !== 'PageUp') return;
    this.userMoved = true;
    this.stick(false);
    this.draw();
  };

  private readonly scrolled = (): void => {
    if (!this.parts) return;
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => {
      this.position(true);
    }, REST_DELAY);
    const { scroller } = this.parts;
    if (Math.abs(scroller.scrollTop - this.lastScrollTop) < 1) return; // the scroll was caused by this class
    this.userMoved = true;
    const up = scroller.scrollTop < this.lastScrollTop;
    this.lastScrollTop = scroller.scrollTop;
    if (this.sticky && up) this.stick(false);
    if (!this.observe(!up)) this.showUnrendered();
  };

  /**
   * Notes the first visible line, and loads the lines near it. If the user has scrolled down to the end, the view stays
   * at the end from then on. Returns false if no rendered row is visible.
   */
  private observe(down = false): boolean {
    if (!this.parts) return true;
    const { scroller, block } = this.parts;
    const begin = scroller.scrollTop - this.top;
    const end = begin + this.height();
    const rowsHeight = block.offsetHeight;
    if (rowsHeight > 0 && (end <= 0 || begin >= rowsHeight)) return false;
    const at = this.firstIn(begin);
    const row = this.view.rows[at];
    const element = block.children[at];
    if (row && element instanceof HTMLElement) this.anchor = { offset: row.offset, y: element.offsetTop - begin };
    this.loadAround(begin, end, rowsHeight, down);
    return true;
  }

  /** Loads and renders more lines if the visible pixels, from begin to end, are near an edge of the rows. */
  private loadAround(begin: number, end: number, rowsHeight: number, down: boolean): void {
    const { state } = this.view;
    const viewHeight = this.height();
    const atEnd = this.last === state.lines.length;
    const isEnd = atEnd && reachesEnd(state);
    if (this.first === 0 && begin < 2 * viewHeight && state.start > 0) void this.reader.loadBefore();
    if (this.sticky) return;
    if (atEnd && !isEnd && end > rowsHeight - 2 * viewHeight) void this.reader.loadAfter();
    if (down && isEnd && end >= rowsHeight - 2 && rowsHeight > viewHeight) this.stick(true);
    if (this.sticky || this.isNearEdge(begin, end, rowsHeight)) this.draw();
  }

  /** Whether the visible pixels are near an edge of the rendered rows, with more lines beyond it. */
  private isNearEdge(begin: number, end: number, rowsHeight: number): boolean {
    const margin = this.height() / 2;
    const atEnd = this.last === this.view.state.lines.length;
    return (begin < margin && this.first > 0) || (end > rowsHeight - margin && !atEnd);
  }

  /** Index of the first row whose lower edge is below y. */
  private firstIn(y: number): number {
    const rows = this.parts?.block.children;
    if (!rows) return 0;
    let [low, high] = [0, rows.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      const row = rows[middle];
      if (row instanceof HTMLElement && row.offsetTop + row.offsetHeight > y) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Shows a position without rendered rows, after a fast scroll or after the scrollbar was dragged. */
  private showUnrendered(): void {
    if (!this.parts) return;
    const { scroller, sizer, block } = this.parts;
    const { state } = this.view;
    const begin = scroller.scrollTop - this.top;
    const beyond = begin > 0 ? begin - block.offsetHeight : begin;
    const index =
      begin > 0 ? this.last + Math.round(beyond / ROW_HEIGHT) : this.first + Math.round(beyond / ROW_HEIGHT);
    const line = state.lines[index];
    if (Math.abs(beyond) < 4 * this.height() && line) {
      this.anchor = { offset: line.offset, y: 0 };
      this.draw();
      return;
    }
    const size = state.size ?? 0;
    const part = scroller.scrollTop / Math.max(sizer.offsetHeight - this.height(), 1);
    const position: Position = part < 0.002 ? 'start' : part > 0.998 ? 'end' : { offset: Math.round(part * size) };
    clearTimeout(this.dragTimer);
    this.dragTimer = setTimeout(() => {
      this.show(position, 'top');
    }, 60);
  }
}
