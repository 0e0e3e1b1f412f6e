// Loaded in the gate before each test file that draws properties: they draw the same cases each time, so
// that the gate says the same of the same sources. A file that is run alone draws new ones.
import fc from 'fast-check';

const seed = process.env['PROPERTY_SEED'];
if (seed !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
