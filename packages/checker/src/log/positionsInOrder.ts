import { compareOpTimes, formatOpTime, isNullOpTime, NULL_OP_TIME, type OpTime } from '@replsim/protocol';
import type { Checker, EventOf } from '../checker.ts';

/** One member's positions; null where nothing is known yet. */
interface Positions {
  written: OpTime;
  applied: OpTime;
  commitPoint: OpTime;
  stable: OpTime | undefined;
}

/**
 * What is durable or applied is written; what is stable is applied and committed, and a rollback does not go behind it.
 * Between durable and applied there is no order on a secondary.
 * Source: replication_coordinator_impl.cpp, _recalculateStableOpTime; RaftMongoReplTimestamp.tla.
 *
 * The first stable optime of a process, an initial sync or a rollback is where its data began, which may lie ahead of a
 * commit point that is not learned yet: it is a floor, and only what moves beyond is judged.
 */
export function positionsInOrder(): Checker {
  const members = new PositionsByMember();

  return {
    name: 'positionsInOrder',
    events: ['oplogWritten', 'journalFlushed', 'applied', 'commitPoint', 'rolledBack', 'processStarted', 'initialSync'],
    observe(event, epochSecs) {
      switch (event.type) {
        case 'oplogWritten':
          for (const { opTime } of event.entries.slice(-1)) members.of(event.member).written = opTime;
          return undefined;
        case 'journalFlushed': {
          const { member, opTime } = event;
          return ahead(member, 'durable optime', opTime, members.of(member).written, 'the end of its oplog', epochSecs);
        }
        case 'applied': {
          const { member, opTime } = event;
          const own = members.of(member);
          own.applied = opTime;
          return (
            ahead(member, 'applied optime', opTime, own.written, 'the end of its oplog', epochSecs) ??
            stabilize(event, own, epochSecs)
          );
        }
        case 'commitPoint': {
          const own = members.of(event.member);
          own.commitPoint = event.opTime;
          return stabilize(event, own, epochSecs);
        }
        case 'rolledBack': {
          const { member, commonPoint } = event;
          const { stable, commitPoint } = members.of(member);
          members.begin(member, commonPoint);
          members.of(member).commitPoint = commitPoint;
          return stable === undefined
            ? undefined
            : ahead(member, 'stable optime', stable, commonPoint, 'what its rollback went back to,', epochSecs);
        }
        case 'processStarted':
          if (event.mode === 'replSet') members.begin(event.member, event.lastApplied);
          return undefined;
        case 'initialSync': {
          const { commitPoint } = members.of(event.member);
          if (event.phase === 'started') members.begin(event.member, NULL_OP_TIME);
          members.of(event.member).commitPoint = commitPoint;
          members.of(event.member).stable = undefined;
          return undefined;
        }
      }
      return undefined;
    },
  };
}

class PositionsByMember {
  readonly #members = new Map<string, Positions>();

  of(member: string): Positions {
    return this.#members.get(member) ?? this.begin(member, NULL_OP_TIME);
  }

  begin(member: string, at: OpTime): Positions {
    const positions = { written: at, applied: at, commitPoint: NULL_OP_TIME, stable: undefined };
    this.#members.set(member, positions);
    return positions;
  }
}

/** The stable optime, after one of the two that bound it moved. */
function stabilize(
  { member, stable }: EventOf<'applied'> | EventOf<'commitPoint'>,
  own: Positions,
  epochSecs: number,
): string | undefined {
  if (stable === undefined || isNullOpTime(stable)) return undefined;
  const before = own.stable;
  own.stable = stable;
  if (before === undefined || compareOpTimes(stable, before) <= 0) return undefined;
  return (
    ahead(member, 'stable optime', stable, own.applied, 'what it has applied,', epochSecs) ??
    ahead(member, 'stable optime', stable, own.commitPoint, 'its commit point', epochSecs)
  );
}

function ahead(member: string, what: string, opTime: OpTime, limit: OpTime, than: string, epochSecs: number) {
  if (compareOpTimes(opTime, limit) <= 0) return undefined;
  const [one, other] = [formatOpTime(opTime, epochSecs), formatOpTime(limit, epochSecs)];
  return `${member}'s ${what} ${one} is ahead of ${than} ${other}`;
}
