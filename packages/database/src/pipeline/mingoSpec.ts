/** What mingo is told to compute: the real clock and real chance are kept out of it, and what it would do wrong. */
import { BsonType, type BsonValue, CommandError } from '@replsim/protocol';
import type { Collator, Variables } from '@replsim/query';
import { jsValueOf } from '../fields/values.ts';
import { ownCall } from './ownOperators.ts';
import { regexCall } from './regexOperators.ts';

/** Where mingo's stages take from what they must not make up. */
export interface MingoWorld {
  /** For `$rand`: from 0 up to 1; none where what is computed must not change. */
  readonly random: (() => number) | undefined;
  /** What `$$` names stand for: constants of `let`, `NOW`, `CLUSTER_TIME`. */
  readonly filterVariables: Variables;
  /** By which strings are compared. */
  readonly collator: Collator | undefined;
}

/** The name that `$rand` goes by, as mingo's own operators cannot be replaced. */
export const RANDOM = '$replsimRandom';

/** Expressions that read the real clock or real chance in mingo, and cannot be told not to. */
export const impure: ReadonlySet<string> = new Set(['$dateFromParts', '$dateFromString', '$sampleRate', '$toHashedIndexKey', '$where', '$out', '$merge', '$sample']); // biome-ignore format: one line

/** What runs JavaScript of the client's, as this program does not. */
export const scripts: ReadonlySet<string> = new Set(['$function', '$accumulator']);

/** The refusal of an operator with a function of the client's. */
export function runsScripts(name: string): CommandError {
  return new CommandError('CommandNotSupported', `${name} runs JavaScript, which replsim does not`);
}

/**
 * A spec with `$$NOW` and `$$CLUSTER_TIME` as constants. Throws CommandNotSupported 115 for what would not repeat.
 * @param own computes operators of expressions by ours; not in a stage where accumulators go by the same names
 */
export function purified(value: unknown, world: MingoWorld, own: typeof ownCall = ownCall): unknown {
  if (value === '$$NOW' || value === '$$CLUSTER_TIME') return { $literal: jsValueOf(builtin(value.slice(2), world)) };
  if (Array.isArray(value)) return value.map((item) => purified(item, world, own));
  if (!isPlain(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    if (scripts.has(name)) throw runsScripts(name);
    if (impure.has(name)) throw new CommandError('CommandNotSupported', `${name} is not supported by replsim yet`);
    if (name === '$meta') {
      const errmsg =
        '$meta inside of this operator is not supported by replsim: put it into a field by $addFields first';
      throw new CommandError('CommandNotSupported', errmsg);
    }
    if (name === '$rand' && !world.random) {
      throw new CommandError('CommandNotSupported', '$rand is not supported by replsim outside of commands');
    }
    if (name === '$literal' || name === '$const') copy.$literal = item;
    else {
      const pure = purified(item, world, own);
      const call = regexCall(name, pure) ?? own(name, pure, world.collator);
      if (call) return call;
      if (dateParts.has(name)) return datePartOf(name, pure);
      copy[name === '$rand' ? RANDOM : name] = pure;
    }
  }
  return copy;
}

const dateParts: ReadonlySet<string> = new Set(['$dayOfMonth', '$dayOfWeek', '$dayOfYear', '$hour', '$isoDayOfWeek', '$isoWeek', '$isoWeekYear', '$millisecond', '$minute', '$month', '$second', '$week', '$year']); // biome-ignore format: one line

/** A part of no date is null, where mingo fails; nor does it know an argument in brackets. */
function datePartOf(name: string, argument: unknown): object {
  const [only, ...others] = Array.isArray(argument) ? argument : [argument];
  const given = others.length === 0 ? only : argument;
  const date = isPlain(given) && 'date' in given ? given.date : given;
  return { $cond: [{ $ifNull: [date, false] }, { [name]: given }, null] };
}

/** Errors: Location51144 on a member that keeps no cluster time. */
function builtin(name: string, { filterVariables }: MingoWorld): BsonValue {
  const value = filterVariables.get(name);
  if (value && value.type !== BsonType.undefined) return value;
  throw new CommandError(51144, `this member has no $$${name}`);
}

/** Whether a value is an object of fields, and no value of BSON. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
