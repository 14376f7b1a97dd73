import { CommandError, decodePromoted } from '@replsim/protocol';
import type { CommandContext, CommandDefinition, Reply } from '../commands/command.ts';
import type { Mongod } from '../mongod.ts';
import type { Operation } from '../operations/operation.ts';
import { stepDownGracefully } from '../replication/stepDown.ts';
import { replicationOf } from './status.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Commands about who is primary. Upstream: repl_set_commands.cpp. */
export function electionCommands(mongod: Mongod): CommandDefinition[] {
  const define = (name: string, run: (mongod: Mongod, fields: Fields) => Operation<Reply>): CommandDefinition => ({
    name,
    secondaries: 'always',
    maintenanceOk: true,
    adminOnly: true,
    run: ({ args }: CommandContext) => run(mongod, decodePromoted(args.bytes) as Fields),
  });
  return [define('replSetStepDown', stepDown), define('replSetStepUp', stepUp), define('replSetFreeze', freeze)];
}

/** Upstream: CmdReplSetStepDown. */
function* stepDown(mongod: Mongod, fields: Fields): Operation<Reply> {
  const repl = replicationOf(mongod);
  const force = Boolean(fields.force);
  const asked = secondsOf(fields, 'replSetStepDown', 60);
  const stepDownSecs = asked === 0 ? 60 : asked;
  if (stepDownSecs < 0) throw new CommandError('BadValue', 'stepdown period must be a positive integer');
  const catchUpSecs = secondsOf(fields, 'secondaryCatchUpPeriodSecs', force ? 0 : Math.min(10, stepDownSecs));
  if (catchUpSecs < 0)
    throw new CommandError('BadValue', 'secondaryCatchUpPeriodSecs period must be a positive or absent');
  if (catchUpSecs > stepDownSecs) {
    throw new CommandError('BadValue', 'stepdown period must be longer than secondaryCatchUpPeriodSecs');
  }
  yield* stepDownGracefully(repl, { stepDownSecs, catchUpMillis: catchUpSecs * 1000, force });
  return {};
}

/** Upstream: CmdReplSetStepUp. */
function* stepUp(mongod: Mongod, fields: Fields): Operation<Reply> {
  const { elections } = replicationOf(mongod);
  if (elections.isLeader) return {};
  const started = elections.stand(fields.skipDryRun ? 'stepUpRequestSkipDryRun' : 'stepUpRequest');
  if (started) yield { type: 'wait', what: 'election', ready: () => !elections.isCandidate };
  if (!elections.isLeader) throw new CommandError('CommandFailed', 'Election failed.');
  return {};
}

/** Upstream: TopologyCoordinator::prepareFreezeResponse. */
function* freeze(mongod: Mongod, fields: Fields): Operation<Reply> {
  const repl = replicationOf(mongod);
  const { elections, topology, core } = repl;
  const seconds = secondsOf(fields, 'replSetFreeze', 0);
  if (elections.isLeader || elections.isCandidate) {
    throw new CommandError('NotSecondary', 'cannot freeze node when primary or running for election. state: Primary');
  }
  if (seconds < 0) throw new CommandError('BadValue', 'freeze period must not be negative');
  if (seconds === 0) {
    elections.stepDownUntilMicros = 0;
    if (topology.others.length === 0) elections.stand('singleNodePromptElection');
    return { info: 'unfreezing' };
  }
  const until = core.now.monotonicMicros + seconds * 1_000_000;
  elections.stepDownUntilMicros = Math.max(elections.stepDownUntilMicros, until);
  if (topology.others.length === 0) core.setTimer('stepDownUntil', seconds * 1_000_000);
  return seconds === 1 ? { warning: 'you really want to freeze for only 1 second?' } : {};
}

function secondsOf(fields: Fields, name: string, fallback: number): number {
  const value = fields[name];
  if (value === undefined || value === null) return fallback;
  const seconds = typeof value === 'bigint' ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) {
    throw new CommandError('TypeMismatch', `Expected field "${name}" to be a number`);
  }
  return Math.trunc(seconds);
}
