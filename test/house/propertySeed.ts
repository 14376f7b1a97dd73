import fc from 'fast-check';

// A property tries the same cases each time, so that a run that fails for nobody else cannot be, and what counts how often something came
// about counts the same. `PROPERTY_SEED=7 npm test` tries others.
const { PROPERTY_SEED = '1' } = process.env;
if (!/^-?\d+$/.test(PROPERTY_SEED)) throw new Error(`PROPERTY_SEED must be a whole number, not ${PROPERTY_SEED}`);
fc.configureGlobal({ seed: Number(PROPERTY_SEED) });
