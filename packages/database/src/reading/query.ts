import {
  arrayValue,
  bytesOf,
  checkNatural,
  checkNaturalHint,
  choosePlan,
  conjunctsOf,
  type DocumentScores,
  EMPTY_DOCUMENT,
  type Fields,
  type FilterTree,
  nearLeafOf,
  OperationVariables,
  type Plan,
  type PlanRequest,
  parseFilterTree,
  type Search,
  searchCompiler,
} from '@replsim/pipeline';
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  requiredField,
  writeJsValue,
} from '@replsim/protocol';
import {
  type Collator,
  checkVariableName,
  compileExpression,
  compileFilter,
  type Filter,
  type FilterOptions,
  interruptible,
  looksAtDocument,
  type Meter,
  nearNotAllowed,
  type Variables,
} from '@replsim/query';
import type { CollectionView, ReadView } from '@replsim/storage';
import type { MemberServices } from '../member.ts';
import { MatchScan } from './matchScan.ts';

/** A filter with the bytes it was compiled from, which the planner looks at. */
export interface CompiledFilter {
  readonly bytes: Uint8Array;
  /** The same as the planner sees it, if it was read in turns with others. */
  readonly tree?: FilterTree | undefined;
  readonly matches: Filter;
  readonly collator: Collator | undefined;
  /** How well what matched fits what `$text` looks for; absent without it. */
  readonly scores: DocumentScores | undefined;
  /** Counts what its expressions go through. */
  readonly meter: Meter | undefined;
}

/**
 * Compiles a filter with what `$$` names stand for in it.
 * @param collator by which it compares strings
 * @param search what `$text` looks through
 */
export function compile(bytes: Uint8Array, variables: Variables, collator?: Collator, search?: Search): CompiledFilter {
  return compiled(bytes, variables, collator, search, false);
}

/** The same for a query, which may ask for what is near: a plan sees to it. */
export function compileQuery(
  bytes: Uint8Array,
  variables: Variables,
  collator: Collator | undefined,
  search: Search | undefined,
  bans?: FilterOptions['bans'],
): CompiledFilter {
  return compiled(bytes, variables, collator, search, true, bans);
}

const EXPR: ReadonlySet<'$expr'> = new Set(['$expr'] as const);

/**
 * The same for the query of an upsert, of which nobody could say what fields a new document gets from `$expr`.
 * Errors: QueryFeatureNotAllowed 224. Upstream: parsed_update_base.cpp, parseQueryToCQ.
 */
export function compileUpsertQuery(...query: Parameters<typeof compile>): CompiledFilter {
  const [bytes, variables, collator, search] = query;
  try {
    return compileQuery(bytes, variables, collator, search, EXPR);
  } catch (error) {
    if (!(error instanceof CommandError && error.codeName === 'QueryFeatureNotAllowed')) throw error;
    throw new CommandError(error.code, '$expr is not allowed in the query predicate for an upsert');
  }
}

function compiled(
  bytes: Uint8Array,
  variables: Variables,
  collator: Collator | undefined,
  search: Search | undefined,
  allowsNear: boolean,
  bans?: FilterOptions['bans'],
): CompiledFilter {
  const options = { variables, collator, allowsNear, bans };
  const matches = compileFilter(bytes, { ...options, search: searchCompiler(search, variables) });
  const scores = variables instanceof OperationVariables ? variables.textScores : undefined;
  const meter = interruptible(variables.meter);
  const tree = meter && parseFilterTree(bytes, meter);
  return { bytes, tree, matches, collator, scores, meter: variables.meter };
}

/** Errors: Location5626500 for a query for what is near, on what no index is of: a view, the oplog. */
export function refuseNear({ bytes, tree }: CompiledFilter): void {
  if (nearLeafOf(conjunctsOf(tree ?? parseFilterTree(bytes)))) throw nearNotAllowed();
}

/** A filter as the planner needs it. */
export function planned({ bytes, tree, collator }: CompiledFilter): Pick<PlanRequest, 'filter' | 'tree' | 'collator'> {
  return { filter: bytes, tree, collator };
}

/** Begins to walk a collection's matches, as a query of its own. With `counted` only their number is wanted. */
export function scanOf(
  view: ReadView,
  collection: CollectionView,
  filter: CompiledFilter,
  request: Omit<PlanRequest, 'filter' | 'collator'> & { readonly counted?: boolean } = {},
): MatchScan {
  const plan = choosePlan(collection, { ...planned(filter), ...request });
  noteUse(plan);
  const covered = request.counted === true && plan.stage === 'IXSCAN' && plan.residual.length === 0;
  return new MatchScan(view, collection, plan, filter, covered);
}

/**
 * Counts a query for `$indexStats`; what the member does of its own accord, such as expiry, is not counted.
 * Upstream: collection_index_usage_tracker.cpp.
 */
export function noteUse(plan: Plan): void {
  if (plan.stage === 'IXSCAN') plan.index.accesses.ops += 1;
}

/** Manual of 7.0, "Aggregation Variables". */
const USER_ROLES_WIRE_VERSION = 21;

/**
 * What `$$name` stands for: what the expressions of `let` come to, `NOW` by the member's clock, `CLUSTER_TIME` in a set.
 * Errors: those of expressions and of `checkVariableName`, Location4890500 for a `let` that asks for a field.
 */
export function variablesOf(fields: Fields, member: MemberServices): OperationVariables {
  const chance = () => member.ids.below(2 ** 32) / 2 ** 32;
  const variables = new OperationVariables(chance, [['NOW', dateValue(member.now.wallMs)]]);
  const { $clusterTime } = member.replyMetadata() as { $clusterTime?: { clusterTime: unknown } };
  // Nobody has a role where nobody has to log in.
  if (member.traits.maxWireVersion >= USER_ROLES_WIRE_VERSION) variables.set('USER_ROLES', arrayValue([]));
  if ($clusterTime) variables.set('CLUSTER_TIME', bsonValueOf($clusterTime.clusterTime));
  const given = fields.document('let');
  if (!given) return variables;
  const constants = new ElementCursor(given);
  while (constants.next()) {
    const { name } = constants;
    if (GIVEN.has(name)) throw new CommandError(4738901, `Illegal parameter: ${name} in let`);
    checkVariableName(name);
    const compute = compileExpression(constants.value(), variables);
    if (looksAtDocument(constants.value())) throw noDocumentYet(name);
    const value = compute(EMPTY_DOCUMENT);
    if (value) variables.set(name, value);
  }
  return variables;
}

/** Variables that a command has without asking. Upstream: variables.cpp, Variables::kBuiltinVarNameToId. */
const GIVEN: ReadonlySet<string> = new Set(['NOW', 'CLUSTER_TIME', 'IS_MR', 'JS_SCOPE']);

/** Upstream: variables.cpp, seedVariablesWithLetParameters. */
function noDocumentYet(name: string): CommandError {
  const errmsg = `'let' of a command is computed before any document is looked at, and '${name}' asks for a field of one`;
  return new CommandError(4890500, errmsg);
}

/** Sort and hint. Errors: those of `hintOf`, BadValue 2 for `$natural` with another order than -1 and 1, or beside another hint. */
export function orderOf(fields: Fields): {
  readonly sort: Uint8Array | undefined;
  readonly hint: BsonValue | undefined;
} {
  const sort = fields.document('sort');
  if (sort) checkNatural(sort, 'sort');
  const hint = hintOf(fields);
  checkNaturalHint(sort, hint);
  return { sort, hint };
}

/** A hint. Errors: those of `sentHint`, BadValue 2 for `$natural` with another order than -1 and 1. */
export function hintOf(fields: Fields): BsonValue | undefined {
  const hint = sentHint(fields);
  if (hint?.type === BsonType.object) checkNatural(bytesOf(hint), 'hint');
  return hint;
}

/** A hint as it was sent. Throws FailedToParse 9 unless it names an index or is a key pattern; null is neither. Upstream: hint_parser.cpp. */
export function sentHint(fields: Fields): BsonValue | undefined {
  const hint = fields.rawValue('hint');
  if (hint && hint.type !== BsonType.string && hint.type !== BsonType.object) {
    throw new CommandError('FailedToParse', 'Hint must be a string or an object');
  }
  // An empty hint is none.
  return hint?.type === BsonType.object && bytesOf(hint).length === 5 ? undefined : hint;
}

const V = encodeName('v');

function dateValue(ms: number): BsonValue {
  const writer = new BsonWriter(32);
  writer.date('v', Math.floor(ms));
  return requiredField(writer.finish(), V);
}

function bsonValueOf(value: unknown): BsonValue {
  const writer = new BsonWriter(32);
  writeJsValue(writer, 'v', value);
  return requiredField(writer.finish(), V);
}
