/**
 * A real browser for a test file: Chromium as the machine has it, one for all tests of the file, and a page of its
 * own for each. A page notes what it asked, what went wrong in it, and what moved.
 */
import { readFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findBinary, skipWithout } from '../servers/services.ts';

const PROGRAM = 'chromium';
const IN_PAGE = readFileSync(new URL('in-page.js', import.meta.url), 'utf8');
/** Longer than the page takes from a number drawn to the next question. */
const QUIET_MS = 100;
/** For a browser that shares its cores with other tests. */
const PATIENCE_MS = 30_000;

/** For `skip` of a test that opens a page. */
export const WITHOUT_BROWSER: string | false = skipWithout(PROGRAM);

export interface PageOptions {
  readonly width?: number;
  readonly colours?: 'light' | 'dark';
  /** What the page takes for now, in Unix ms; default: what it is. */
  readonly nowMs?: number;
  /** The test may let the page's time pass at once, by `page.clock`. */
  readonly isStepped?: boolean;
}

/** What the page noted of itself. */
export interface Seen {
  readonly paintMs: number;
  /** Without those that follow an input. */
  readonly shifts: readonly { readonly value: number; readonly moved: readonly string[] }[];
  /** Tasks of more than 50 ms. */
  readonly longTasksMs: readonly number[];
  /** What the content security policy refused. */
  readonly refused: readonly string[];
}

export interface OpenPage {
  readonly page: Page;
  /** Paths with their query, in the order in which they were asked. */
  readonly requests: readonly string[];
  /** Errors that nobody caught, and those written to the console, but for answers that are errors. */
  readonly faults: readonly string[];
  /** Leads to a query of the page, and waits until it is drawn. */
  readonly go: (query: string) => Promise<void>;
  /** Until nothing is asked and drawn any more. */
  readonly quiet: () => Promise<void>;
  readonly seen: () => Promise<Seen>;
}

export interface TestBrowser {
  /** A page, closed when `use` ends; faults of it fail. @param url of the server */
  visit(url: string, use: (open: OpenPage) => Promise<void>, options?: PageOptions): Promise<void>;
}

/** For the tests of a file, which calls it once. */
export function testBrowser(): TestBrowser {
  let browser: Browser | undefined;
  before(async () => {
    const executablePath = findBinary(PROGRAM);
    if (executablePath === undefined) return;
    browser = await chromium.launch({ executablePath, args: ['--disable-dev-shm-usage'] });
  });
  after(async () => await browser?.close());
  return {
    async visit(url, use, options = {}) {
      if (browser === undefined) throw new Error('BUG: no browser is running');
      await visit(browser, url, use, options);
    },
  };
}

async function visit(
  browser: Browser,
  url: string,
  use: (open: OpenPage) => Promise<void>,
  { width = 1440, colours = 'light', nowMs = Date.now(), isStepped = false }: PageOptions,
): Promise<void> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: 900 },
    colorScheme: colours,
    locale: 'en-US',
    timezoneId: 'UTC',
    acceptDownloads: true,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const clock = isStepped ? 'undefined' : nowMs;
  await context.addInitScript({ content: `globalThis.testNowMs = ${clock};\n${IN_PAGE}` });
  if (isStepped) await context.clock.install({ time: nowMs });
  try {
    const open = opened(await context.newPage());
    await use(open);
    if (open.faults.length > 0) throw new Error(`the page failed:\n${open.faults.join('\n')}`);
  } finally {
    await context.close();
  }
}

function opened(page: Page): OpenPage {
  const requests: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    requests.push(`${pathname}${search}`);
  });
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const quiet = async (): Promise<void> => {
    await page.evaluate(`testQuiet(${QUIET_MS})`);
  };
  return {
    page,
    requests,
    faults,
    async go(query) {
      await page.goto(`/${query}`);
      await quiet();
    },
    quiet,
    seen: async () => await page.evaluate<Seen>('testSeen'),
  };
}
