/** Requests by route, how they ended, and how long they took. */
import type { Observer } from '../../http/index.ts';
import type { Family, Sample } from '../../export/index.ts';

/** Upper bounds in seconds: of cached answers, of stored ones, of what is computed, of long streams. */
const BOUNDS: readonly number[] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];
/** By the first digit of the status; 0: the client left before there was one. */
const CLASSES = ['left', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** No path of a client becomes a label. */
const NO_ROUTE = 'none';

interface Counts {
  readonly classes: number[];
  /** Not cumulative; the last is beyond all bounds. */
  readonly buckets: number[];
  seconds: number;
}

export class RequestCounts implements Observer {
  /** By route: as many as the table of routes has. */
  readonly #routes: Map<string, Counts> = new Map();
  #inFlight = 0;
  #bytes = 0;
  #cut = 0;
  #refused = 0;
  #bodiesRefused = 0;

  began(): void {
    this.#inFlight++;
  }

  ended(...[{ route }, , { status, ms, bytes, isCut }]: Parameters<Observer['ended']>): void {
    this.#inFlight--;
    this.#bytes += bytes;
    if (isCut) this.#cut++;
    const counts = this.#countsOf(route);
    const statusClass = Math.min(CLASSES.length - 1, Math.floor(status / 100));
    counts.classes[statusClass] = (counts.classes[statusClass] ?? 0) + 1;
    const seconds = ms / 1000;
    let bucket = 0;
    while (seconds > (BOUNDS[bucket] ?? Infinity)) bucket++;
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
    counts.seconds += seconds;
  }

  refused(): void {
    this.#refused++;
  }

  bodyRefused(): void {
    this.#bodiesRefused++;
  }

  families(): Family[] {
    const one = (name: string, help: string, type: Family['type'], value: number): Family => ({
      name,
      help,
      type,
      samples: [{ value }],
    });
    return [
      {
        name: 'prorata_http_requests_total',
        help: 'Requests that have ended, by route and class of their status; left: the client did not wait for one.',
        type: 'counter',
        samples: [...this.#routes].flatMap(classSamples),
      },
      {
        name: 'prorata_http_request_duration_seconds',
        help: 'From the head of a request to the end of its answer, by route.',
        type: 'histogram',
        samples: [...this.#routes].flatMap(durationSamples),
      },
      one('prorata_http_requests_in_flight', 'Requests under way.', 'gauge', this.#inFlight),
      one('prorata_http_response_bytes_total', 'Bytes of the bodies of answers.', 'counter', this.#bytes),
      one('prorata_http_answers_cut_total', 'Answers whose connection broke before their end.', 'counter', this.#cut),
      one('prorata_http_heads_refused_total', 'Connections closed for heads that could be understood in two ways.', 'counter', this.#refused),
      one('prorata_http_bodies_refused_total', 'Bodies of requests for which other bodies under way left no room.', 'counter', this.#bodiesRefused),
    ]; // prettier-ignore
  }

  #countsOf(route: string): Counts {
    let counts = this.#routes.get(route);
    if (counts === undefined) {
      counts = { classes: CLASSES.map(() => 0), buckets: [...BOUNDS.map(() => 0), 0], seconds: 0 };
      this.#routes.set(route, counts);
    }
    return counts;
  }
}

function classSamples([route, { classes }]: readonly [string, Counts]): Sample[] {
  return CLASSES.flatMap((name, i) => {
    const value = classes[i] ?? 0;
    return value === 0 ? [] : [{ labels: { route: route || NO_ROUTE, class: name }, value }];
  });
}

function durationSamples([path, { buckets, seconds }]: readonly [string, Counts]): Sample[] {
  const route = path || NO_ROUTE;
  let count = 0;
  const samples = buckets.map((own, i): Sample => {
    count += own;
    const le = i < BOUNDS.length ? String(BOUNDS[i]) : '+Inf';
    return { suffix: '_bucket', labels: { route, le }, value: count };
  });
  return [
    ...samples,
    { suffix: '_sum', labels: { route }, value: seconds },
    { suffix: '_count', labels: { route }, value: count },
  ];
}

/** Tells several. */
export function observedByAll(observers: readonly Observer[]): Observer {
  const [only, ...others] = observers;
  if (only !== undefined && others.length === 0) return only;
  return {
    began: (visit) => {
      for (const each of observers) each.began(visit);
    },
    ended: (...all) => {
      for (const each of observers) each.ended(...all);
    },
    refused: () => {
      for (const each of observers) each.refused();
    },
    bodyRefused: () => {
      for (const each of observers) each.bodyRefused();
    },
  };
}
