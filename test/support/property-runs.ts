import fc from 'fast-check';

/** What a file runs that is started alone. */
const USUAL_RUNS = 100;

/** How many of `usual` cases there are: the gate draws a quarter of the cases of each property. */
export function ofRuns(usual: number): number {
  return (usual * (fc.readConfigureGlobal().numRuns ?? USUAL_RUNS)) / USUAL_RUNS;
}
