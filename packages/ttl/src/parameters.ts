import type { VersionTraits } from '@replsim/protocol';

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
  readonly bounds?: { readonly above: number } | { readonly from: number };
  readonly knownTo: (traits: VersionTraits) => boolean;
}

const EVERYBODY = () => true;
const BATCHING = ({ ttlBatched }: VersionTraits) => ttlBatched;

/**
 * Every TTL parameter that can be set at startup and at run time; none outlives the process. Upstream: ttl.idl,
 * batched_delete_stage.idl. `ttlMonitorBackgroundOperation` and
 * `ttlMonitorMaxMetadataRecoveryThreads` are of later releases.
 */
export const TTL_PARAMETERS: readonly TtlParameter[] = [
  { name: 'ttlMonitorEnabled', type: 'bool', default: true, knownTo: EVERYBODY },
  { name: 'ttlMonitorSleepSecs', type: 'int', default: 60, bounds: { above: 0 }, knownTo: EVERYBODY },
  { name: 'ttlMonitorBatchDeletes', type: 'bool', default: true, knownTo: BATCHING },
  { name: 'ttlMonitorSubPassTargetSecs', type: 'int', default: 60, bounds: { from: 0 }, knownTo: BATCHING },
  { name: 'ttlIndexDeleteTargetTimeMS', type: 'int', default: 1000, bounds: { from: 0 }, knownTo: BATCHING },
  { name: 'ttlIndexDeleteTargetDocs', type: 'int', default: 50_000, bounds: { from: 0 }, knownTo: BATCHING },
  // Nobody who writes about it names its default; this one is an assumption.
  {
    name: 'ttlCollLowPrioritySubpassLimit',
    type: 'int',
    default: 5,
    bounds: { from: 0 },
    knownTo: ({ ttlPriorityMetric }) => ttlPriorityMetric,
  },
  { name: 'batchedDeletesTargetBatchDocs', type: 'long', default: 10, bounds: { from: 0 }, knownTo: BATCHING },
  { name: 'batchedDeletesTargetBatchTimeMS', type: 'long', default: 5, bounds: { from: 0 }, knownTo: BATCHING },
  {
    name: 'batchedDeletesTargetStagedDocBytes',
    type: 'long',
    default: 2_097_152,
    bounds: { from: 0 },
    knownTo: BATCHING,
  },
];

export const DEFAULT_TTL_PARAMETERS = Object.freeze(
  Object.fromEntries(TTL_PARAMETERS.map((parameter) => [parameter.name, parameter.default])),
) as unknown as TtlParameters;

/** The parameters that this release knows. */
export function ttlParametersOf(traits: VersionTraits): readonly TtlParameter[] {
  return TTL_PARAMETERS.filter(({ knownTo }) => knownTo(traits)).map((parameter) => {
    if (traits.ttlSleepBounded || parameter.name !== 'ttlMonitorSleepSecs') return parameter;
    const { bounds: _, ...unbounded } = parameter;
    return unbounded;
  });
}

const names = new Set<string>(TTL_PARAMETERS.map(({ name }) => name));

export function isTtlParameter(name: string): name is TtlParameterName {
  return names.has(name);
}
