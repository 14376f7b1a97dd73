import { document, duration, either, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { LATENCY_NAMES, type LatencyName, LEDGER_COUNTS, type LedgerCount, PHASES } from '../ledgerCounts.ts';
import {
  count,
  databaseName,
  errorName,
  filter,
  label,
  namespace,
  onPrimary,
  value,
  withDefault,
} from '../schema/parts.ts';

const STATES = [
  'STARTUP',
  'PRIMARY',
  'SECONDARY',
  'RECOVERING',
  'STARTUP2',
  'UNKNOWN',
  'ARBITER',
  'DOWN',
  'ROLLBACK',
  'REMOVED',
] as const;

type LedgerShape = Record<LedgerCount, z.ZodOptional<typeof value>>;
const LEDGER: Record<LedgerCount, string> = {
  sent: 'Operations that reached a server or an end',
  acknowledged: 'Writes that were answered as their write concern asks',
  lost: 'Of these, the ones that the newest primary does not have',
  errors: "Operations that failed: a server's error, a write concern's, no server, a refused connection",
  unknown: 'Writes of which the client cannot know whether they were carried out',
  reads: 'Reads that were answered',
  dirtyReads: 'Of these, the ones that returned a document as a write left it that is lost now',
  staleReads: 'Of these, the ones that missed a write which a majority had acknowledged before they began',
  aborted: 'Transactions of transfers that were aborted, to be begun again or for good',
  sums: 'Snapshots of which everything was added up; none while all of them are of one state',
  tornSums: 'Of these, the ones that came to something else',
  unservedMs: 'For how long the client asked and nothing was acknowledged, or answered, for more than a second; in all',
  longestUnservedMs: 'The same, at once',
  withoutPrimaryMs: 'For how long, while it worked, no running member accepted writes; in all',
  longestWithoutPrimaryMs: 'The same, at once',
};

type LatencyShape = Record<LatencyName, z.ZodOptional<typeof value>>;
const LATENCIES: Record<LatencyName, string> = {
  p50Ms: 'Within how many milliseconds half of what was acknowledged or answered was, from when it was asked for',
  p95Ms: 'The same, of 95 in 100',
  p99Ms: 'The same, of 99 in 100',
  maxMs: 'The same, of all of them',
};

/** The keys of a check; which belong together is said by `checks.ts`. */
const checkShape = {
  primary: text.optional().describe("A member's name, any or none"),
  state: z
    .record(z.string(), z.enum(STATES, { error: `expected one of ${STATES.join(', ')}` }), {
      error: 'expected { member: STATE }',
    })
    .optional()
    .describe("Each member's own replSetGetStatus says so; DOWN: its process is not running"),
  on: onPrimary,
  count: either('a namespace to count, or a number of entries or lines', [namespace, count, filter])
    .optional()
    .describe('A collection; "is" is the number of its documents. With oplog or log: the number of entries or lines'),
  find: namespace.optional().describe('A collection; "is" lists its documents'),
  sum: namespace.optional().describe('A collection; "is" is the sum of the field "of"'),
  of: text.optional().describe('The field that is added up'),
  readConcern: document.optional().describe('Of a sum: { level: snapshot }; without it, what the member has now'),
  at: z
    .literal('every snapshot', { error: 'expected "every snapshot"' })
    .optional()
    .describe('A sum as of each of its changes that a majority has and that can still be read'),
  filter: withDefault(filter, {}, 'Which documents are counted, found or added up'),
  sort: document.optional().describe('If given, "is" lists them in this order; otherwise in any order'),
  projection: document.optional().describe('Which fields of what is found'),
  is: value.optional().describe('A number or MQL conditions for count, the list of documents for find'),
  command: document.optional().describe('Any command; "matches" or "error" describes the expected reply'),
  db: withDefault(databaseName, 'admin', 'The database of the command'),
  oplog: filter.optional().describe('Entries of local.oplog.rs'),
  entries: z
    .array(filter, { error: 'expected a list of filters: [{ field: value }]' })
    .optional()
    .describe('As many entries, and each matches its filter, oldest first'),
  log: filter.optional().describe("Lines of the member's structured log"),
  same: either('a list of namespaces, or all', [
    z.literal('all'),
    z.array(namespace).min(1, { error: 'expected at least one namespace' }),
  ])
    .optional()
    .describe('Equal on all members that run: these collections, or all; by dbHash'),
  reply: label.optional().describe('A step that was sent with "as"'),
  workload: label.optional().describe("A workload's ledger"),
  stream: label.optional().describe('The events that a stream has shown so far'),
  events: z
    .array(filter, { error: 'expected a list of filters: [{ operationType: insert }]' })
    .optional()
    .describe('As many events, and each matches its filter, in order'),
  ...(Object.fromEntries(LEDGER_COUNTS.map((name) => [name, value.optional().describe(LEDGER[name])])) as LedgerShape),
  ...(Object.fromEntries(
    LATENCY_NAMES.map((name) => [name, value.optional().describe(LATENCIES[name])]),
  ) as LatencyShape),
  phase: z
    .enum(PHASES, { error: `expected one of ${PHASES.join(', ')}` })
    .optional()
    .describe('The operations of a workload whose latency is meant; by default all'),
  ttl: strict('ttl', {
    index: text.describe("A TTL index's name; _id_ for a collection's own expireAfterSeconds"),
    ns: namespace.optional().describe('Needed only where several collections have an index of this name'),
    on: text.optional().describe('Until gone on this member; without it, until deleted on the primary'),
    lateness: filter.describe('On { count, medianMs, p99Ms, worstMs, because, worst: { sleepMs, … }, … }'),
  })
    .optional()
    .describe('How late documents were deleted by TTL so far, and why'),
  matches: filter.optional().describe('What the reply of command or reply must match'),
  error: errorName.optional().describe('The error of the command, the step or the stream: a name or number, or any'),
  // A check by itself; its type cannot name itself here.
  get not(): z.ZodOptional<z.ZodType<Record<string, unknown>>> {
    return checkSchema.optional() as never;
  },
};

const ELSEWHERE = {
  within: '"expect" looks now; to wait for it: eventually: { within: 30s, … }',
  for: 'it is "always" that lasts: always: { for: 30s, … }',
};

export const checkSchema = strict('a check', checkShape, ELSEWHERE).meta({
  id: 'check',
  description: 'A check that holds now; after "not", one that does not',
});
export const eventuallySchema = strict(
  'eventually',
  {
    within: duration.describe('Time runs until the check holds, at most for this long'),
    after: duration.optional().describe('It must not hold before'),
    ...checkShape,
  },
  { for: 'did you mean "within"?' },
).describe('Holds within a time, at the first instant at which it does');
export const alwaysSchema = strict(
  'always',
  {
    for: duration.describe('Time runs for this long, and the check must hold throughout'),
    ...checkShape,
  },
  { within: 'did you mean "for"?' },
).describe('Holds throughout a time');
export type CheckInput = z.infer<typeof checkSchema>;
