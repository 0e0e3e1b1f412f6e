/** What to do about what answers warn of: words of the warning, and what helps. */

interface Advice {
  /** Any of them. */
  readonly words: readonly string[];
  readonly says: string;
}

export const ADVICE: readonly Advice[] = [
  { words: ['is damaged and set aside'], says: 'Its bytes were set aside. `prorata fsck` tells which, and the builder makes the day anew while the metrics store still has it.' },
  { words: ['is not stored'], says: 'The metrics store has no samples of it, or the builder has not come to it yet: the line of the builder tells.' },
  { words: ['volumes held by no claim'], says: 'Nobody uses these volumes: Savings lists them.' },
  { words: ['allocations exceed their nodes'], says: 'Pods were charged more than their nodes cost: usage above what nodes have, or prices that do not fit. Allocations by node show where.' },
  { words: ['no cloud bill', 'no bill tells of', 'the cloud bill tells of'], says: 'Import bills (`prorata import focus`, or --bill-folder), and costs are what was paid.' },
  { words: ['were NaN or infinite'], says: 'Odd samples were dropped: look at the scrape of what they are of.' },
  { words: ['no traffic that the store tells of'], says: 'Traffic of pods comes from cAdvisor (`container_network_…`): is it scraped?' },
  { words: ['no list price', 'no spot price', 'nor a type in --node-types'], says: 'Give prices by --node-types, or fetch newer list prices (`prorata prices update`).' },
  { words: ['have gaps of more than'], says: 'Nothing was scraped for a while, and nothing is charged for it.' },
  { words: ['usage counts as 0'], says: 'Usage comes from cAdvisor: is it scraped?' },
]; // prettier-ignore

/** @returns '' where nothing is to be done */
export function adviceOn(warning: string): string {
  return ADVICE.find(({ words }) => words.some((each) => warning.includes(each)))?.says ?? '';
}
