import { type Costs, DEFAULT_COSTS } from '@replsim/protocol';
import type { NetworkSettings } from '@replsim/replset';

/**
 * What things take where all members are processes of one machine, as beside a test suite. A set that is served keeps step with
 * the wall clock, so what a client asks for is to take no more of its time than of the wall clock's: each is at or below what it
 * takes this process in fact, and with it a mongod on a notebook. Scenarios have a data centre's (`DEFAULT_COSTS`).
 */
export const ONE_MACHINE_COSTS: Costs = Object.freeze({
  ...DEFAULT_COSTS,
  // A ping over the loopback is some 50 µs, most of which the sockets take.
  commandMicros: 10,
  // 2,000 documents of an insertMany are there within some 10 ms.
  insertMicros: 3,
  updateMicros: 4,
  deleteMicros: 3,
  indexKeyMicros: 0.5,
  // A collection scan looks at some ten million documents a second.
  scanKeyMicros: 0.1,
  fetchEntryMicros: 1,
  applyEntryMicros: 2,
  // To the page cache of an SSD that takes the flush at its word.
  journalFlushMicros: 40,
  checkpointMicros: 1000,
  indexBuildMicrosPerDocument: 1,
  initialSyncMicrosPerDocument: 2,
  commitMicros: 5,
});

/**
 * The loopback, and the time until the other process has been woken. A write that waits for a majority goes over six such links,
 * and is there after some 0.4 ms, which is what the driver, the sockets and the members take of this process for it.
 */
export const ONE_MACHINE_NETWORK: NetworkSettings = Object.freeze({ latencyMs: [0.05, 0.09] as const });
