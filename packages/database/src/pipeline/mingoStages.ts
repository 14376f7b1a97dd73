/** What mingo does of an aggregation, on promoted copies: what it computes may lose the type int64, double or decimal. */
import {
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
import { checkCall, type Expression, MISSING, refusedBy, unknownExpression } from '@replsim/query';
// By its one entry: the separate ones take twice as long to load.
import { Aggregator, Context, ProcessingMode } from 'mingo';
import { subsetOf } from '../fields/documents.ts';
import { jsValueOf } from '../fields/values.ts';
import { impure, isPlain, type MingoWorld, purified, RANDOM, scripts } from './mingoSpec.ts';
import { checkOwn } from './ownOperators.ts';
import { hideProto, showProto } from './protoNames.ts';
import type { Stage } from './stages.ts';

type Document = Record<string, unknown>;

/** By which an input document is known again behind a stage. */
const MARK = '$replsimMark';
const V = encodeName('v');
const markName = encodeName(MARK);

/** None of the operators of expressions, as accumulators go by the same names. */
const noOwn = () => undefined;

/** Runs one stage. Errors: BadValue 2 with mingo's words, CommandNotSupported 115. */
export function runMingoStage(stage: Stage, input: readonly Uint8Array[], world: MingoWorld): Uint8Array[] {
  refuseCollation(stage, world);
  const spec = purified(specOf(stage.spec), world, noOwn);
  const output = run({ [stage.name]: spec }, input.map(promoted), world, stage.name);
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
  const spec = purified(specOf(stage.spec), world);
  const marked = input.map((document, mark) => ({ ...promoted(document), [MARK]: mark }));
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

/**
 * An expression that mingo computes. Errors: InvalidPipelineOperator 168 for an unknown operator, those of `checkCall`, and
 * where values are of the wrong type that of the operator which was given them.
 */
export function mingoExpression(value: BsonValue, world: MingoWorld): Expression {
  const given = specOf(value);
  checkCalls(given);
  const spec = purified(given, world);
  const compute = computing(spec, world);
  return (document) => {
    try {
      return resultOf(compute(promoted(document)));
    } catch (error) {
      if (error instanceof CommandError || error instanceof InvariantError) throw error;
      throw refusalOf(spec, promoted(document), world, error);
    }
  };
}

/** What an expression makes of a document. */
function computing(spec: unknown, world: MingoWorld): (document: Document) => Document | undefined {
  const aggregator = aggregatorOf({ $project: { _id: 0, v: spec } }, world);
  return (document) => aggregator.run([document])[0] as Document | undefined;
}

function resultOf(computed: Document | undefined): BsonValue | undefined {
  return findField(encodedOne(computed ?? {}), V);
}

/** Looks at every call of an expression before there is a document. Errors: those of `checkCall`. */
function checkCalls(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(checkCalls);
  if (!isPlain(value)) return;
  const [name, ...others] = Object.keys(value);
  if (name?.startsWith('$')) {
    if (others.length > 0) throw new CommandError(15983, 'an object that is a call must have exactly one field');
    // These are refused by name.
    if (impure.has(name) || scripts.has(name)) return;
    checkCall(name, value[name]);
    checkOwn(name, value[name]);
    if (name === '$literal' || name === '$const') return;
  }
  for (const [field, item] of Object.entries(value)) if (field !== 'sortBy') checkCalls(item);
}

/**
 * Mingo's mistakes look like any other of JavaScript's. Which call it was is found by computing the inner ones for themselves;
 * those that need a variable cannot be, and are passed over.
 */
function refusalOf(spec: unknown, document: Document, world: MingoWorld, error: unknown): CommandError {
  for (const call of callsIn(spec)) {
    try {
      resultOf(computing(call, world)(document));
    } catch (inner) {
      if (inner instanceof CommandError) return inner;
      const reason = reasonOf(inner);
      if (!reason.startsWith('Use of undefined variable')) return refusedBy(nameOf(call), reason);
    }
  }
  const reason = reasonOf(error);
  const variable = /^Use of undefined variable: .*/.exec(reason);
  return variable ? new CommandError(17276, variable[0]) : refusedBy(isPlain(spec) ? nameOf(spec) : '', reason);
}

function nameOf(call: Document): string {
  const name = Object.keys(call)[0] ?? '';
  return name === RANDOM ? '$rand' : name;
}

/** The innermost ones first. */
function callsIn(value: unknown): Document[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  if (!isPlain(value) || '$literal' in value) return [];
  const inner = Object.values(value).flatMap(callsIn);
  return Object.keys(value)[0]?.startsWith('$') ? [...inner, value] : inner;
}

/** What mingo says of the arguments; of what happened inside it nothing may reach a client. */
function reasonOf(error: unknown): string {
  // Its own errors go by the plain name, while each of JavaScript's has one of its own.
  const isOwn = error instanceof Error && error.name === 'Error' && !error.message.includes('[object');
  return isOwn ? error.message : 'an argument is of a type, or has a value, that it does not take';
}

/** What an accumulator such as `$median` makes of a group's documents. */
export function mingoAccumulator(spec: BsonValue, documents: readonly Uint8Array[], world: MingoWorld): BsonValue {
  const stage = { $group: { _id: null, v: purified(specOf(spec), world) } };
  const [group] = run(stage, documents.map(promoted), world, '$group');
  return requiredField(encodedOne({ v: group?.v ?? null }), V);
}

function promoted(document: Uint8Array): Document {
  return hideProto(decodePromoted(document), document);
}

function specOf(value: BsonValue): unknown {
  return hideProto(jsValueOf(value), value.bytes);
}

function encodedOne(document: Document): Uint8Array {
  const bytes = encodeDocument(document);
  const shown = showProto(document, bytes);
  return shown === document ? bytes : encodeDocument(shown);
}

function run(stage: Document, input: Document[], world: MingoWorld, name: string): Document[] {
  return guarded(name, () => aggregatorOf(stage, world).run(input));
}

/** Mingo can put a document into itself, which has no end. */
function encoded(documents: readonly Document[], name: string): Uint8Array[] {
  return guarded(name, () => documents.map(encodedOne));
}

function aggregatorOf(stage: Document, world: MingoWorld): Aggregator {
  return new Aggregator([stage], {
    idKey: '_id',
    processingMode: ProcessingMode.CLONE_OFF,
    useStrictMode: true,
    // Mingo's windows are functions of its own; those of users have been refused.
    scriptEnabled: true,
    failOnError: true,
    variables: Object.fromEntries(
      [...world.filterVariables].map(([name, value]) => [name, value === MISSING ? '$$REMOVE' : specOf(value)]),
    ),
    context: Context.init({ expression: world.random ? { [RANDOM]: world.random } : {} }),
  });
}

function guarded<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CommandError || error instanceof InvariantError) throw error;
    const reason = reasonOf(error);
    const operator = /'(\$\w+)' is not (?:registered|a valid)/.exec(reason)?.[1];
    if (operator) throw unknownExpression(operator);
    throw new CommandError('BadValue', `${name}: ${reason}`);
  }
}
