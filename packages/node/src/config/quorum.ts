import type { Operation } from '@replsim/operations';
import {
  CommandError,
  ErrorCodes,
  type ErrorReply,
  type HeartbeatCommand,
  type HeartbeatReply,
  isElectable,
  isNewerConfig,
  majorityVoteCount,
  type ReplSetConfig,
  required,
  showConfigVersion,
} from '@replsim/protocol';
import type { ConfigHost } from './configHost.ts';
import { findSelf } from './findSelf.ts';

/** What a proposed member said to the heartbeat; undefined while it is silent. */
export type Answer = HeartbeatReply | ErrorReply | undefined;

/** A proposed config, and what the members other than oneself answered. */
export interface Poll {
  readonly config: ReplSetConfig;
  /** The member that asks; it answers itself. */
  readonly self: string;
  readonly answers: ReadonlyMap<string, Answer>;
}

/**
 * Asks every other member of a proposed config at once, and waits until all have answered, the heartbeat timeout is over, or
 * one has vetoed. Throws NodeNotFound 74, NewReplicaSetConfigurationIncompatible 103, CannotInitializeNodeWithData 110.
 * Upstream: check_quorum_for_config_change.cpp, QuorumChecker.
 */
export function* checkQuorum(
  { core, topology }: Pick<ConfigHost, 'core' | 'topology'>,
  config: ReplSetConfig,
  initial: boolean,
): Operation<void> {
  const self = required(findSelf(core, config), 'member of this process in the proposed config');
  const answers = new Map<string, Answer>();
  const requests: number[] = [];
  const command: HeartbeatCommand = {
    replSetHeartbeat: config._id,
    ...(initial && { checkEmpty: true }),
    configVersion: config.version,
    configTerm: config.term,
    from: self.host,
    fromId: self._id,
    term: topology.term,
    primaryId: -1,
  };
  for (const { host } of config.members) {
    if (host === self.host) continue;
    answers.set(host, undefined);
    requests.push(
      core.request(host, 'heartbeat', command, (reply) => {
        answers.set(host, reply as HeartbeatReply | ErrorReply);
        core.wake();
      }),
    );
  }
  const poll: Poll = { config, self: self.host, answers };
  const ready = () => vetoOf(poll) !== undefined || [...answers.values()].every((answer) => answer !== undefined);
  const deadlineMicros = core.now.monotonicMicros + config.settings.heartbeatTimeoutSecs * 1_000_000;
  try {
    yield { type: 'wait', what: 'other', ready, deadlineMicros };
  } finally {
    for (const id of requests) core.forget(id);
  }
  const refusal = vetoOf(poll) ?? (initial ? initiateRefusal(poll) : reconfigRefusal(poll));
  if (refusal) throw refusal;
}

/** What ends the check at once: a member of another set, with a config as new as the proposed one, or with data of its own. */
export function vetoOf({ config, answers }: Poll): CommandError | undefined {
  for (const [host, answer] of answers) {
    if (!answer) continue;
    const reason = vetoBy(config, host, answer);
    if (reason !== undefined) return new CommandError('NewReplicaSetConfigurationIncompatible', reason);
    if (answer.ok === 1 && answer.hasData) {
      return new CommandError('CannotInitializeNodeWithData', `'${host}' has data already, cannot initiate set.`);
    }
  }
  return undefined;
}

function vetoBy(config: ReplSetConfig, host: string, answer: HeartbeatReply | ErrorReply): string | undefined {
  if (answer.ok === 0) {
    const isOtherSet = answer.code === ErrorCodes.InconsistentReplicaSetNames;
    return isOtherSet ? `Our set name did not match that of ${host}` : undefined;
  }
  const theirId = answer.$replData.replicaSetId;
  if (theirId !== undefined && theirId !== config.settings.replicaSetId) {
    return `Our replica set ID of ${config.settings.replicaSetId} did not match that of ${host}, which is ${theirId}`;
  }
  const theirs = { version: answer.v, term: answer.configTerm };
  if (theirs.version > 0 && !isNewerConfig(config, theirs)) {
    return `Our config version and term of ${showConfigVersion(config)} is no larger than that on ${host}, which is ${showConfigVersion(theirs)}`;
  }
  return undefined;
}

/** A member that was removed says so with an error, and is fit to be taken in again. */
function isGood(answer: Answer): boolean {
  return answer !== undefined && (answer.ok === 1 || answer.code === ErrorCodes.InvalidReplicaSetConfig);
}

function complaints({ answers }: Poll): string {
  return [...answers]
    .filter(([, answer]) => !isGood(answer))
    .map(([host, answer]) => `${host} failed with ${answer ? (answer as ErrorReply).errmsg : 'no answer in time'}`)
    .join(', ');
}

/** To begin a set all members must answer. */
export function initiateRefusal(poll: Poll): CommandError | undefined {
  const failed = complaints(poll);
  if (failed === '') return undefined;
  return new CommandError(
    'NodeNotFound',
    `replSetInitiate quorum check failed because not all proposed set members responded affirmatively: ${failed}`,
  );
}

/** To change one, a majority of its voters and somebody electable, oneself counted. */
export function reconfigRefusal(poll: Poll): CommandError | undefined {
  const { config, self, answers } = poll;
  const present = config.members.filter(({ host }) => host === self || isGood(answers.get(host)));
  if (!present.some(isElectable)) {
    return new CommandError(
      'NodeNotFound',
      'Quorum check failed because no electable nodes responded; at least one required for config',
    );
  }
  const voters = present.filter(({ votes }) => votes === 1).map(({ host }) => host);
  const needed = majorityVoteCount(config);
  if (voters.length >= needed) return undefined;
  const who = voters.length === 0 ? 'none responded' : `only ${voters.join(', ')} responded`;
  return new CommandError(
    'NodeNotFound',
    `Quorum check failed because not enough voting nodes responded; required ${needed} but ${who}; the following nodes did not respond affirmatively: ${complaints(poll)}`,
  );
}
