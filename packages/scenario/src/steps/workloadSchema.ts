import { document, duration, flag, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { DEFAULT_DRIVER_OPTIONS, MIN_HEARTBEAT_FREQUENCY_MS } from '../client/driverOptions.ts';
import {
  findShape,
  label,
  limitMs,
  namespace,
  natural,
  optionMs,
  readPreference,
  updateShape,
  withDefault,
} from '../schema/parts.ts';

const { heartbeatFrequencyMS, ...DEFAULTS } = DEFAULT_DRIVER_OPTIONS;

/** A client in the background; which keys go together is said by `readWorkload.ts`. */
export const workloadSchema = strict('workload', {
  name: label.describe('What stop and the ledger call it'),
  every: duration.describe('From one turn to the next; a turn that comes while an operation is under way is left out'),
  insert: strict('insert', {
    into: namespace.describe('The collection'),
    document: document.describe('One document a turn; $i is the number of the turn'),
  })
    .optional()
    .describe('What it does each turn; this, update, find, transfer or sum'),
  update: strict('update', updateShape).optional().describe('What it does each turn; this, or one of the others'),
  find: strict('find', findShape).optional().describe('What it does each turn; this, or one of the others'),
  transfer: strict('transfer', {
    in: namespace.describe('The accounts: { _id, balance }; its first turn opens them, if there are none'),
    accounts: natural
      .min(2, { error: 'a transfer is between two accounts: 2 or more' })
      .max(100_000, { error: 'at most 100000 accounts: one transaction opens them' })
      .describe('How many there are'),
    initial: natural.describe('What each begins with'),
  })
    .optional()
    .describe(
      'What it does each turn: a transaction that adds up all accounts and moves something, tried as drivers do',
    ),
  sum: strict('sum', {
    in: namespace.describe('The collection'),
    of: text.describe('The field'),
    is: z.number({ error: 'expected a number' }).describe('What it comes to in every snapshot that has any'),
  })
    .optional()
    .describe('What it does each turn: it adds up a field of all documents in one snapshot'),
  writeConcern: document.optional().describe("Of its writes: { w: 1 }; without it, the set's default"),
  readConcern: document
    .optional()
    .describe('Of its reads and transactions: { level: majority }; transfers and sums have snapshot'),
  readPreference: readPreference.optional().describe('Where it reads: primary, secondary, nearest …'),
  maxTimeMS: limitMs.optional().describe('Each operation is given up by the server after so long. Unit: ms'),
  maxCommitTimeMS: limitMs.optional().describe('Of a transfer: its commit is given up after so long. Unit: ms'),
  near: text.optional().describe('A member whose links the client shares; without it the client reaches every process'),
  options: strict('options', {
    serverSelectionTimeoutMS: withDefault(
      optionMs,
      DEFAULTS.serverSelectionTimeoutMS,
      'How long an operation waits for a server that fits',
    ),
    connectTimeoutMS: withDefault(optionMs, DEFAULTS.connectTimeoutMS, 'How long a monitor waits for its hello'),
    socketTimeoutMS: withDefault(
      optionMs,
      DEFAULTS.socketTimeoutMS,
      'How long an operation waits for its answer; 0 is for ever',
    ),
    heartbeatFrequencyMS: withDefault(
      optionMs.min(MIN_HEARTBEAT_FREQUENCY_MS, {
        error: `heartbeatFrequencyMS is at least ${MIN_HEARTBEAT_FREQUENCY_MS}`,
      }),
      heartbeatFrequencyMS,
      'From one hello to the next, where a server does not push its news',
    ),
    localThresholdMS: withDefault(
      optionMs,
      DEFAULTS.localThresholdMS,
      'By how much a server may be slower than the quickest, and be chosen',
    ),
    retryWrites: withDefault(flag, DEFAULTS.retryWrites, 'Writes are sent once more after errors that allow it'),
    retryReads: withDefault(flag, DEFAULTS.retryReads, 'Reads are sent once more after errors that allow it'),
  })
    .optional()
    .describe('Of the connection string, as drivers have them'),
});
