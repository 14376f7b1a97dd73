import type { Positions } from '@replsim/oplog';
import type { ParameterStore } from '@replsim/pipeline';
import { maxOpTime, NULL_OP_TIME, type OpTime } from '@replsim/protocol';
import type { Topology } from '../topology/topology.ts';
import { isConfigReplicated, isOplogCommitted, type MemberProgress, needsOplogCommitment } from './commitment.ts';

/** What commitment is judged by. */
export interface CommitmentHost {
  readonly topology: Topology;
  readonly positions: Positions;
  readonly parameters: ParameterStore;
  readonly progress: { readonly firstOpTimeOfMyTerm: OpTime | undefined };
}

/** Whether the config in force is committed, as far as this member knows. Upstream: awaitConfigCommitment. */
export class ConfigCommitment {
  readonly #host: CommitmentHost;
  /** The commit point at the moment when the config in force replaced the one before. */
  #committedInPreviousConfig: OpTime = NULL_OP_TIME;

  constructor(host: CommitmentHost) {
    this.#host = host;
  }

  /** Another config has come into force. Upstream: TopologyCoordinator::updateLastCommittedInPrevConfig. */
  configChanged(): void {
    this.#committedInPreviousConfig = this.#host.positions.commitPoint.opTime;
  }

  /** What of the time before this config has to be committed under it. */
  get opTime(): OpTime {
    return maxOpTime(this.#committedInPreviousConfig, this.#host.progress.firstOpTimeOfMyTerm ?? NULL_OP_TIME);
  }

  /** A majority of voters has the config in force. */
  isReplicated(): boolean {
    const quirk = this.#host.parameters.bool('configCommitmentCountQuirk');
    return isConfigReplicated(this.#host.topology.configInForce, this.#members(), quirk);
  }

  /** What was committed before the config in force is committed under it. */
  isOplogCommitted(): boolean {
    return isOplogCommitted(this.#host.topology.configInForce, this.#members(), this.opTime);
  }

  /** The next reconfig may follow. */
  holds(): boolean {
    if (!this.isReplicated()) return false;
    return !needsOplogCommitment(this.#host.topology.configInForce) || this.isOplogCommitted();
  }

  #members(): MemberProgress[] {
    const { topology, positions } = this.#host;
    const config = topology.configInForce;
    return topology.views.map((view): MemberProgress => {
      const { votes, arbiterOnly } = view.config;
      const isSelf = view.index === topology.selfIndex;
      const { durable, written } = isSelf ? positions : view;
      return {
        votes,
        arbiterOnly,
        configVersion: isSelf ? config.version : view.configVersion,
        configTerm: isSelf ? config.term : view.configTerm,
        position: (config.writeConcernMajorityJournalDefault ? durable : written).opTime,
      };
    });
  }
}
