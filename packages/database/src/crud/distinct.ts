import { contextOf, type DocumentSource, inPlan, type Operation } from '@replsim/operations';
import {
  EMPTY_DOCUMENT,
  fieldSet,
  MAX_BSON_OBJECT_SIZE,
  operationCollator,
  type Reply,
  resolveView,
} from '@replsim/pipeline';
import { type BsonValue, CommandError, RawValue } from '@replsim/protocol';
import { extractIndexValues, MISSING, type PathSegment, parsePath, UNDEFINED } from '@replsim/query';
import { valueKeys } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { namespaceSource } from '../reading/namespaceSource.ts';
import { payFor } from '../reading/payFor.ts';
import { type CompiledFilter, compileQuery, hintOf, variablesOf } from '../reading/query.ts';
import { readInTurns } from '../reading/readInTurns.ts';
import { searchOf } from '../reading/textSearch.ts';

const fields = fieldSet('distinct', 'key', 'query', 'hint', 'collation');

/**
 * `{ distinct, key, query? }` → `{ values }`, in the order in which they were met; the elements of arrays count one by one.
 * Errors: Location17217 for more than one document can hold.
 * Upstream: distinct_command.cpp.
 */
export const distinct: CommandDefinition = {
  name: 'distinct',
  byUuid: true,
  help: 'gives the distinct values of a field',
  auth: { action: 'find', resource: 'collection' },
  api: 'none',
  secondaries: 'optIn',
  maintenanceOk: false,
  kind: 'read',
  readConcern: 'withSnapshot',
  run,
};

/** A distinct, parsed. */
export interface DistinctQuery {
  readonly path: readonly PathSegment[];
  readonly filter: CompiledFilter;
  readonly hint: BsonValue | undefined;
}

/** Errors: IDLFailedToParse 40414 without a key, Location31032 for one with a null byte, those of filters. */
export function parseDistinct(
  { args, data, member }: CommandContext,
  variables = variablesOf(args, member),
): DistinctQuery {
  args.allow(fields);
  const key = args.requiredString('key');
  if (key.includes('\0')) throw new CommandError(31032, 'Key field cannot contain an embedded null byte');
  const path = parsePath(key);
  const collator = operationCollator(args, data, args.ns);
  const filter = compileQuery(args.document('query') ?? EMPTY_DOCUMENT, variables, collator, searchOf(data, args.ns));
  return { path, filter, hint: hintOf(args) };
}

function* run(context: CommandContext): Operation<Reply> {
  const { args, member } = context;
  const variables = variablesOf(args, member);
  const { path, filter, hint } = yield* readInTurns(args, variables.meter, () => parseDistinct(context, variables));
  const source = yield* namespaceSource(context, args.ns, filter, hint);
  if (!source) return { values: [] };
  const plan = contextOf(resolveView(context.data, args.ns) ? 'aggregate' : 'distinct', args.ns, member.traits);
  const values = yield* inPlan(plan, distinctValues(context, source, path, filter));
  return { values: values.map((value) => new RawValue(value)) };
}

/** The values of all documents that a source gives, each once. */
function* distinctValues(
  { member }: CommandContext,
  source: DocumentSource,
  path: readonly PathSegment[],
  filter: CompiledFilter,
): Operation<readonly BsonValue[]> {
  const keyOf = valueKeys(filter.collator);
  const values = new Map<string, BsonValue>();
  let room = MAX_BSON_OBJECT_SIZE;
  for (;;) {
    for (let document = source.take(); document; document = source.take()) {
      for (const value of extractIndexValues(document, path).values) {
        if (value === MISSING || value === UNDEFINED) continue;
        const key = keyOf(value);
        if (values.has(key)) continue;
        values.set(key, value);
        room -= value.size;
        if (room < 0) throw new CommandError(17217, 'the distinct values do not fit into one reply of 16 MiB');
      }
    }
    yield* payFor(member, source);
    if (source.state !== 'more') break;
    source.resume();
  }
  return [...values.values()];
}
