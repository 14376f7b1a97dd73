/**
 * What mingo does of an aggregation, on promoted copies: what it computes may lose the type int64, double or decimal. The
 * real clock and real chance are kept out of it.
 */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  decodePromoted,
  encodeDocument,
  encodeName,
  findField,
  InvariantError,
  requiredField,
} from '@replsim/protocol';
import type { Collator, Expression, Variables } from '@replsim/query';
// By its one entry: the separate ones take twice as long to load.
import { Aggregator, Context, ProcessingMode } from 'mingo';
import { subsetOf } from '../fields/documents.ts';
import { jsValueOf } from '../fields/values.ts';
import { collatedCall } from './collatedOperators.ts';
import type { Stage } from './stages.ts';

type Document = Record<string, unknown>;

/** Where mingo's stages take from what they must not make up. */
export interface MingoWorld {
  /** For `$rand`: from 0 up to 1. */
  readonly random: () => number;
  /** What `$$` names stand for: constants of `let`, `NOW`, `CLUSTER_TIME`. */
  readonly filterVariables: Variables;
  /** By which strings are compared. */
  readonly collator: Collator | undefined;
}

const RANDOM = '$replsimRandom';
/** By which an input document is known again behind a stage. */
const MARK = '$replsimMark';
const V = encodeName('v');
const markName = encodeName(MARK);

/** Expressions that read the real clock or real chance in mingo, and cannot be told not to. */
const impure: ReadonlySet<string> = new Set(['$dateFromParts', '$dateFromString', '$sampleRate', '$function', '$accumulator', '$where', '$out', '$merge', '$sample']); // biome-ignore format: one line

/** Runs one stage. Errors: BadValue 2 with mingo's words, CommandNotSupported 115. */
export function runMingoStage(stage: Stage, input: readonly Uint8Array[], world: MingoWorld): Uint8Array[] {
  refuseCollation(stage, world);
  const spec = purified(jsValueOf(stage.spec), world);
  const output = run({ [stage.name]: spec }, input.map(decodePromoted), world, stage.name);
  return encoded(output, stage.name);
}

/**
 * Runs a stage that adds fields to documents, or new documents between them: what it does not add stays as it lies.
 * @param added the top-level fields that it sets
 */
export function runAddingStage(
  stage: Stage,
  input: readonly Uint8Array[],
  added: ReadonlySet<string>,
  world: MingoWorld,
): Uint8Array[] {
  refuseCollation(stage, world);
  const spec = purified(jsValueOf(stage.spec), world);
  const marked = input.map((document, mark) => ({ ...decodePromoted(document), [MARK]: mark }));
  const output = run({ [stage.name]: spec }, marked, world, stage.name);
  const encodings = encoded(output, stage.name);
  return output.map((document, i) => {
    const bytes = encodings[i]!;
    const mark = findField(bytes, markName);
    if (!mark) return bytes;
    const original = input[document[MARK] as number]!;
    const writer = new BsonWriter(bytes.length);
    const kept = subsetOf(original, (name) => !added.has(name));
    writer.rawElements(kept, 4, kept.length - 1);
    const fresh = subsetOf(bytes, (name) => added.has(name));
    writer.rawElements(fresh, 4, fresh.length - 1);
    return writer.finish();
  });
}

/** The order of these stages is mingo's own. Errors: CommandNotSupported 115. */
function refuseCollation({ name }: Stage, { collator }: MingoWorld): void {
  if (!collator || name === '$redact') return;
  throw new CommandError('CommandNotSupported', `${name} with a collation is not supported by replsim`);
}

/** An expression that mingo computes. Errors: InvalidPipelineOperator 168 for an unknown operator, else as the stages. */
export function mingoExpression(value: BsonValue, world: MingoWorld): Expression {
  const aggregator = aggregatorOf({ $project: { _id: 0, v: purified(jsValueOf(value), world) } }, world);
  refuseUnknown(aggregator);
  return (document) => {
    const [computed] = guarded('expression', () => aggregator.run([decodePromoted(document)]));
    return findField(encodeDocument(computed as Document), V);
  };
}

/** What an accumulator such as `$stdDevPop` makes of a group's documents. */
export function mingoAccumulator(spec: BsonValue, documents: readonly Uint8Array[], world: MingoWorld): BsonValue {
  const stage = { $group: { _id: null, v: purified(jsValueOf(spec), world) } };
  const [group] = run(stage, documents.map(decodePromoted), world, '$group');
  return requiredField(encodeDocument({ v: group?.v ?? null }), V);
}

function run(stage: Document, input: Document[], world: MingoWorld, name: string): Document[] {
  return guarded(name, () => aggregatorOf(stage, world).run(input));
}

/** Mingo can put a document into itself, which has no end. */
function encoded(documents: readonly Document[], name: string): Uint8Array[] {
  return guarded(name, () => documents.map(encodeDocument));
}

function aggregatorOf(stage: Document, world: MingoWorld): Aggregator {
  return new Aggregator([stage], {
    idKey: '_id',
    processingMode: ProcessingMode.CLONE_OFF,
    useStrictMode: true,
    // Mingo's windows are functions of its own; those of users have been refused.
    scriptEnabled: true,
    failOnError: true,
    variables: Object.fromEntries([...world.filterVariables].map(([name, value]) => [name, jsValueOf(value)])),
    // Mingo's own operators cannot be replaced, so `$rand` goes by another name.
    context: Context.init({ expression: { [RANDOM]: world.random } }),
  });
}

function guarded<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CommandError || error instanceof InvariantError) throw error;
    // Mingo throws plain errors for what a pipeline has wrong; they cannot be told from its own mistakes.
    const reason = error instanceof Error ? error.message : String(error);
    throw unknownOperator(reason) ?? new CommandError('BadValue', `${name}: ${reason}`);
  }
}

/** An unknown operator is an error where there is no document too; the rest may depend on documents. */
function refuseUnknown(aggregator: Aggregator): void {
  try {
    aggregator.run([{}]);
  } catch (error) {
    const unknown = error instanceof Error ? unknownOperator(error.message) : undefined;
    if (unknown) throw unknown;
  }
}

function unknownOperator(reason: string): CommandError | undefined {
  const name = /'(\$\w+)' is not (?:registered|a valid)/.exec(reason)?.[1];
  return name ? new CommandError('InvalidPipelineOperator', `there is no operator '${name}'`) : undefined;
}

/** A spec with `$$NOW` and `$$CLUSTER_TIME` as constants. Throws CommandNotSupported 115 for what would not repeat. */
function purified(value: unknown, world: MingoWorld): unknown {
  if (value === '$$NOW' || value === '$$CLUSTER_TIME') return { $literal: jsValueOf(builtin(value.slice(2), world)) };
  if (Array.isArray(value)) return value.map((item) => purified(item, world));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy: Document = {};
  for (const [name, item] of Object.entries(value)) {
    if (impure.has(name)) throw new CommandError('CommandNotSupported', `${name} is not supported by replsim yet`);
    if (name === '$literal') copy[name] = item;
    else {
      const pure = purified(item, world);
      const call = world.collator && collatedCall(name, pure, world.collator);
      if (call) return call;
      copy[name === '$rand' ? RANDOM : name] = pure;
    }
  }
  return copy;
}

/** Errors: Location51144 on a member that keeps no cluster time. */
function builtin(name: string, { filterVariables }: MingoWorld): BsonValue {
  const value = filterVariables.get(name);
  if (value && value.type !== BsonType.undefined) return value;
  throw new CommandError(51144, `this member has no $$${name}`);
}
