import type { SourceCandidate, SyncSourceQuestion } from '@replsim/oplog';
import type { OpTime } from '@replsim/protocol';
import type { Core } from '../core.ts';
import type { MemberView } from '../topology/memberView.ts';
import type { Replication } from './replication.ts';

/**
 * What a member knows that bears on the choice of a sync source, and whom it has put aside.
 * Upstream: topology_coordinator.cpp, denylistSyncSource and its neighbours.
 */
export class SyncSources {
  readonly #core: Core;
  readonly #repl: Replication;
  /** Until when a host is put aside, µs of the monotonic clock. */
  readonly #denylist = new Map<string, number>();

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  putAside(host: string, forMs: number): void {
    this.#denylist.set(host, this.#core.now.monotonicMicros + forMs * 1000);
  }

  /** What the choice of a sync source looks at, now. */
  question(lastFetched: OpTime): SyncSourceQuestion {
    const { topology, elections, parts } = this.#repl;
    const now = this.#core.now.monotonicMicros;
    const self = topology.self!;
    return {
      members: topology.views.map((view) => candidateOf(view, view.index === topology.selfIndex)),
      self: {
        host: self.host,
        isVoter: self.votes === 1,
        buildsIndexes: self.buildIndexes,
        secondaryDelaySecs: self.secondaryDelaySecs,
      },
      lastFetched,
      primaryHost: topology.primaryHost,
      // A primary that is catching up takes whom it can get.
      chainingAllowed: topology.config!.settings.chainingAllowed || elections.isLeader,
      isDenylisted: (host) => (this.#denylist.get(host) ?? 0) > now,
      maxSyncSourceLagSecs: parts.parameters.number('maxSyncSourceLagSecs'),
    };
  }
}

function candidateOf(view: MemberView, isSelf: boolean): SourceCandidate {
  const { config } = view;
  return {
    host: config.host,
    isSelf,
    up: view.up,
    state: view.state,
    lastApplied: view.applied.opTime,
    isVoter: config.votes === 1,
    hidden: config.hidden,
    buildsIndexes: config.buildIndexes,
    secondaryDelaySecs: config.secondaryDelaySecs,
    pingMs: view.pingMs,
    syncingTo: view.syncingTo,
  };
}
