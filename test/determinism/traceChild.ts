import { readFileSync } from 'node:fs';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario, traceLine } from '@replsim/scenario';

// Prints the trace of the scenario that it is given; `determinism.test.ts` runs it in processes of other kinds.

const file = process.argv[2]!;
await playScenario(parseScenario(readFileSync(file, 'utf8'), file), (options) => ReplSet.create(options), {
  onTrace: (event) => process.stdout.write(`${traceLine(event)}\n`),
});
