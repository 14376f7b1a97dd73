import { type BsonValue, RawValue } from '@replsim/protocol';
import { extractIndexValues, MISSING, parsePath, UNDEFINED } from '@replsim/query';
import { encodeKey } from '@replsim/storage';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { fieldSet } from '../arguments.ts';
import { checkCollation } from '../catalog/collectionOptions.ts';
import type { CommandContext, CommandDefinition, Reply } from '../command.ts';
import { EMPTY_DOCUMENT } from '../documents.ts';
import { nextMatch } from '../reading/matchScan.ts';
import { compile, hintOf, scanOf, variablesOf, viewOf } from '../reading/query.ts';

const fields = fieldSet('distinct', 'key', 'query', 'hint', 'collation');

/**
 * `{ distinct, key, query? }` → `{ values }`, in the order in which they were met; the elements of arrays count one by one.
 * Upstream: distinct_command.cpp.
 */
export const distinct: CommandDefinition = {
  name: 'distinct',
  secondaries: 'optIn',
  maintenanceOk: false,
  isRead: 'withSnapshot',
  run,
};

function* run(context: CommandContext): Operation<Reply> {
  const { args, member } = context;
  args.allow(fields);
  const path = parsePath(args.requiredString('key'));
  checkCollation(args.document('collation'));
  const filter = compile(args.document('query') ?? EMPTY_DOCUMENT, variablesOf(args, member));
  const view = viewOf(context);
  const collection = view.collection(args.ns);
  if (!collection) return { values: [] };
  const scan = scanOf(view, collection, filter, { hint: hintOf(args) });
  const values = new Map<string, BsonValue>();
  while (yield* nextMatch(scan, member.costs.scanKeyMicros)) {
    for (const value of extractIndexValues(scan.document.bytes, path).values) {
      if (value === MISSING || value === UNDEFINED) continue;
      const key = encodeKey(value);
      if (!values.has(key)) values.set(key, value);
    }
  }
  yield* spend(scan.takeExamined() * member.costs.scanKeyMicros);
  return { values: [...values.values()].map((value) => new RawValue(value)) };
}
