// Stands for fast-check in bundled tests. Properties draw the same cases each time, by PROPERTY_SEED, and
// PROPERTY_RUNS of them, where 100 is what a file runs that is started alone: the gate runs a quarter, `npm run
// prove` all. Counts that a property sets itself are scaled alike, but not below what they are or the gate's count.
import * as all from 'fast-check';

const USUAL_RUNS = 100;
const GATE_RUNS = 25;

const seed = process.env['PROPERTY_SEED'];
const runs = Number(process.env['PROPERTY_RUNS'] ?? GATE_RUNS);
all.configureGlobal({
  ...all.readConfigureGlobal(),
  numRuns: runs,
  ...(seed === 'random' ? {} : { seed: Number(seed) }),
});

function assert(property, parameters) {
  const own = parameters?.numRuns;
  if (own === undefined) return all.assert(property, parameters);
  const numRuns = Math.max(Math.min(own, GATE_RUNS), Math.ceil((own * runs) / USUAL_RUNS));
  return all.assert(property, { ...parameters, numRuns });
}

export * from 'fast-check';
export default { ...all.default, assert };
