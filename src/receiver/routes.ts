/** POST /api/v1/write: samples by remote write, answered when they are durable. */
import { errorReply, type AdmittedRequest, type HttpReply, type Route } from '../http/index.ts';
import { Fault, Unavailable } from '../query/index.ts';
import { checkEncoding, versionOf } from './content.ts';
import type { OutcomeCounts } from './families.ts';
import type { Receiver, WriteOutcome } from './receiver.ts';

export interface ReceiverRouteOptions {
  /** Undefined: nothing is received. */
  readonly receiver: Pick<Receiver, 'write'> | undefined;
  /** Whether the server is about to close, and takes nothing more. */
  readonly isClosing: () => boolean;
  /** Each request is added to one of them. */
  readonly outcomes: OutcomeCounts;
}

/** Compressed bytes of requests that are not answered yet: their senders wait for each, and send few at once. */
const UNDER_WAY_BYTES_MAX = 32 * 2 ** 20;
const SOON_SECONDS = 1;
/** A disk is not freed, and a server not started again, within a second. */
const LATER_SECONDS = 5;

export function receiverRoutes({ receiver, isClosing, outcomes }: ReceiverRouteOptions): Route[] {
  let underWayBytes = 0;
  const write = async ({ body, header }: Written): Promise<HttpReply> => {
    const version = versionOf(header('content-type'));
    checkEncoding(header('content-encoding'));
    if (receiver === undefined) throw switchedOff();
    if (isClosing()) throw later('prorata is stopping', LATER_SECONDS);
    const { length } = body;
    if (underWayBytes > 0 && underWayBytes + length > UNDER_WAY_BYTES_MAX)
      throw later(`${underWayBytes} bytes of other requests are being stored`, SOON_SECONDS);
    underWayBytes += length;
    try {
      const outcome = await receiver.write(body, version);
      outcomes[outcome.kind]++;
      return replyTo(outcome);
    } finally {
      underWayBytes -= length;
    }
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/write',
      needs: 'editor',
      scoping: { refused: 'what is written counts for everybody' },
      // It looks at the type itself.
      body: 'any',
      handle: (request) => write({ body: request.body, header: (name) => request.header(name) }),
    },
  ];
}

type Written = Pick<AdmittedRequest, 'body' | 'header'>;

/**
 * Senders do not send again what is answered with 4xx, but for 429, which they may; all send again after 5xx
 * (https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/#retries--backoff).
 */
function replyTo(outcome: WriteOutcome): HttpReply {
  switch (outcome.kind) {
    case 'stored':
      return { status: 204, headers: countsOf(outcome), body: '' };
    case 'refused': {
      const { samples, reasons } = outcome;
      const hint = `${samples} samples are stored; the others need not be sent again`;
      const fault = new Fault(`samples are refused: ${reasons.join('; ')}`, { hint });
      return withCounts(fault, { samples, histograms: 0, exemplars: 0 });
    }
    case 'malformed':
      return withCounts(new Fault(outcome.reason), { samples: 0, histograms: 0, exemplars: 0 });
    case 'busy': {
      const { reason, retryAfterSeconds } = outcome;
      throw new Unavailable(reason, {
        status: 429,
        retryAfterSeconds,
        hint: 'the operator sets these limits by --receive-series and --receive-rate',
      });
    }
    case 'unavailable':
      throw later(outcome.reason, LATER_SECONDS);
  }
}

interface Counts {
  readonly samples: number;
  readonly histograms: number;
  readonly exemplars: number;
}

function withCounts(fault: Fault, counts: Counts): HttpReply {
  const reply = errorReply(fault, () => undefined);
  return { ...reply, headers: { ...reply.headers, ...countsOf(counts) } };
}

/** Senders of 2.0 want them, those of 1.0 do not look. */
function countsOf({ samples, histograms, exemplars }: Counts): HttpReply['headers'] {
  return {
    'x-prometheus-remote-write-samples-written': String(samples),
    'x-prometheus-remote-write-histograms-written': String(histograms),
    'x-prometheus-remote-write-exemplars-written': String(exemplars),
  };
}

function switchedOff(): Fault {
  return new Fault('this server receives no samples', {
    status: 404,
    hint: 'start it with --receive true and --data-dir FOLDER',
  });
}

function later(why: string, retryAfterSeconds: number): Unavailable {
  return new Unavailable(why, { retryAfterSeconds, hint: 'send the same request again' });
}
