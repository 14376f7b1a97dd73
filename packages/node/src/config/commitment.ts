import {
  compareOpTimes,
  configCommitmentCount,
  type OpTime,
  type ReplSetConfig,
  sameConfigVersion,
  writeMajority,
} from '@replsim/protocol';

/** What a primary knows of one member when it asks whether its config is committed; of itself it knows all. */
export interface MemberProgress {
  readonly votes: 0 | 1;
  readonly arbiterOnly: boolean;
  readonly configVersion: number;
  readonly configTerm: number;
  /** Durable, or written where majorities do not journal. */
  readonly position: OpTime;
}

/**
 * The first half of config commitment: a majority of the voters, arbiters included, has exactly this config.
 * Upstream: TopologyCoordinator::makeConfigPredicate.
 * @param quirk see `configCommitmentCount`
 */
export function isConfigReplicated(config: ReplSetConfig, members: readonly MemberProgress[], quirk: boolean): boolean {
  const having = members.filter(
    ({ votes, configVersion, configTerm }) =>
      votes === 1 && sameConfigVersion(config, { version: configVersion, term: configTerm }),
  );
  return having.length >= configCommitmentCount(config, quirk);
}

/**
 * The second half: what was committed under the config before is committed under this one, counted again among its voters.
 * Upstream: TopologyCoordinator::getConfigOplogCommitmentOpTime.
 */
export function isOplogCommitted(config: ReplSetConfig, members: readonly MemberProgress[], opTime: OpTime): boolean {
  const having = members.filter(
    ({ votes, arbiterOnly, position }) => votes === 1 && !arbiterOnly && compareOpTimes(position, opTime) >= 0,
  );
  return having.length >= writeMajority(config);
}

/** A forced config, and a set's first, have no config before them whose writes they would have to keep. */
export function needsOplogCommitment({ version, term }: ReplSetConfig): boolean {
  return term !== -1 && version !== 1;
}
