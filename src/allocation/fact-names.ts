/** Which facts are read. */
import { FACTS, type FactName } from '../metrics/catalogue.ts';

/** Facts in the order they are read: what comes first decides where sources disagree. */
export const FACT_NAMES: readonly FactName[] = Object.keys(FACTS) as FactName[];

/** Facts that are read only where idle is asked for. */
export const NODE_FACT_NAMES: readonly FactName[] = ['nodeCreated'];
