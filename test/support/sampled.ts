/** How much of a sweep a run tries: a sample at the gate, all of it in `npm run prove`, which sets `PROVE=1`. */

export const isProof: boolean = process.env['PROVE'] === '1';

/** All cases in `npm run prove`; at the gate so many of them, evenly spaced, other ones for each `turn`. */
export function sampled<Case>(
  cases: readonly Case[],
  { gate, turn = 0 }: { readonly gate: number; readonly turn?: number },
): readonly Case[] {
  return isProof ? cases : evenly(cases, gate, turn);
}

/** @returns `count` cases or all, in their order */
export function evenly<Case>(cases: readonly Case[], count: number, turn: number): readonly Case[] {
  if (count >= cases.length) return cases;
  const step = cases.length / count;
  const first = turn % Math.ceil(step);
  return Array.from({ length: count }, (_, i) => Math.floor(i * step) + first)
    .map((at) => at % cases.length)
    .toSorted((a, b) => a - b)
    .flatMap((at) => cases.slice(at, at + 1));
}
