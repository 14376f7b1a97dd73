import type { CommandContext, CommandDefinition, CommandDescription } from '@replsim/database';
import type { Operation } from '@replsim/operations';
import { type CommandArguments, isNumeric, numberOf, type Reply, wholeNumberOf } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { Replication } from '../replication/replication.ts';
import { stepDownGracefully } from '../replication/stepDown.ts';
import type { ReplCommandHost } from './replCommandHost.ts';
import { initiatedReplicationOf } from './status.ts';

/** Commands about who is primary. Upstream: repl_set_commands.cpp. */
export function electionCommands(host: ReplCommandHost): CommandDefinition[] {
  const define = (
    described: CommandDescription,
    run: (repl: Replication, args: CommandArguments) => Operation<Reply>,
  ): CommandDefinition => ({
    ...described,
    kind: 'other',
    secondaries: 'always',
    maintenanceOk: true,
    adminOnly: true,
    run: ({ args }: CommandContext) => run(initiatedReplicationOf(host), args),
  });
  return [
    define(
      {
        name: 'replSetStepDown',
        help: 'makes the primary step down',
        auth: { action: 'replSetStateChange', resource: 'cluster' },
        api: 'none',
      },
      stepDown,
    ),
    define(
      {
        name: 'replSetStepUp',
        help: 'makes a member stand for election',
        auth: { action: 'replSetStateChange', resource: 'cluster' },
        api: 'none',
      },
      stepUp,
    ),
    define(
      {
        name: 'replSetFreeze',
        help: 'keeps a member from standing for election for some seconds',
        auth: { action: 'replSetStateChange', resource: 'cluster' },
        api: 'none',
      },
      freeze,
    ),
    define(
      {
        name: 'replSetMaintenance',
        help: 'puts a member into maintenance mode, or takes it out',
        auth: { action: 'replSetStateChange', resource: 'cluster' },
        api: 'none',
      },
      maintenance,
    ),
    define(
      {
        name: 'replSetAbortPrimaryCatchUp',
        help: 'makes a new primary accept writes without what it has not caught up with',
        auth: { action: 'replSetStateChange', resource: 'cluster' },
        api: 'none',
      },
      abortPrimaryCatchUp,
    ),
  ];
}

/** Upstream: CmdReplSetStepDown. */
function* stepDown(repl: Replication, args: CommandArguments): Operation<Reply> {
  const force = args.truth('force');
  const stepDownSecs = longOf(args, 'replSetStepDown') || 60;
  if (stepDownSecs < 0) throw new CommandError('BadValue', 'stepdown period must be a positive integer');
  const catchUpSecs = integerField(args, 'secondaryCatchUpPeriodSecs') ?? (force ? 0 : 10);
  if (catchUpSecs < 0) {
    throw new CommandError('BadValue', 'secondaryCatchUpPeriodSecs period must be a positive or absent');
  }
  if (catchUpSecs > stepDownSecs) {
    throw new CommandError('BadValue', 'stepdown period must be longer than secondaryCatchUpPeriodSecs');
  }
  repl.core.log('I', 'COMMAND', 21579, 'Attempting to step down in response to replSetStepDown command');
  yield* stepDownGracefully(repl, { stepDownSecs, catchUpMillis: catchUpSecs * 1000, force });
  repl.core.log('I', 'COMMAND', 21580, 'replSetStepDown command completed');
  return {};
}

/** Upstream: CmdReplSetStepUp, ReplicationCoordinatorImpl::stepUpIfEligible. */
function* stepUp({ elections, core }: Replication, args: CommandArguments): Operation<Reply> {
  core.log('I', 'COMMAND', 21581, 'Received replSetStepUp request');
  if (elections.isLeader) return {};
  const started = elections.stand(args.truth('skipDryRun') ? 'stepUpRequestSkipDryRun' : 'stepUpRequest');
  if (started) yield { type: 'wait', what: 'election', ready: () => !elections.isCandidate };
  if (!elections.isLeader) throw new CommandError('CommandFailed', 'Election failed.');
  return {};
}

/** Upstream: TopologyCoordinator::prepareFreezeResponse. A negative time lies in the past and changes nothing. */
function* freeze({ elections, topology, core }: Replication, args: CommandArguments): Operation<Reply> {
  const freezeSecs = longOf(args, 'replSetFreeze');
  const isAlone = topology.others.length === 0;
  if (elections.isLeader || elections.isCandidate) {
    const state = elections.isLeader ? 'Primary' : 'Running-Election';
    core.log('I', 'REPL', 21817, 'Cannot freeze node when primary or running for election', { state });
    const errmsg = `Cannot freeze node when primary or running for election, state: ${state}`;
    throw new CommandError('NotSecondary', errmsg);
  }
  if (freezeSecs === 0) {
    core.log('I', 'REPL', 21818, 'Unfreezing');
    elections.stepDownUntilMicros = 0;
    if (isAlone) elections.stand('singleNodePromptElection');
    return { info: 'unfreezing' };
  }
  const until = core.now.monotonicMicros + freezeSecs * 1_000_000;
  elections.stepDownUntilMicros = Math.max(elections.stepDownUntilMicros, until);
  core.log('I', 'REPL', 21819, 'Freezing', { freezeSecs });
  if (isAlone) elections.standAloneLater();
  return freezeSecs === 1 ? { warning: 'you really want to freeze for only 1 second?' } : {};
}

/** Upstream: ReplicationCoordinatorImpl::setMaintenanceMode. Calls are counted, and none outlives the process. */
function* maintenance(repl: Replication, args: CommandArguments): Operation<Reply> {
  const { core, elections, topology } = repl;
  const isRunning = elections.isCandidate || core.failPoints.enter('setMaintenanceModeFailsWithNotSecondary');
  if (isRunning) throw new CommandError('NotSecondary', 'currently running for election');
  if (elections.isLeader) throw new CommandError('NotSecondary', "primaries can't modify maintenance mode");
  if (args.truth('replSetMaintenance')) {
    topology.memberMode.send('maintenanceStarted');
    return {};
  }
  if (topology.maintenanceCount === 0) throw new CommandError('OperationFailed', 'already out of maintenance mode');
  topology.memberMode.send('maintenanceEnded');
  repl.tryBecomeSecondary();
  return {};
}

/** Upstream: ReplicationCoordinatorImpl::abortCatchupIfNeeded. */
function* abortPrimaryCatchUp({ elections }: Replication): Operation<Reply> {
  if (!elections.isLeader) throw new CommandError('NotWritablePrimary', 'not primary');
  if (!elections.isCatchingUp) throw new CommandError('IllegalOperation', 'The node is not in catch-up mode.');
  elections.catchUp.conclude('FailedWithReplSetAbortPrimaryCatchUpCmd');
  return {};
}

/** A number without its fraction; 0 if it is not a number. Upstream: BSONElement::numberLong. */
function longOf(args: CommandArguments, name: string): number {
  return wholeNumberOf(args.rawValue(name)!);
}

/** Undefined if absent; throws TypeMismatch 14 or BadValue 2. Upstream: bsonExtractIntegerField. */
function integerField(args: CommandArguments, name: string): number | undefined {
  const value = args.rawValue(name);
  if (!value) return undefined;
  if (!isNumeric(value.type)) throw new CommandError('TypeMismatch', `Expected field "${name}" to have numeric type`);
  const number = numberOf(value);
  if (Number.isInteger(number)) return number;
  throw new CommandError(
    'BadValue',
    `Expected field "${name}" to have a value exactly representable as a 64-bit integer, but found ${name}: ${number}`,
  );
}
