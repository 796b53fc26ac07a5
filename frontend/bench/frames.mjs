// What benchmarks do in a page, and how they read its trace.

/**
 * CPU milliseconds of the main thread from each frame to the next, sorted. One task may run several frame callbacks.
 */
export function frames(trace) {
  const { traceEvents } = JSON.parse(trace.toString());
  const calls = traceEvents.filter((e) => e.name === 'FireAnimationFrame');
  const { pid, tid } = calls[0];
  const starts = calls.map((e) => e.ts).sort((a, b) => a - b);
  const tasks = traceEvents
    .filter((e) => e.pid === pid && e.tid === tid && e.name === 'RunTask' && e.ph === 'X')
    .sort((a, b) => a.ts - b.ts);
  const sums = [];
  let next = 0;
  for (const { ts, dur = 0, tdur = dur } of tasks) {
    while (starts[next] < ts) next++;
    if (starts[next] <= ts + dur) sums.push(0);
    if (sums.length > 0) sums[sums.length - 1] += tdur / 1000;
  }
  return sums.slice(1, -1).sort((a, b) => a - b);
}

/** Requests a callback in every frame, so that the trace has all frames. */
export const requestFrames = (page) =>
  page.evaluate(() => {
    requestAnimationFrame(function again() {
      requestAnimationFrame(again);
    });
  });

export const startTrace = (browser, page) =>
  browser.startTracing(page, {
    categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });

/** Moves the view of a graph back and forth with wheel events, in every frame. */
export const pan = (page, seconds) =>
  page.evaluate(
    (duration) =>
      new Promise((done) => {
        const pane = document.querySelector('.react-flow__pane');
        const end = performance.now() + duration * 1000;
        let frame = 0;
        const step = () => {
          if (performance.now() > end) {
            done();
            return;
          }
          const direction = frame++ % 120 < 60 ? 1 : -1;
          pane.dispatchEvent(
            new WheelEvent('wheel', {
              deltaX: direction * 12,
              deltaY: direction * 30,
              bubbles: true,
              cancelable: true,
              clientX: 700,
              clientY: 400,
            }),
          );
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
    seconds,
  );
