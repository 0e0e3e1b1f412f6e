/** What to do about what answers warn of: their words, and what helps. */

interface Advice {
  readonly of: RegExp;
  readonly says: string;
}

const ADVICE: readonly Advice[] = [
  { of: /is damaged/, says: 'Its bytes were set aside. `prorata fsck` tells which, and the builder makes the day anew while the metrics store still has it.' },
  { of: /is not stored/, says: 'The metrics store has no samples of it, or the builder has not come to it yet: the line of the builder tells.' },
  { of: /held by no claim/, says: 'Nobody uses these volumes: Savings lists them.' },
  { of: /exceed their nodes/, says: 'Pods were charged more than their nodes cost: usage above what nodes have, or prices that do not fit. Assets shows where.' },
  { of: /no cloud bill|no bill|bill tells/, says: 'Import bills (`prorata import focus`, or --bill-folder), and costs are what was paid.' },
  { of: /have no usage/, says: 'They did not run long enough to be judged, or their usage is not scraped.' },
  { of: /NaN|infinite|came twice|out of order/, says: 'Odd samples were dropped: look at the scrape of what they are of.' },
  { of: /no traffic that the store tells of/, says: 'Traffic of pods comes from cAdvisor (`container_network_…`): is it scraped?' },
  { of: /price book|no price/, says: 'Give prices by --node-types, or wait for the list price of the type.' },
  { of: /away for|gap/, says: 'Nothing was scraped for a while, and nothing is charged for it.' },
]; // prettier-ignore

/** @returns '' where nothing is to be done */
export function adviceOn(warning: string): string {
  return ADVICE.find(({ of }) => of.test(warning))?.says ?? '';
}
