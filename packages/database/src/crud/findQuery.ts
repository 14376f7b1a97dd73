import {
  type CommandArguments,
  EMPTY_DOCUMENT,
  fieldSet,
  isEmptyDocument,
  type KeyLimits,
  naturalDirection,
  operationCollator,
  projectorOf,
  projectorOnView,
  type ResolvedView,
  resolveView,
} from '@replsim/pipeline';
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
} from '@replsim/protocol';
import type { CommandContext } from '../definition.ts';
import { badTailable } from '../reading/collectionSource.ts';
import { nearnessOf } from '../reading/nearness.ts';
import { type CompiledFilter, compileQuery, orderOf, variablesOf } from '../reading/query.ts';
import { searchOf } from '../reading/textSearch.ts';
import { checkOptionsOnView } from './findOnView.ts';
import { parseResuming, type ResumableScan } from './findResume.ts';

// biome-ignore format: a list
const fields = fieldSet('find', 'filter', 'projection', 'sort', 'hint', 'skip', 'limit', 'batchSize', 'singleBatch', 'let',
  'collation', 'tailable', 'awaitData', 'noCursorTimeout', 'allowPartialResults', 'allowDiskUse', 'returnKey',
  'showRecordId', 'min', 'max', 'collectionUUID', 'oplogReplay', 'term', 'ntoreturn', 'includeQueryStatsMetrics', 'readOnce',
  '$_requestResumeToken', '$_resumeAfter', '$_startAt', 'querySettings');

/** A find, parsed. */
export interface FindQuery {
  /** What it reads, if that is a view. */
  readonly view: ResolvedView | undefined;
  readonly filter: CompiledFilter;
  readonly sort: Uint8Array | undefined;
  readonly hint: BsonValue | undefined;
  readonly limits: KeyLimits | undefined;
  readonly skip: number;
  /** Infinity for none. */
  readonly limit: number;
  readonly projection: Uint8Array | undefined;
  /** What the projection makes of a document. */
  readonly project: ((document: Uint8Array) => Uint8Array) | undefined;
  readonly returnKey: boolean;
  readonly showRecordId: boolean;
  readonly tailable: boolean;
  readonly awaitData: boolean;
  /** Nobody reads the same again soon, which only says something to a cache. */
  readonly readOnce: boolean;
  /** It tells with each batch where it is. */
  readonly resuming: ResumableScan | undefined;
}

/** Errors: BadValue 2, FailedToParse 9, Location51024 for negative numbers, 51176, those of filters, projections and views. */
export function parseFind({ args, data, member }: CommandContext, variables = variablesOf(args, member)): FindQuery {
  args.allow(fields);
  const collator = operationCollator(args, data, args.ns);
  const query = args.document('filter') ?? EMPTY_DOCUMENT;
  const projection = args.document('projection');
  const tailable = args.strictBool('tailable') ?? false;
  const awaitData = args.strictBool('awaitData') ?? false;
  const showRecordId = args.strictBool('showRecordId') ?? false;
  if (awaitData && !tailable) {
    throw new CommandError('FailedToParse', "'awaitData' needs 'tailable'");
  }
  // What they ask for makes no difference here.
  for (const name of [
    'allowDiskUse',
    'noCursorTimeout',
    'oplogReplay',
    'allowPartialResults',
    'includeQueryStatsMetrics',
  ])
    args.strictBool(name);
  const resuming = parseResuming(args, member.traits);
  if (args.document('querySettings'))
    throw new CommandError(
      'CommandNotSupported',
      "'querySettings' is not supported: a query has one plan, chosen by a fixed rule",
    );
  const limits = limitsOf(args);
  const order = orderOf(args);
  if (tailable) checkTailable(args, order.sort);
  const view = resolveView(data, args.ns);
  if (view) checkOptionsOnView(args);
  // What is projected may be how well documents fit the search, or how far they are.
  const filter = compileQuery(query, variables, collator, searchOf(data, args.ns));
  variables.nearness = nearnessOf(filter);
  const project = view
    ? projectorOnView(projection, variables, collator)
    : projectorOf(projection, query, variables, collator);
  return {
    view,
    filter,
    ...order,
    limits,
    skip: args.count('skip') ?? 0,
    limit: args.count('limit') || Infinity,
    projection,
    project: project && showRecordId ? keepingRecordId(project) : project,
    returnKey: args.strictBool('returnKey') ?? false,
    showRecordId,
    tailable,
    awaitData,
    readOnce: args.strictBool('readOnce') ?? false,
    resuming,
  };
}

/** Errors: Location51176 for limits that name other fields. Upstream: query_request_helper.cpp, validateFindCommandRequest. */
function limitsOf(args: CommandArguments): KeyLimits | undefined {
  const [min, max] = ['min', 'max'].map((name) => {
    const limit = args.document(name);
    return limit && isEmptyDocument(limit) ? undefined : limit;
  });
  if (min && max) {
    const [names, others] = [namesIn(min), namesIn(max)];
    if (names.length !== others.length || names.some((name, i) => name !== others[i]))
      throw new CommandError(51176, 'min and max must have the same field names');
  }
  return min || max ? { min, max } : undefined;
}

function namesIn(document: Uint8Array): string[] {
  const names: string[] = [];
  for (const cursor = new ElementCursor(document); cursor.next(); ) names.push(cursor.name);
  return names;
}

/** Errors: BadValue 2. Upstream: query_request_helper.cpp, validateFindCommandRequest. */
function checkTailable(args: CommandArguments, sort: Uint8Array | undefined): void {
  if (sort && !isEmptyDocument(sort) && naturalDirection(sort) !== 1) throw badTailable();
  if (args.strictBool('singleBatch'))
    throw new CommandError('BadValue', "cannot use tailable option with the 'singleBatch' option");
}

/** The record id is shown whatever the projection keeps. */
function keepingRecordId(project: (document: Uint8Array) => Uint8Array): (document: Uint8Array) => Uint8Array {
  return (document) => {
    const shown = project(document);
    const recordId = findField(document, RECORD_ID);
    const isId = recordId?.type === BsonType.long || recordId?.type === BsonType.binData;
    return isId && !findField(shown, RECORD_ID) ? withField(shown, recordId) : shown;
  };
}

const RECORD_ID = encodeName('$recordId');

function withField(document: Uint8Array, value: BsonValue): Uint8Array {
  const writer = new BsonWriter(document.length + 32);
  writer.rawElements(document, 4, document.length - 1);
  writer.rawValue('$recordId', value);
  return writer.finish();
}
