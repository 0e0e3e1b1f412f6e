// Loaded before each test file of the gate: properties draw the same cases each time, so that the
// gate says the same of the same sources. A file that is run alone draws new ones.
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['PROPERTY_SEED']) });
