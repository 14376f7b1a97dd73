import { setTimeout } from 'node:timers/promises';
import { ServedSet } from '@replsim/server';

// Prints how often a served set that nobody uses takes a step, and how many events there were; `idle.test.ts` runs it on a slow machine.

const REAL_MS = 1500;

const served = await ServedSet.start({ members: 3 });
const { set } = served;
// What the first election leaves to do.
await setTimeout(500);
let steps = 0;
const pump = set.pump.bind(set);
set.pump = (untilMicros, enough) => {
  steps++;
  return pump(untilMicros, enough);
};
const before = set.eventsRun;
await setTimeout(REAL_MS);
process.stdout.write(JSON.stringify({ steps, events: set.eventsRun - before }));
await served.stop();
