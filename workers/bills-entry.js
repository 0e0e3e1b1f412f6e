// Piscina's entry where nothing but bills is read, which takes a third of the memory of all tasks.
import { load } from './load.js';

const { default: run } = await load('bills');
export default run;
