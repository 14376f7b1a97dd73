import type { Reply } from '../commands/command.ts';
import type { Mongod } from '../mongod.ts';
import { helloReply } from './hello.ts';

/** The sections of serverStatus that only a member of a set has. Upstream: replication_info.cpp, replication_metrics. */
export function replSection(mongod: Mongod): Reply {
  const { repl } = mongod;
  if (!repl) return {};
  const { localTime: _, connectionId: __, ...hello } = helloReply(mongod, 'isWritablePrimary');
  return {
    repl: { ...hello, rbid: repl.rbid },
    electionMetrics: repl.elections.metrics.toReply(),
  };
}

/** `metrics.repl`: what has been applied here. */
export function replMetricsReply(mongod: Mongod): Reply {
  const { repl, relaxed, counters } = mongod;
  if (!repl) return {};
  const { insert, update, delete: deleted, command } = counters.opcountersRepl;
  return {
    apply: { ops: BigInt(insert + update + deleted + command) },
    reconfig: { numAutoReconfigsForRemovalOfNewlyAddedFields: 0n },
    constraintsRelaxed: {
      insertOnExistingDoc: BigInt(relaxed.insertOnExistingDoc),
      updateOnMissingDoc: BigInt(relaxed.updateOnMissingDoc),
      deleteWasEmpty: BigInt(relaxed.deleteWasEmpty),
    },
  };
}
