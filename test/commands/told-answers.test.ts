/** What answers tell of themselves, on every route and in every format, over real sockets. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  GAP,
  ODD,
  startToldWorld,
  TOLD_ROUTES,
  type ToldRoute,
  type ToldWorld,
} from '../support/servers/told-world.ts';

type Source = ToldRoute['from'];

interface Case {
  readonly name: string;
  /** A window of each source that the case is about. */
  readonly windows: Partial<Readonly<Record<Source, string>>>;
  /** A parameter that nobody knows. */
  readonly isMisspelt?: boolean;
  readonly isPartial: boolean;
  /** All warnings, joined by semicolons. */
  readonly warning: RegExp;
}

const DAYS = '2024-05-01T00:00:00Z,2024-05-0';
const KNOWN = `${DAYS}2T00:00:00Z`;
const MINUTES = '2024-05-04T10:00:00Z,2024-05-04T10:05:00Z';
const FUTURE = '2030-01-01T00:00:00Z,2030-01-03T00:00:00Z';
const LATER = '2024-05-06T10:00:00Z,2024-05-06T11:00:00Z';
/** Half an hour before the store's first sample, and half an hour after it. */
const BEFORE_SAMPLES = '2024-02-04T23:30:00Z,2024-02-05T00:30:00Z';
/** At a resolution of a minute. */
const UNSEEN =
  '(; containers that ran only between two points of the resolution: \\d+; [^;]*; [^;]*)?';
/** What is true of the demo and of the stored days at any time. */
const ELSE = `(volumes held by no claim: 1; \\$\\d\\.\\d\\d is charged to __unmounted__${UNSEEN}|1 container has no usage .*)?`;

const ALL = (window: string): Case['windows'] => ({
  samples: window,
  sets: window,
  bills: window,
  both: window,
});

const CASES: readonly Case[] = [
  {
    name: 'all of it is known',
    windows: { ...ALL(KNOWN), samples: MINUTES },
    isPartial: false,
    warning: new RegExp(`^${ELSE}$`),
  },
  {
    name: 'a parameter is not known',
    windows: { ...ALL(KNOWN), samples: MINUTES },
    isMisspelt: true,
    isPartial: false,
    warning: new RegExp(
      `^${ELSE}(; )?parameter 'unheardOf' is not known and was ignored(; )?${ELSE}$`,
    ),
  },
  {
    name: 'a day is missing',
    windows: { ...ALL(`${DAYS}3T00:00:00Z`), samples: BEFORE_SAMPLES },
    isPartial: true,
    warning: /2024-05-02T00:00:00.000Z to 2024-05-03T00:00:00.000Z|first sample of a pod is at/,
  },
  {
    name: 'a day is missing, and a parameter is not known',
    windows: { ...ALL(`${DAYS}3T00:00:00Z`), samples: BEFORE_SAMPLES },
    isMisspelt: true,
    isPartial: true,
    warning: /(^|; )parameter 'unheardOf' is not known and was ignored; /,
  },
  {
    name: 'samples of a day are lacking',
    windows: { sets: '2024-05-03T00:00:00Z,2024-05-04T00:00:00Z' },
    isPartial: true,
    warning: new RegExp(GAP),
  },
  {
    name: 'there is something odd about a day, all of which is known',
    windows: { sets: '2024-05-04T00:00:00Z,2024-05-05T00:00:00Z' },
    isPartial: false,
    // Routes that show no allocations need not tell it.
    warning: new RegExp(`^(${ODD})?${ELSE}$`),
  },
  {
    name: 'no bill tells of the external costs of a day',
    windows: { both: '2024-05-04T00:00:00Z,2024-05-05T00:00:00Z' },
    isPartial: true,
    warning: /no bill tells of external costs of 2024-05-04T00:00:00.000Z to 2024-05-05T00/,
  },
  ...[FUTURE, LATER].map((window) => ({
    name: `it lies in the future: ${window}`,
    windows: ALL(window),
    isPartial: false,
    warning: /^the window lies in the future: nothing is known of it yet$/,
  })),
  {
    name: 'it lies in the future, and a parameter is not known',
    windows: ALL(FUTURE),
    isMisspelt: true,
    isPartial: false,
    warning: /^parameter 'unheardOf' is not known and was ignored; the window lies in the future/,
  },
];

test('without any bill nothing is missing of what bills tell', async () => {
  const world = await startToldWorld([]);
  try {
    for (const route of TOLD_ROUTES.filter(({ from }) => from === 'bills')) {
      const { status, warnings, partial } = await world.ask(route, `${DAYS}3T00:00:00Z`);
      assert.deepEqual([status, warnings, partial], [200, '', ''], route.path);
    }
  } finally {
    await world.stop();
  }
});

describe('the answer for a window tells whether a part of it is unknown, where', () => {
  let world: ToldWorld;
  before(async () => {
    world = await startToldWorld(['cloud', 'external']);
  });
  after(() => world.stop());

  for (const { name, windows, isMisspelt = false, isPartial, warning } of CASES)
    test(name, async () => {
      const wrong: string[] = [];
      for (const route of TOLD_ROUTES) {
        const window = windows[route.from];
        if (window === undefined || (isMisspelt && route.isStrict === true)) continue;
        const told = await world.ask(route, window, isMisspelt ? '&unheardOf=1' : '');
        const { status, warnings, partial } = told;
        if (status === 200 && warning.test(warnings) && partial === (isPartial ? 'true' : ''))
          continue;
        wrong.push(`${route.path}: ${status}, partial '${partial}', ${warnings || told.text.slice(0, 200)}`); // prettier-ignore
      }
      assert.deepEqual(wrong, []);
    });
});
