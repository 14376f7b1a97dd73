import { document, duration, either, strict, target, text } from '@replsim/replset';
import * as z from 'zod';
import { LEDGER_COUNTS, type LedgerCount } from '../ledgerCounts.ts';
import { count, databaseName, filter, label, namespace, value } from './parts.ts';

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

export const errorName = either('the name or number of an error, or any', [text, z.int()]).describe(
  'The name or number of an error, or any',
);

type LedgerShape = Record<LedgerCount, z.ZodOptional<typeof value>>;

/** The keys of a check; which belong together is said by `checks.ts`. */
const checkShape = {
  primary: text.optional().describe("A member's name, any or none"),
  state: z
    .record(z.string(), z.enum(STATES, { error: `expected one of ${STATES.join(', ')}` }), {
      error: 'expected { member: STATE }',
    })
    .optional()
    .describe("Each member's own replSetGetStatus says so; DOWN: its process is not running"),
  on: target.optional(),
  count: either('a namespace to count, or a number of entries or lines', [namespace, count, filter]).optional(),
  find: namespace.optional(),
  filter: filter.optional(),
  sort: document.optional(),
  projection: document.optional(),
  is: value.optional().describe('A number or MQL conditions for count, the list of documents for find'),
  command: document.optional(),
  db: databaseName.optional(),
  oplog: filter.optional().describe('Entries of local.oplog.rs'),
  entries: z.array(filter, { error: 'expected a list of filters' }).optional(),
  log: filter.optional().describe("Lines of the member's structured log"),
  same: either('a list of namespaces, or all', [z.literal('all'), z.array(namespace).min(1)]).optional(),
  reply: label.optional().describe('A step that was sent with "as"'),
  workload: label.optional().describe("A workload's ledger"),
  ...(Object.fromEntries(LEDGER_COUNTS.map((name) => [name, value.optional()])) as LedgerShape),
  ttl: strict('ttl', {
    index: text.describe("A TTL index's name; _id_ for a collection's own expireAfterSeconds"),
    ns: namespace.optional().describe('Needed only where several collections have an index of this name'),
    on: text.optional().describe('Until gone on this member; without it, until deleted on the primary'),
    lateness: filter.describe('On { count, medianMs, p99Ms, worstMs, because, worst: { sleepMs, … }, … }'),
  })
    .optional()
    .describe('How late documents were deleted by TTL so far, and why'),
  matches: filter.optional(),
  error: errorName.optional(),
  // A check by itself; its type cannot name itself here.
  get not(): z.ZodOptional<z.ZodType<Record<string, unknown>>> {
    return checkSchema.optional() as never;
  },
};

export const checkSchema = strict('a check', checkShape).meta({ id: 'check' });
export const eventuallySchema = strict('eventually', {
  within: duration.describe('Time runs until the check holds, at most so long'),
  after: duration.optional().describe('It must not hold before'),
  ...checkShape,
});
export const alwaysSchema = strict('always', {
  for: duration.describe('Time runs for so long, and the check must hold throughout'),
  ...checkShape,
});
export type CheckInput = z.infer<typeof checkSchema>;
