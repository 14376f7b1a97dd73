import {
  compareOpTimes,
  minOpTime,
  type OpTime,
  type Provenance,
  type ReplSetConfig,
  type WriteConcernW,
  writeMajority,
} from '@replsim/protocol';

/** A write concern whose defaults are filled in. `wtimeoutMS` 0 means no limit. */
export interface WriteConcern {
  readonly w: WriteConcernW;
  readonly j: boolean;
  readonly wtimeoutMS: number;
  readonly provenance: Provenance;
}

/** Another member's progress as the waiting primary knows it. */
export interface KnownPosition {
  readonly written: OpTime;
  readonly applied: OpTime;
  readonly durable: OpTime;
  readonly isArbiter: boolean;
  readonly isVoter: boolean;
  readonly tags: Readonly<Record<string, string>>;
}

/** The internal mode behind "majority": a number of data-bearing voters. Upstream: kMajorityWriteConcernModeName. */
const MAJORITY_MODE = '$majority';

/** Which members must have a write: any N, N voters, or members with N different values of each tag. */
export type Quorum =
  | { readonly of: 'members'; readonly count: number }
  | { readonly of: 'voters'; readonly count: number }
  | { readonly of: 'tags'; readonly counts: Readonly<Record<string, number>> };

/** Why a set can never satisfy a write concern. */
export interface Unsatisfiable {
  readonly code: 'UnsatisfiableWriteConcern' | 'UnknownReplWriteConcern' | 'NoSuchKey';
  readonly errmsg: string;
}

/**
 * What `w` asks for in this config; why that cannot be had, if all members together would not do.
 * Upstream: repl_set_config.cpp, checkIfWriteConcernCanBeSatisfied, findCustomWriteMode and makeCustomWriteMode.
 */
export function quorumOf(config: ReplSetConfig, w: WriteConcernW): Quorum | Unsatisfiable {
  const bearing = config.members.filter(({ arbiterOnly }) => !arbiterOnly);
  if (typeof w === 'number') {
    if (w <= bearing.length) return { of: 'members', count: w };
    return { code: 'UnsatisfiableWriteConcern', errmsg: 'Not enough data-bearing nodes' };
  }
  if (w === 'majority' || w === MAJORITY_MODE) return { of: 'voters', count: writeMajority(config) };
  const counts = typeof w === 'string' ? modeOf(config, w) : w;
  if (!counts) {
    const errmsg = `No write concern mode named '${w}' found in replica set configuration`;
    return { code: 'UnknownReplWriteConcern', errmsg };
  }
  const stranger = Object.keys(counts).find((tag) => !bearing.some(({ tags }) => Object.hasOwn(tags, tag)));
  if (stranger !== undefined) {
    return { code: 'NoSuchKey', errmsg: `No replica set tag key ${stranger} in config` };
  }
  if (coversTags(bearing, counts)) return { of: 'tags', counts };
  const mode = typeof w === 'string' ? `"${w}"` : JSON.stringify(w);
  return { code: 'UnsatisfiableWriteConcern', errmsg: `Not enough nodes match write concern mode ${mode}` };
}

function modeOf({ settings }: ReplSetConfig, name: string): Readonly<Record<string, number>> | undefined {
  return Object.hasOwn(settings.getLastErrorModes, name) ? settings.getLastErrorModes[name] : undefined;
}

/** Whether members with these tags have enough different values of each. Upstream: repl_set_tag.cpp, ReplSetTagMatch. */
export function coversTags(
  members: Iterable<{ readonly tags: Readonly<Record<string, string>> }>,
  counts: Readonly<Record<string, number>>,
): boolean {
  const list = [...members];
  return Object.entries(counts).every(([tag, count]) => {
    const values = new Set(list.filter(({ tags }) => Object.hasOwn(tags, tag)).map(({ tags }) => tags[tag]));
    return values.size >= count;
  });
}

/**
 * Whether those who have a write are as many as the quorum wants. A position counts only in the write's own term: in
 * another it may lie on another branch. Arbiters have nothing.
 * @param durably journalled and applied, which since 8.0 may come in either order
 * Upstream: topology_coordinator.cpp, haveNumNodesReachedOpTime and haveTaggedNodesReachedOpTime.
 */
export function quorumReached(
  quorum: Quorum,
  positions: readonly KnownPosition[],
  opTime: OpTime,
  durably: boolean,
): boolean {
  if (quorum.of === 'members') return numNodesReached(positions, opTime, quorum.count, durably);
  const reached = positions.filter((position) => hasIt(position, opTime, durably));
  if (quorum.of === 'tags') return coversTags(reached, quorum.counts);
  return reached.filter(({ isVoter }) => isVoter).length >= quorum.count;
}

/** Whether `w: N` holds for a write. */
export function numNodesReached(
  positions: readonly Pick<KnownPosition, 'written' | 'applied' | 'durable' | 'isArbiter'>[],
  opTime: OpTime,
  numNodes: number,
  durably: boolean,
): boolean {
  let reached = 0;
  for (const position of positions) if (hasIt(position, opTime, durably)) reached += 1;
  return reached >= numNodes;
}

function hasIt(
  { written, applied, durable, isArbiter }: Pick<KnownPosition, 'written' | 'applied' | 'durable' | 'isArbiter'>,
  opTime: OpTime,
  durably: boolean,
): boolean {
  if (isArbiter) return false;
  const at = durably ? minOpTime(durable, applied) : written;
  return at.t === opTime.t && compareOpTimes(at, opTime) >= 0;
}
