import { compareOpTimes, minOpTime, type OpTime } from '@replsim/protocol';

/** A write concern whose defaults are filled in. `w` names a number of members or a mode; `wtimeoutMS` 0 is no limit. */
export interface WriteConcern {
  readonly w: number | string;
  readonly j: boolean;
  readonly wtimeoutMS: number;
  readonly provenance: 'clientSupplied' | 'implicitDefault' | 'customDefault' | 'internalWriteDefault';
}

/** Another member's progress as the waiting primary knows it. */
export interface KnownPosition {
  readonly written: OpTime;
  readonly applied: OpTime;
  readonly durable: OpTime;
  readonly isArbiter: boolean;
}

/**
 * Whether `w: N` holds for a write: N members have it, of the same term. Arbiters never count.
 * A member has it durably once it is journalled and applied, which since 8.0 may come in either order.
 * Upstream: topology_coordinator.cpp, haveNumNodesReachedOpTime.
 */
export function numNodesReached(
  positions: readonly KnownPosition[],
  opTime: OpTime,
  numNodes: number,
  durably: boolean,
): boolean {
  let reached = 0;
  for (const position of positions) {
    if (position.isArbiter) continue;
    const at = durably ? minOpTime(position.durable, position.applied) : position.written;
    if (at.t === opTime.t && compareOpTimes(at, opTime) >= 0) reached += 1;
  }
  return reached >= numNodes;
}
