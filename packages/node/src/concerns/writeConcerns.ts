import { type KnownPosition, numNodesReached } from '@replsim/oplog';
import { compareOpTimes, implicitDefaultWriteConcern, isNullOpTime, type OpTime } from '@replsim/protocol';
import type { Reply } from '../commands/command.ts';
import type { WriteConcernRequest } from '../commands/concerns.ts';
import type { Mongod } from '../mongod.ts';
import type { Operation } from '../operations/operation.ts';
import type { Replication } from '../replication/replication.ts';

/** Waits until enough members have what was written. Upstream: write_concern.cpp, ReplicationCoordinatorImpl::awaitReplication. */
export class WriteConcerns {
  readonly #mongod: Mongod;

  constructor(mongod: Mongod) {
    this.#mongod = mongod;
  }

  *wait(request: WriteConcernRequest | undefined): Operation<Reply | undefined> {
    const { repl } = this.#mongod;
    if (!repl) return yield* this.#awaitJournal(request?.j ?? false);
    const { config } = repl.topology;
    const provenance = request?.w === undefined ? 'implicitDefault' : 'clientSupplied';
    const w = request?.w ?? (config ? implicitDefaultWriteConcern(config) : 1);
    const majorityJournals = config?.writeConcernMajorityJournalDefault ?? true;
    const j = request?.j ?? (w === 'majority' && majorityJournals);
    const wtimeoutMS = request?.wtimeoutMS ?? 0;
    const opTime = repl.positions.written.opTime;
    const { term } = repl.topology;
    const refusal = this.#unsatisfiable(repl, w);
    if (refusal) return refusal;
    const deposed = () => !repl.elections.isLeader || repl.topology.term !== term;
    const holds = () => this.#holds(repl, w, j, opTime);
    if (w === 'majority' || j) this.#mongod.journal.requestFlush();
    const inTime = yield {
      type: 'wait',
      what: 'writeConcern',
      ready: () => holds() || deposed(),
      ...(wtimeoutMS > 0 && { deadlineMicros: this.#mongod.core.now.monotonicMicros + wtimeoutMS * 1000 }),
    };
    if (holds()) {
      const shown = typeof w === 'object' ? JSON.stringify(w) : w;
      this.#mongod.core.trace({ type: 'writeAcknowledged', opTime, w: shown, majority: w === 'majority' });
      return undefined;
    }
    if (inTime) {
      const errmsg = 'Primary stepped down while waiting for replication';
      return {
        code: 189,
        codeName: 'PrimarySteppedDown',
        errmsg,
        errInfo: { writeConcern: { w, wtimeout: wtimeoutMS, provenance } },
      };
    }
    return {
      code: 64,
      codeName: this.#mongod.core.traits.writeConcernTimeoutName,
      errmsg: 'waiting for replication timed out',
      errInfo: { wtimeout: true, writeConcern: { w, j, wtimeout: wtimeoutMS, provenance } },
    };
  }

  *#awaitJournal(j: boolean): Operation<undefined> {
    if (!j) return undefined;
    let durable = false;
    this.#mongod.journal.whenDurable(() => {
      durable = true;
    });
    yield { type: 'wait', what: 'journal', ready: () => durable };
    return undefined;
  }

  #unsatisfiable(repl: Replication, w: number | string | Readonly<Record<string, number>>): Reply | undefined {
    const members = repl.topology.config?.members ?? [];
    if (typeof w === 'number') {
      const bearing = members.filter(({ arbiterOnly }) => !arbiterOnly).length;
      if (w <= Math.max(bearing, 1)) return undefined;
      return { code: 100, codeName: 'UnsatisfiableWriteConcern', errmsg: 'Not enough data-bearing nodes' };
    }
    if (w === 'majority') return undefined;
    const mode = typeof w === 'string' ? w : JSON.stringify(w);
    return {
      code: 79,
      codeName: 'UnknownReplWriteConcern',
      errmsg: `No write concern mode named '${mode}' found in replica set configuration`,
    };
  }

  #holds(repl: Replication, w: number | string | object, j: boolean, opTime: OpTime): boolean {
    if (isNullOpTime(opTime)) return true;
    if (w === 'majority')
      return compareOpTimes(repl.positions.commitPoint.opTime, opTime) >= 0 && (!j || this.#ownDurable(repl, opTime));
    const needed = Math.max(Number(w), 1);
    const positions: readonly KnownPosition[] = repl.progress.knownPositions();
    return numNodesReached(positions, opTime, needed, j);
  }

  #ownDurable(repl: Replication, opTime: OpTime): boolean {
    return compareOpTimes(repl.positions.durable.opTime, opTime) >= 0;
  }
}
