import { CommandError, type VersionTraits } from '@replsim/protocol';
import { isLegacyMonitor } from './legacy.ts';

/** The values that steer one member's monitor; the last three govern a client's multi-deletes as well. */
export interface TtlParameters {
  readonly ttlMonitorEnabled: boolean;
  /** From the end of a pass to the start of the next, and once before the first. */
  readonly ttlMonitorSleepSecs: number;
  readonly ttlMonitorBatchDeletes: boolean;
  /** 0: each sub-pass visits every index once. */
  readonly ttlMonitorSubPassTargetSecs: number;
  /** 0, here and below: no limit. */
  readonly ttlIndexDeleteTargetTimeMS: number;
  readonly ttlIndexDeleteTargetDocs: number;
  /** After how many sub-passes with work left a collection is worked at normal priority, to the end of the pass at most. */
  readonly ttlCollLowPrioritySubpassLimit: number;
  readonly batchedDeletesTargetBatchDocs: number;
  readonly batchedDeletesTargetBatchTimeMS: number;
  readonly batchedDeletesTargetStagedDocBytes: number;
}

export type TtlParameterName = keyof TtlParameters;

export interface TtlParameter {
  readonly name: TtlParameterName;
  readonly type: 'bool' | 'int' | 'long';
  readonly default: boolean | number;
  readonly bound?: { readonly above: number } | { readonly atLeast: number };
  readonly knownTo: (traits: VersionTraits) => boolean;
}

const EVERYBODY = () => true;
const BATCHING = (traits: VersionTraits) => !isLegacyMonitor(traits);

/**
 * Every TTL parameter that can be set at startup and at run time; none outlives the process. Upstream: ttl.idl,
 * batched_delete_stage.idl. 3.2 took any number for the sleep; here none makes it spin. `ttlMonitorBackgroundOperation` and
 * `ttlMonitorMaxMetadataRecoveryThreads` are of later releases.
 */
export const TTL_PARAMETERS: readonly TtlParameter[] = [
  { name: 'ttlMonitorEnabled', type: 'bool', default: true, knownTo: EVERYBODY },
  { name: 'ttlMonitorSleepSecs', type: 'int', default: 60, bound: { above: 0 }, knownTo: EVERYBODY },
  { name: 'ttlMonitorBatchDeletes', type: 'bool', default: true, knownTo: BATCHING },
  { name: 'ttlMonitorSubPassTargetSecs', type: 'int', default: 60, bound: { atLeast: 0 }, knownTo: BATCHING },
  { name: 'ttlIndexDeleteTargetTimeMS', type: 'int', default: 1000, bound: { atLeast: 0 }, knownTo: BATCHING },
  { name: 'ttlIndexDeleteTargetDocs', type: 'int', default: 50_000, bound: { atLeast: 0 }, knownTo: BATCHING },
  // Nobody who writes about it names its default; this one is an assumption.
  {
    name: 'ttlCollLowPrioritySubpassLimit',
    type: 'int',
    default: 5,
    bound: { atLeast: 0 },
    knownTo: ({ ttlPriorityMetric }) => ttlPriorityMetric,
  },
  { name: 'batchedDeletesTargetBatchDocs', type: 'long', default: 10, bound: { atLeast: 0 }, knownTo: BATCHING },
  { name: 'batchedDeletesTargetBatchTimeMS', type: 'long', default: 5, bound: { atLeast: 0 }, knownTo: BATCHING },
  {
    name: 'batchedDeletesTargetStagedDocBytes',
    type: 'long',
    default: 2_097_152,
    bound: { atLeast: 0 },
    knownTo: BATCHING,
  },
];

export const DEFAULT_TTL_PARAMETERS = Object.freeze(
  Object.fromEntries(TTL_PARAMETERS.map((parameter) => [parameter.name, parameter.default])),
) as unknown as TtlParameters;

/** The parameters that this release knows. */
export function ttlParametersOf(traits: VersionTraits): readonly TtlParameter[] {
  return TTL_PARAMETERS.filter(({ knownTo }) => knownTo(traits));
}

const byName = new Map<string, TtlParameter>(TTL_PARAMETERS.map((parameter) => [parameter.name, parameter]));

export function isTtlParameter(name: string): name is TtlParameterName {
  return byName.has(name);
}

/**
 * One value, from the command line (a string) or from setParameter (decoded), as it will be kept. Fractions are dropped
 * and longs must be safe integers, which is simpler than mongod. Throws CommandError 2.
 */
export function parseParameter(name: TtlParameterName, value: unknown): boolean | number {
  const parameter = byName.get(name)!;
  return parameter.type === 'bool' ? parseBool(name, value) : parseInteger(parameter, value);
}

function parseBool(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) !== 0;
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw badValue(name, value, 'is not a boolean');
}

function parseInteger({ name, type, bound }: TtlParameter, value: unknown): number {
  const number = Math.trunc(numberOf(value));
  const inRange = type === 'int' ? (number | 0) === number : Number.isSafeInteger(number);
  if (!inRange) throw badValue(name, value, `is not ${type === 'int' ? 'a 32-bit' : 'an'} integer`);
  if (bound === undefined) return number;
  if ('above' in bound && number <= bound.above) throw badValue(name, number, `is not greater than ${bound.above}`);
  if ('atLeast' in bound && number < bound.atLeast)
    throw badValue(name, number, `is not greater than or equal to ${bound.atLeast}`);
  // -0.5 has become -0, which no reader expects.
  return number === 0 ? 0 : number;
}

function numberOf(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
}

function badValue(name: string, value: unknown, problem: string): CommandError {
  return new CommandError('BadValue', `Invalid value for parameter ${name}: ${String(value)} ${problem}`);
}
