import { DEFAULT_DRIVER_OPTIONS, MIN_HEARTBEAT_FREQUENCY_MS } from '@replsim/driver';
import { document, duration, either, flag, strict, text } from '@replsim/replset';
import * as z from 'zod';
import {
  findShape,
  label,
  limitMs,
  namespace,
  natural,
  optionMs,
  readConcern,
  readPreference,
  updateShape,
  withDefault,
  writeConcern,
} from '../schema/parts.ts';

const { heartbeatFrequencyMS, ...DEFAULTS } = DEFAULT_DRIVER_OPTIONS;

/** A client in the background; which keys go together is said by `readWorkload.ts`. */
export const workloadSchema = strict('workload', {
  name: label.describe('Its name, for stop and for the ledger'),
  every: duration.describe(
    'Time from one turn to the next. A turn is skipped while the previous operation is in progress',
  ),
  insert: strict('insert', {
    into: namespace.describe('The collection'),
    document: document.describe('The document to insert each turn; $i is the number of the turn'),
  })
    .optional()
    .describe('What it does each turn. Give one of insert, update, find, transfer, sum and append'),
  update: strict('update', updateShape).optional().describe('What it does each turn, instead of insert'),
  find: strict('find', findShape).optional().describe('What it does each turn, instead of insert'),
  transfer: strict('transfer', {
    in: namespace.describe(
      'The collection of accounts, { _id, balance }. If it is empty, the first turn opens the accounts',
    ),
    accounts: natural
      .min(2, { error: 'a transfer is between two accounts: 2 or more' })
      .max(100_000, { error: 'at most 100000 accounts: one transaction opens them' })
      .describe('Number of accounts'),
    initial: natural.describe('Opening balance of each account'),
  })
    .optional()
    .describe('What it does each turn: a transaction that adds up all accounts and moves money, retried as drivers do'),
  sum: strict('sum', {
    in: namespace.describe('The collection'),
    of: text.describe('The field to add up'),
    is: z.number({ error: 'expected a number' }).describe('The expected sum in every snapshot that has documents'),
  })
    .optional()
    .describe('What it does each turn: it adds up a field over all documents of one snapshot'),
  append: strict('append', {
    in: namespace.describe('The collection of lists, { _id, values }. A list is created by the first append'),
    lists: withDefault(natural, 3, 'Number of lists'),
  })
    .optional()
    .describe('What it does each turn: a transaction that appends to lists and reads lists, retried as drivers do'),
  reads: strict('reads', {
    every: either('a duration, or write: after each write', [z.literal('write'), duration]).describe(
      'How often another client reads one of the documents; write: the client that writes reads after each write',
    ),
    readConcern: readConcern.optional().describe('Read concern of these reads: { level: linearizable }'),
    readPreference: readPreference.optional().describe('Where these reads go: primary, secondary, nearest …'),
    causalConsistency: withDefault(
      flag,
      false,
      'The reads use one causally consistent session; with every: write, the writes use it too',
    ),
    near: text
      .optional()
      .describe("A member, or a zone, whose links the reading client shares. Default: the writing client's"),
    maxTimeMS: limitMs.optional().describe('The server gives up each read after this time. Unit: ms'),
  })
    .optional()
    .describe('Reads back what an insert, or an update of one document, writes, so that checks can judge the history'),
  writeConcern: writeConcern.optional().describe("Write concern of its writes: { w: 1 }. Default: the set's"),
  readConcern: readConcern
    .optional()
    .describe('Read concern of its reads and transactions: { level: majority }. Transfers and sums use snapshot'),
  readPreference: readPreference.optional().describe('Where it reads: primary, secondary, nearest …'),
  maxTimeMS: limitMs.optional().describe('The server gives up each operation after this time. Unit: ms'),
  maxCommitTimeMS: limitMs
    .optional()
    .describe('The server gives up the commit of a transfer after this time. Unit: ms'),
  near: text
    .optional()
    .describe(
      'A member whose links the client shares, or a zone: its first member. Without it the client reaches every process',
    ),
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
    retryWrites: withDefault(flag, DEFAULTS.retryWrites, 'Retry a write once after an error that allows it'),
    retryReads: withDefault(flag, DEFAULTS.retryReads, 'Retry a read once after an error that allows it'),
  })
    .optional()
    .describe('Options of the connection string, as in drivers'),
});
