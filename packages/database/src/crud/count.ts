import type { DocumentSource, Operation } from '@replsim/operations';
import {
  EMPTY_DOCUMENT,
  fieldSet,
  isEmptyDocument,
  operationCollator,
  type Reply,
  resolveView,
} from '@replsim/pipeline';
import type { BsonValue } from '@replsim/protocol';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { namespaceSource } from '../reading/namespaceSource.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { payFor } from '../reading/payFor.ts';
import { type CompiledFilter, compileQuery, hintOf, variablesOf } from '../reading/query.ts';
import { readInTurns } from '../reading/readInTurns.ts';
import { searchOf } from '../reading/textSearch.ts';

const fields = fieldSet('count', 'query', 'limit', 'skip', 'hint', 'collation', 'fields');

/**
 * `{ count, query?, skip?, limit?, hint? }` → `{ n }`; without a query the number is at hand.
 * Errors: Location51024 for a negative skip. Upstream: count_cmd.cpp.
 */
export const count: CommandDefinition = {
  name: 'count',
  byUuid: true,
  help: 'counts the documents that match a query',
  auth: { action: 'find', resource: 'collection' },
  api: 'v1',
  secondaries: 'optIn',
  maintenanceOk: false,
  kind: 'read',
  readConcern: 'withoutSnapshot',
  run,
};

function* run(context: CommandContext): Operation<Reply> {
  const { args, member } = context;
  const variables = variablesOf(args, member);
  const { filter, skip, limit } = yield* readInTurns(args, variables.meter, () => parseCount(context, variables));
  const found = yield* countMatches(context, args.ns, filter, skip + limit);
  return { n: Math.min(Math.max(found - skip, 0), limit) };
}

/** A count, parsed. */
export interface CountQuery {
  readonly filter: CompiledFilter;
  readonly hint: BsonValue | undefined;
  readonly skip: number;
  /** Infinity for none. */
  readonly limit: number;
}

/** Errors: Location51024 for a negative skip, those of filters. */
export function parseCount({ args, data, member }: CommandContext, variables = variablesOf(args, member)): CountQuery {
  args.allow(fields);
  const skip = args.count('skip') ?? 0;
  // The sign of a limit used to mean something.
  const limit = Math.abs(args.number('limit') ?? 0) || Infinity;
  const collator = operationCollator(args, data, args.ns);
  const filter = compileQuery(args.document('query') ?? EMPTY_DOCUMENT, variables, collator, searchOf(data, args.ns));
  return { filter, hint: hintOf(args), skip, limit };
}

/** How many documents match, counted no further than `enough`. */
export function* countMatches(
  context: CommandContext,
  ns: string,
  filter: CompiledFilter,
  enough = Infinity,
): Operation<number> {
  const hint = hintOf(context.args);
  if (isEmptyDocument(filter.bytes) && !hint && ns !== OPLOG_NS) {
    const view = context.data;
    const collection = view.collection(ns);
    if (collection && !resolveView(view, ns)) return collection.count;
  }
  const source = yield* namespaceSource(context, ns, filter, hint, true);
  return source ? yield* drain(context, source, enough) : 0;
}

function* drain({ member }: CommandContext, source: DocumentSource, enough: number): Operation<number> {
  let found = 0;
  while (found < enough) {
    if (source.take()) {
      found += 1;
      continue;
    }
    yield* payFor(member, source);
    if (source.state !== 'more') break;
    source.resume();
  }
  yield* payFor(member, source);
  return found;
}
