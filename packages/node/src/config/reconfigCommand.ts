import type { CommandContext } from '@replsim/database';
import type { Operation } from '@replsim/operations';
import { INT32_MAX, parseReplSetConfig, type Reply, shownConfig, withNewlyAdded } from '@replsim/pipeline';
import { BsonType, CommandError, decodePromoted, FORCED_JUMP, type ReplSetConfig, type Term } from '@replsim/protocol';
import { invalidConfig, wrapErrors } from './configErrors.ts';
import type { ConfigHost } from './configHost.ts';
import { checkMayChange, runReconfig } from './reconfig.ts';

/**
 * A forced version jumps by `FORCED_JUMP`, plus a random number below this. It must beat what a majority elsewhere agreed on meanwhile, and two
 * configs forced on two sides of a partition must not have the same version. Upstream: incrementConfigVersionByRandom.
 */
const FORCED_JUMP_RANGE = 100_000;

/**
 * `replSetReconfig`: `force` needs no primary, no majority and no consent. A safe one waits until the config in force is
 * committed, changes it, and waits until a majority has the new one. Before 4.4 neither was waited for.
 * Upstream: repl_set_commands.cpp, CmdReplSetReconfig; ReplicationCoordinatorImpl::processReplSetReconfig.
 */
export function* reconfig(host: ConfigHost, { args }: CommandContext): Operation<Reply> {
  const { core } = host;
  const isDocument = args.value('replSetReconfig')?.type === BsonType.object;
  const document = isDocument ? args.document('replSetReconfig') : undefined;
  if (!document) throw new CommandError('BadValue', 'no configuration specified');
  const force = args.truth('force');
  const { maxTimeMS = 0 } = args;
  const deadlineMicros = maxTimeMS > 0 ? core.now.monotonicMicros + maxTimeMS * 1000 : undefined;
  checkMayChange(host, force);
  const isSafe = !force && core.traits.safeReconfig;
  if (isSafe) yield* awaitCommitment(host, deadlineMicros);
  core.log('I', 'REPL', 21352, 'replSetReconfig admin command received from client', {
    newConfig: decodePromoted(document),
  });
  yield* runReconfig(host, force, (old, term) => readNewConfig(host, document, old, term, force));
  if (isSafe) yield* awaitPropagation(host, deadlineMicros);
  return {};
}

function readNewConfig(
  host: ConfigHost,
  document: Uint8Array,
  old: ReplSetConfig,
  term: Term,
  force: boolean,
): ReplSetConfig {
  const { core } = host;
  const { replicaSetId } = old.settings;
  const { config, customGetLastErrorDefaults } = wrapErrors('InvalidReplicaSetConfig', () =>
    parseReplSetConfig(document, { replicaSetId, term, traits: core.traits }),
  );
  if (config._id !== core.options.setName) {
    invalidConfig(
      `Rejecting reconfig where new config set name differs from command line set name, new config set name: ${config._id}, old config set name: ${old._id}`,
    );
  }
  if (config.members.some(({ newlyAdded }) => newlyAdded)) {
    invalidConfig('Cannot provide newlyAdded field to member config during reconfig.');
  }
  if (customGetLastErrorDefaults) {
    throw new CommandError(
      5624102,
      'Failed to reconfig: the config contains customized getLastErrorDefaults; use setDefaultRWConcern instead',
    );
  }
  if (force) return forced(host, old, config);
  if (!core.traits.safeReconfig) return config;
  const marked = withNewlyAdded(old, config);
  if (marked.members.some(({ newlyAdded }) => newlyAdded)) {
    core.log('I', 'REPL', 4634400, "Appended the 'newlyAdded' field to a member", {
      newConfigObj: shownConfig(marked, core.traits),
      userProvidedConfig: decodePromoted(document),
      oldConfig: shownConfig(old, core.traits),
    });
  }
  return marked;
}

function forced({ core }: ConfigHost, old: ReplSetConfig, config: ReplSetConfig): ReplSetConfig {
  const jump = FORCED_JUMP + core.ids.below(FORCED_JUMP_RANGE);
  const version = Math.max(old.version, config.version) + jump;
  if (version > INT32_MAX)
    invalidConfig(`The version ${version} of a forced config would be greater than ${INT32_MAX}`);
  return { ...config, version };
}

/** Before the change. Throws CurrentConfigNotCommittedYet 308 in the end, NotWritablePrimary 10107 after a step-down. */
function* awaitCommitment(host: ConfigHost, deadlineMicros: number | undefined): Operation<void> {
  const { core, configuration, elections, topology } = host;
  core.log('I', 'REPL', 4508702, 'Waiting for the current config to propagate to a majority of nodes');
  const { commitment } = configuration;
  const { version, term } = topology.configInForce;
  const configOplogCommitmentOpTime = commitment.opTime;
  const deadline = deadlineMicros === undefined ? {} : { deadlineMicros };
  const until = (holds: () => boolean) =>
    ({ type: 'wait', what: 'other', ready: () => holds() || !elections.acceptsWrites, ...deadline }) as const;
  const begunMicros = core.now.monotonicMicros;
  yield until(() => commitment.isReplicated());
  const replicatedMicros = core.now.monotonicMicros;
  const attr = {
    configVersion: version,
    configTerm: term,
    configWaitDurationMillis: wholeMillis(replicatedMicros - begunMicros),
  };
  if (!commitment.isReplicated()) {
    return core.log('W', 'REPL', 4714200, 'The current config has not propagated to a majority of nodes', attr);
  }
  core.log('I', 'REPL', 51815, 'Waiting for what was committed in the previous config to be committed in this one', {
    configOplogCommitmentOpTime,
  });
  yield until(() => commitment.holds());
  const whole = {
    ...attr,
    oplogWaitDurationMillis: wholeMillis(core.now.monotonicMicros - replicatedMicros),
    configOplogCommitmentOpTime,
  };
  if (commitment.holds()) core.log('I', 'REPL', 4508701, 'The current replica set config is committed', whole);
  else core.log('W', 'REPL', 4714201, 'What was committed before is not committed in the current config', whole);
}

/** After it: the config is in force here, whatever comes. Throws MaxTimeMSExpired 50, PrimarySteppedDown 189. */
function* awaitPropagation(host: ConfigHost, deadlineMicros: number | undefined): Operation<void> {
  const { core, configuration, elections, topology } = host;
  core.log('I', 'REPL', 4508702, 'Waiting for the current config to propagate to a majority of nodes');
  const begunMicros = core.now.monotonicMicros;
  const { version, term } = topology.configInForce;
  const inTime = yield {
    type: 'wait',
    what: 'other',
    ready: () => configuration.commitment.isReplicated() || !elections.isLeader,
    ...(deadlineMicros !== undefined && { deadlineMicros }),
  };
  const attr = {
    configVersion: version,
    configTerm: term,
    configWaitDurationMillis: wholeMillis(core.now.monotonicMicros - begunMicros),
  };
  if (!configuration.commitment.isReplicated()) {
    core.log('W', 'REPL', 4714200, 'The current config has not propagated to a majority of nodes', attr);
    if (!inTime) throw new CommandError('MaxTimeMSExpired', 'the new config has not propagated to a majority in time');
    throw new CommandError('PrimarySteppedDown', 'Primary stepped down while waiting for the new config to propagate');
  }
  core.log('I', 'REPL', 4689401, 'Propagated current replica set config to a majority of nodes', attr);
}

function wholeMillis(micros: number): number {
  return Math.floor(micros / 1000);
}
