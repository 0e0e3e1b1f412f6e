/**
 * Runs in each page of a test before the page's own scripts: sets the clock, and notes what is drawn, shifted,
 * refused by the policy, and which tasks kept the page from answering. `testNowMs` stands before it; undefined:
 * the clock is set by others.
 */
const setClock = () => {
  const RealDate = Date;
  const aheadMs = globalThis.testNowMs - RealDate.now();
  globalThis.Date = class Date extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(RealDate.now() + aheadMs);
      else super(...parts);
    }
    static now() {
      return RealDate.now() + aheadMs;
    }
  };
};

(() => {
  if (globalThis.testNowMs !== undefined) setClock();
  const seen = { paintMs: 0, shifts: [], longTasksMs: [], refused: [] };
  globalThis.testSeen = seen;
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({
      type,
      buffered: true,
    });
  watch('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') seen.paintMs = startTime;
  });
  watch('longtask', ({ duration }) => seen.longTasksMs.push(duration));
  watch('layout-shift', ({ value, hadRecentInput, sources }) => {
    if (hadRecentInput) return;
    const moved = sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? String(node));
    seen.shifts.push({ value, moved });
  });
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    seen.refused.push(`${violatedDirective} ${blockedURI}`),
  );

  /** Resolves once nothing has been awaited for `quietMs`. */
  globalThis.testQuiet = async (quietMs) => {
    const isBusy = () =>
      document.querySelector('main') === null ||
      document.querySelector('[aria-busy="true"], .progress') !== null;
    for (let quietSinceMs = performance.now(); ;) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (isBusy()) quietSinceMs = performance.now();
      else if (performance.now() - quietSinceMs >= quietMs) return;
    }
  };
})();
