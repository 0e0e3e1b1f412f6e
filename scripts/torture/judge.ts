/** Whether an answer is right: equal to what it must be, refused in the error form, or visibly cut. */
import { Comparison, type Body } from './bodies.ts';
import { ask, type Request } from './client.ts';

export interface Question {
  /** With its parameters. */
  readonly path: string;
  readonly contentType: string;
  readonly body: Body;
}

/** `cut`: by the server; `left`: by the reader. */
export const VERDICTS = ['equal', 'refused', 'cut', 'left', 'wrong'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Outcome {
  readonly verdict: Verdict;
  /** What is wrong, or why it was cut or refused. */
  readonly detail: string;
  readonly wireBytes: number;
}

/** Memory or time is short: a client can tell. */
const REFUSALS: readonly number[] = [422, 503];
const ERROR_BYTES_MAX = 64 << 10;

/** Asks, and judges what came. Never throws. */
export async function examine(
  origin: string,
  question: Question,
  how: Omit<Request, 'path'>,
): Promise<Outcome> {
  const comparison = new Comparison(question.body);
  const beginning: Uint8Array[] = [];
  let begun = 0;
  const reply = await ask(origin, { ...how, path: question.path }, (part) => {
    comparison.add(part);
    if (begun < ERROR_BYTES_MAX) beginning.push(Buffer.from(part));
    begun += part.length;
  });
  const { head, end, reason, wireBytes } = reply;
  const outcome = (verdict: Verdict, detail: string): Outcome => ({ verdict, detail, wireBytes });
  if (end === 'malformed' || end === 'late') return outcome('wrong', `${end}: ${reason}`);
  if (head === undefined) return outcome(end === 'left' ? 'left' : 'cut', reason);
  const isWhole = end === 'whole';
  if (head.status !== 200) {
    const text = Buffer.concat(beginning).toString('utf8');
    const told = `${head.status} ${text.slice(0, 300)}`;
    if (!REFUSALS.includes(head.status)) return outcome('wrong', told);
    if (end === 'left') return outcome('left', told);
    return outcome(isWhole && isErrorForm(text, head.status) ? 'refused' : 'wrong', told);
  }
  const contentType = head.headers.get('content-type');
  if (contentType !== question.contentType) return outcome('wrong', `content-type ${contentType}`);
  const wrong = differing(question, comparison, isWhole);
  if (wrong !== undefined) return outcome('wrong', wrong);
  if (isWhole) return outcome('equal', '');
  return outcome(end === 'left' ? 'left' : 'cut', `${reason} after ${comparison.bytes} bytes`);
}

/** @returns where the body differs from what it must be, as far as it came */
export function differing(
  { body }: Question,
  comparison: Comparison,
  isWhole: boolean,
): string | undefined {
  const difference = comparison.end(isWhole);
  if (difference === undefined) return undefined;
  const { offset, came, expected } = difference;
  const lengths = `${comparison.bytes} bytes${isWhole ? '' : ' and cut'} of ${body.bytes}`;
  return `${lengths}, differs at ${offset}\n  came     ${came}\n  expected ${expected}`;
}

function isErrorForm(text: string, status: number): boolean {
  try {
    const form = JSON.parse(text) as { code?: unknown; message?: unknown; data?: unknown };
    return form.code === status && typeof form.message === 'string' && form.data === null;
  } catch {
    return false;
  }
}
