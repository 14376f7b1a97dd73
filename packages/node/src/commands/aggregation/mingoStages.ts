/**
 * What mingo does of an aggregation, on promoted copies: int64 and decimal values may lose their type there. The real
 * clock and real chance are kept out of it.
 */
import { CommandError, decodePromoted, encodeDocument, InvariantError } from '@replsim/protocol';
// By its one entry: the separate ones take twice as long to load.
import { Aggregator, Context, ProcessingMode } from 'mingo';
import { jsValueOf } from '../values.ts';
import type { Stage } from './stages.ts';

type Document = Record<string, unknown>;

/** Where mingo's stages take from what they must not make up. */
export interface MingoWorld {
  /** `$$NOW`, ms since 1970. */
  readonly wallMs: number;
  /** For `$rand`: from 0 up to 1. */
  readonly random: () => number;
  /** Another collection of the same database, for `$lookup` and its like. */
  readonly collection: (name: string) => readonly Uint8Array[];
  /** Constants of `let`, by name. */
  readonly variables: Readonly<Record<string, unknown>>;
}

const RANDOM = '$replsimRandom';

/** Expressions that read the real clock or real chance in mingo, and cannot be told not to. */
const impure: ReadonlySet<string> = new Set(['$dateFromParts', '$dateFromString', '$sampleRate', '$function', '$accumulator', '$where', '$out', '$merge', '$sample']); // biome-ignore format: one line

/** Runs one stage. Errors: BadValue 2 with mingo's words, CommandNotSupported 115. */
export function runMingoStage(stage: Stage, input: readonly Uint8Array[], world: MingoWorld): Uint8Array[] {
  const spec = purified(jsValueOf(stage.spec), world);
  const aggregator = new Aggregator([{ [stage.name]: spec } as Document], {
    idKey: '_id',
    processingMode: ProcessingMode.CLONE_OFF,
    useStrictMode: true,
    scriptEnabled: false,
    failOnError: true,
    variables: world.variables,
    collectionResolver: (name: string) => world.collection(name).map(decodePromoted),
    // Mingo's own operators cannot be replaced, so `$rand` goes by another name.
    context: Context.init({ expression: { [RANDOM]: world.random } }),
  });
  let output: Document[];
  try {
    output = aggregator.run(input.map(decodePromoted));
  } catch (error) {
    if (error instanceof CommandError || error instanceof InvariantError) throw error;
    // Mingo throws plain errors for what a pipeline has wrong; they cannot be told from its own mistakes.
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError('BadValue', `Failed to run ${stage.name} :: caused by :: ${reason}`);
  }
  return output.map((document) => encodeDocument(stage.name === '$project' ? withIdFirst(document) : document));
}

/** A spec with `$$NOW` as the member's time. Throws CommandNotSupported 115 for what would not repeat. */
function purified(value: unknown, world: MingoWorld): unknown {
  if (value === '$$NOW') return { $literal: new Date(world.wallMs) };
  if (Array.isArray(value)) return value.map((item) => purified(item, world));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy: Document = {};
  for (const [name, item] of Object.entries(value)) {
    if (impure.has(name)) throw new CommandError('CommandNotSupported', `${name} is not supported by replsim yet`);
    copy[name === '$rand' ? RANDOM : name] = name === '$literal' ? item : purified(item, world);
  }
  return copy;
}

/** Mingo puts `_id` last. */
function withIdFirst(document: Document): Document {
  if (!('_id' in document)) return document;
  const { _id, ...rest } = document;
  return { _id, ...rest };
}
