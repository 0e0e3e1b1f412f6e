// Piscina's entry for commands that only read bills: it takes a third of the memory of all tasks.
import { load } from './load.js';

const { default: run } = await load('bills');
export default run;
