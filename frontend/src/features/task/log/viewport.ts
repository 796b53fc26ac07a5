import type { LogReader, LogState, Place } from './reader';
import type { Placed } from './window';

/** Height of a line that is not wrapped, in pixels. */
const ROW = 18;
/** Browsers cannot make elements as high as a gigabyte of lines: what is higher is drawn to scale. */
const TALLEST = 6_000_000;
/** After so many milliseconds without scrolling the thumb of the scrollbar is put right. */
const REST = 160;

/** What says that somebody is about to scroll up, before anything has moved. */
const LEAVING = ['wheel', 'touchmove', 'keydown'] as const;

/** What is drawn now. */
export interface View {
  rows: readonly Placed[];
  /** The end is in sight and stays so while lines come. */
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

/** How a place is brought into view: its line at the top, or a third of the way down with what led to it above. */
type Aim = 'top' | 'middle';

/**
 * Draws a window of lines in a box that scrolls as the browser scrolls. The rows in sight are laid out as they are,
 * wrapped or not; only what is above and below is estimated. Whatever is learnt about heights, the line under the
 * reader's eye (the anchor) stays where it is: the estimate moves instead.
 */
export class Viewport {
  private parts?: Parts;
  private anchor = { offset: 0, y: 0 };
  private first = 0;
  private last = 0;
  private sticky = false;
  private jump = 0;
  private arrived = false; // at another place that the scrollbar does not show yet
  private aim: Aim = 'middle';
  private top = 0; // of the block, within the sizer
  private lastTop = -1; // the scrollTop that was set here last
  private perByte = ROW / 80;
  private resting?: ReturnType<typeof setTimeout>;
  private dragging?: ReturnType<typeof setTimeout>;
  /** The reader has gone to a place of their own choice. */
  moved = false;
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

  /** Takes over the elements. Answers how to let go of them. */
  attach(parts: Parts): () => void {
    this.parts = parts;
    const stop = this.reader.subscribe(this.renew);
    const resized = new ResizeObserver(this.renew);
    resized.observe(parts.scroller);
    resized.observe(parts.block);
    parts.scroller.addEventListener('scroll', this.scrolled, { passive: true });
    for (const name of LEAVING) parts.scroller.addEventListener(name, this.leaving, { passive: true });
    this.renew();
    return () => {
      stop();
      resized.disconnect();
      parts.scroller.removeEventListener('scroll', this.scrolled);
      for (const name of LEAVING) parts.scroller.removeEventListener(name, this.leaving);
      clearTimeout(this.resting);
      clearTimeout(this.dragging);
      this.parts = undefined;
    };
  }

  /** Brings a place into view, loading what is there if need be. */
  show = (place: Place, aim: Aim = 'middle'): void => {
    this.aim = aim;
    if (place !== 'end') this.stick(false);
    void this.reader.goTo(place);
  };

  /** Goes where the reader wants to be: what opens the log, and may still be looked for, moves it no more. */
  go = (place: Place): void => {
    this.moved = true;
    this.show(place);
  };

  /** Whether the line of this place is in sight. */
  sees(offset: number): boolean {
    const row = this.rowAt(offset);
    if (!row || !this.parts) return false;
    const y = this.top + row.offsetTop - this.parts.scroller.scrollTop;
    return y >= 0 && y < this.height();
  }

  /** Place of the first line in sight. */
  reading(): number {
    return this.anchor.offset;
  }

  /** Puts everything where it belongs. To be called after each drawing. */
  place = (rest = false): void => {
    const {
      parts,
      view: { rows, state },
    } = this;
    const [from, to] = [rows[0], rows.at(-1)];
    if (!parts || !from || !to) return;
    const { scroller, sizer, block } = parts;
    const tall = this.height();
    const high = block.offsetHeight;
    const { above, below, isStart } = this.estimate(state, from, to, high);
    let scroll = scroller.scrollTop;
    if (this.sticky && scroll < this.lastTop - 1 && scroll + tall < scroller.scrollHeight - 1) {
      // The user scrolled up between two renders: the lines that came meanwhile must not pull the view back.
      this.moved = true;
      this.anchor.y += this.lastTop - scroll;
      this.lastTop = scroll;
      this.stick(false);
      this.draw();
      return;
    }
    if (this.sticky) {
      this.top = above;
      scroll = above + high + below - tall;
    } else {
      const here = scroll + this.anchor.y - (this.rowAt(this.anchor.offset)?.offsetTop ?? 0);
      const wrong = isStart ? here !== 0 : this.isMisplaced(here, above, rest);
      this.top = wrong ? above : here;
      scroll += this.top - here;
    }
    this.arrived = false;
    sizer.style.height = `${String(this.top + high + below)}px`;
    block.style.transform = `translateY(${String(this.top)}px)`;
    if (Math.abs(scroller.scrollTop - scroll) > 0.5) scroller.scrollTop = scroll;
    this.lastTop = scroller.scrollTop;
    this.observe();
  };

  /** Whether the rows are too high to scroll up, or far from where the scrollbar shows them. */
  private isMisplaced(here: number, above: number, rest: boolean): boolean {
    const tall = this.height();
    return here < tall / 2 || ((rest || this.arrived) && Math.abs(here - above) > tall);
  }

  /** Estimates the heights above and below the rows, in pixels. `high` is the height of the rows. */
  private estimate(state: LogState, from: Placed, to: Placed, high: number) {
    const tall = this.height();
    const size = Math.max(state.size ?? 0, to.end);
    if (high > 0) this.perByte = high / Math.max(to.end - from.offset, 1);
    const scale = Math.min(this.perByte, TALLEST / Math.max(size, 1));
    const isStart = from.offset === 0;
    const isEnd = this.last === state.lines.length && state.next >= size;
    return {
      isStart,
      above: isStart ? 0 : Math.max(from.offset * scale, tall),
      below: isEnd ? 0 : Math.max((size - to.end) * scale, tall),
    };
  }

  private height(): number {
    return this.parts?.scroller.clientHeight || 600;
  }

  private rowAt(offset: number): HTMLElement | undefined {
    const row = this.parts?.block.children[this.reader.indexAt(offset) - this.first];
    return row instanceof HTMLElement ? row : undefined;
  }

  /** The reader has something new, or the box another size. */
  private readonly renew = (): void => {
    const state = this.reader.getState();
    if (state.jump !== this.jump) {
      this.jump = state.jump;
      this.arrive(state);
    }
    this.draw();
  };

  private arrive(state: LogState): void {
    const { target } = state;
    this.arrived = this.aim === 'middle';
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
    const count = Math.ceil(this.height() / ROW) + 4;
    const middle = this.sticky ? state.lines.length - count : this.reader.indexAt(this.anchor.offset);
    this.first = Math.max(middle - count, 0);
    this.last = Math.min(middle + 2 * count, state.lines.length);
    this.view = { rows: state.lines.slice(this.first, this.last), sticky: this.sticky, state };
    this.listeners.forEach((l) => {
      l();
    });
  }

  /** Browsers scroll smoothly: lines that come during the first steps would pull the reader back to the end. */
  private readonly leaving = (e: Event): void => {
    if (!this.sticky || !this.parts || this.parts.scroller.scrollTop === 0) return;
    if (e instanceof WheelEvent && e.deltaY >= 0) return;
    if (e instanceof KeyboardEvent && e.key !== 'ArrowUp' && e.key !== 'PageUp') return;
    this.moved = true;
    this.stick(false);
    this.draw();
  };

  private readonly scrolled = (): void => {
    if (!this.parts) return;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.place(true);
    }, REST);
    const { scroller } = this.parts;
    if (Math.abs(scroller.scrollTop - this.lastTop) < 1) return; // it was us
    this.moved = true;
    const up = scroller.scrollTop < this.lastTop;
    this.lastTop = scroller.scrollTop;
    if (this.sticky && up) this.stick(false);
    if (!this.observe(!up)) this.leap();
  };

  /**
   * Notes the line at which the reader looks, and loads the lines that come next. A user who scrolls down to the end
   * follows the log from then on. Returns false if no rendered row is in sight.
   */
  private observe(down = false): boolean {
    if (!this.parts) return true;
    const { scroller, block } = this.parts;
    const begin = scroller.scrollTop - this.top;
    const end = begin + this.height();
    const high = block.offsetHeight;
    if (high > 0 && (end <= 0 || begin >= high)) return false;
    const at = this.firstIn(begin);
    const row = this.view.rows[at];
    const element = block.children[at];
    if (row && element instanceof HTMLElement) this.anchor = { offset: row.offset, y: element.offsetTop - begin };
    this.readAround(begin, end, high, down);
    return true;
  }

  /** Reads and renders more lines if the pixels from begin to end, of `high` rendered ones, are near an edge. */
  private readAround(begin: number, end: number, high: number, down: boolean): void {
    const { state } = this.view;
    const near = this.height();
    const atEnd = this.last === state.lines.length;
    const isEnd = atEnd && reachesEnd(state);
    if (this.first === 0 && begin < 2 * near && state.start > 0) void this.reader.before();
    if (this.sticky) return;
    if (atEnd && !isEnd && end > high - 2 * near) void this.reader.after();
    if (down && isEnd && end >= high - 2 && high > near) this.stick(true);
    if (this.sticky || this.isNearEdge(begin, end, high)) this.draw();
  }

  /** Whether the pixels in sight come near an edge of the rendered rows beyond which there are more lines. */
  private isNearEdge(begin: number, end: number, high: number): boolean {
    const margin = this.height() / 2;
    const atEnd = this.last === this.view.state.lines.length;
    return (begin < margin && this.first > 0) || (end > high - margin && !atEnd);
  }

  /** Index of the first row that reaches below a height. */
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

  /** The reader has left what is drawn: a quick flick, or the thumb of the scrollbar was drawn to another place. */
  private leap(): void {
    if (!this.parts) return;
    const { scroller, sizer, block } = this.parts;
    const { state } = this.view;
    const begin = scroller.scrollTop - this.top;
    const beyond = begin > 0 ? begin - block.offsetHeight : begin;
    const index = begin > 0 ? this.last + Math.round(beyond / ROW) : this.first + Math.round(beyond / ROW);
    const line = state.lines[index];
    if (Math.abs(beyond) < 4 * this.height() && line) {
      this.anchor = { offset: line.offset, y: 0 };
      this.draw();
      return;
    }
    const size = state.size ?? 0;
    const part = scroller.scrollTop / Math.max(sizer.offsetHeight - this.height(), 1);
    const place: Place = part < 0.002 ? 'start' : part > 0.998 ? 'end' : { offset: Math.round(part * size) };
    clearTimeout(this.dragging);
    this.dragging = setTimeout(() => {
      this.show(place, 'top');
    }, 60);
  }
}
