import type { CommandDefinition } from '@replsim/database';
import type { Operation } from '@replsim/operations';
import {
  bytesOf,
  type CommandArguments,
  encodeReplSetConfig,
  Fields,
  isNumeric,
  numberOf,
  type Reply,
  typeName,
} from '@replsim/pipeline';
import {
  BsonType,
  type BsonValue,
  CommandError,
  type ErrorReply,
  type HeartbeatCommand,
  type HeartbeatReply,
  MemberStates,
  type OpTime,
  RawBson,
  type RequestVotesReply,
  readString,
  readTimestamp,
  UNINITIALIZED_TERM,
} from '@replsim/protocol';
import type { ReplCommandHost } from './replCommandHost.ts';
import { opTimeReply, timestampReply } from './replyValues.ts';
import { initiatedReplicationOf, replicationOf } from './status.ts';

/**
 * What members say to each other, for clients who say it: heartbeats, and requests for a vote, which is really given.
 * Fields that nobody knows are passed over, as between members of different releases. Upstream: repl_set_commands.cpp,
 * repl_set_request_votes.cpp.
 */
export function memberCommands(host: ReplCommandHost): CommandDefinition[] {
  const shown = {
    auth: { action: 'internal', resource: 'cluster' },
    api: 'none',
    kind: 'other',
    secondaries: 'always',
    maintenanceOk: true,
    adminOnly: true,
  } as const;
  return [
    {
      name: 'replSetHeartbeat',
      help: 'asks a member how it is, as other members do',
      ...shown,
      *run({ args }): Operation<Reply> {
        const { heartbeatRequests } = replicationOf(host);
        return heartbeatReply(host, answered(heartbeatRequests.onRequest(readHeartbeat(args))));
      },
    },
    {
      name: 'replSetRequestVotes',
      help: 'asks for a vote, as candidates do',
      ...shown,
      killable: 'never',
      run: ({ args }) => requestVotes(host, args),
    },
  ];
}

/** Errors: NoSuchKey 4, TypeMismatch 14, BadValue 2. Upstream: repl_set_heartbeat_args_v1.cpp, initialize. */
function readHeartbeat(args: CommandArguments): HeartbeatCommand {
  const checkEmpty = flag(args, 'checkEmpty') ?? false;
  const configVersion = integer(args, 'configVersion') ?? missing('configVersion');
  const configTerm = integer(args, 'configTerm') ?? UNINITIALIZED_TERM;
  const heartbeatVersion = integer(args, 'hbv') ?? 1;
  if (heartbeatVersion !== 1) {
    throw new CommandError(40666, `Found invalid value for field hbv: ${heartbeatVersion}`);
  }
  return {
    fromId: integer(args, 'fromId') ?? -1,
    from: hostOf(text(args, 'from')),
    primaryId: integer(args, 'primaryId') ?? -1,
    term: integer(args, 'term') ?? missing('term'),
    replSetHeartbeat: text(args, 'replSetHeartbeat'),
    configVersion,
    configTerm,
    ...(checkEmpty && { checkEmpty }),
  };
}

/**
 * Upstream: repl_set_heartbeat_response.cpp, addToBSON. Simplification: mongod sends the
 * timestamp of the election as a date, far beyond those that JavaScript can hold.
 */
function heartbeatReply({ core }: ReplCommandHost, reply: HeartbeatReply): Reply {
  const { electionTime, config, v, syncingTo, hasData } = reply;
  const { electable, set, term, primaryId } = reply;
  return {
    ...(electionTime && { electionTime: timestampReply(electionTime) }),
    ...(config && { config: new RawBson(encodeReplSetConfig(config, { traits: core.traits })) }),
    electable,
    state: MemberStates[reply.state],
    v,
    configTerm: BigInt(reply.configTerm),
    set,
    ...(syncingTo !== undefined && { syncingTo }),
    term: BigInt(term),
    primaryId: BigInt(primaryId),
    durableOpTime: opTimeReply(reply.durableOpTime),
    durableWallTime: new Date(reply.durableWallTimeMs),
    opTime: opTimeReply(reply.opTime),
    wallTime: new Date(reply.wallTimeMs),
    ...(core.traits.showsWrittenOpTime && {
      writtenOpTime: opTimeReply(reply.writtenOpTime),
      writtenWallTime: new Date(reply.writtenWallTimeMs),
    }),
    ...(hasData !== undefined && { hasData }),
  };
}

/** Errors: those of the arguments, BadValue 2 for a candidate that is not in the config. Upstream: repl_set_request_votes_args.cpp. */
function* requestVotes(host: ReplCommandHost, args: CommandArguments): Operation<Reply> {
  const { votes } = initiatedReplicationOf(host);
  const term = integer(args, 'term') ?? missing('term');
  const candidateIndex = integer(args, 'candidateIndex') ?? missing('candidateIndex');
  const configVersion = integer(args, 'configVersion') ?? missing('configVersion');
  const configTerm = integer(args, 'configTerm') ?? UNINITIALIZED_TERM;
  const setName = text(args, 'setName');
  const dryRun = flag(args, 'dryRun') ?? missing('dryRun');
  const lastAppliedOpTime = opTime(args, 'lastAppliedOpTime') ?? missing('lastAppliedOpTime');
  const lastWrittenOpTime = opTime(args, 'lastWrittenOpTime') ?? lastAppliedOpTime;
  const request = { setName, dryRun, term, candidateIndex, configVersion, configTerm };
  let reply: RequestVotesReply | ErrorReply | undefined;
  votes.decide({ replSetRequestVotes: 1, ...request, lastWrittenOpTime, lastAppliedOpTime }, (each) => {
    reply = each;
    host.core.wake();
  });
  // A vote is given when it is on disk.
  yield { type: 'wait', what: 'journal', ready: () => reply !== undefined };
  const { voteGranted, reason, term: newest } = answered(reply as RequestVotesReply | ErrorReply);
  return { term: BigInt(newest), voteGranted, reason };
}

function answered<T extends { readonly ok: 1 }>(reply: T | ErrorReply): T {
  if (reply.ok === 0) throw new CommandError(reply.code, reply.errmsg);
  return reply;
}

/** Undefined if absent. Simplification: mongod takes 64 bits. Upstream: bson_extract.cpp, bsonExtractIntegerField. */
function integer(args: Fields, name: string): number | undefined {
  const value = args.rawValue(name);
  if (!value) return undefined;
  if (!isNumeric(value.type)) mistyped(name, 'numeric', value);
  const number = numberOf(value);
  if (Number.isSafeInteger(number)) return number;
  throw new CommandError('BadValue', `"${name}" has to be an integer of at most 53 bits, not ${number}`);
}

function text(args: Fields, name: string): string {
  const value = args.rawValue(name) ?? missing(name);
  return value.type === BsonType.string ? readString(value) : mistyped(name, 'string', value);
}

/** Nothing, or where the sender can be asked in turn. Throws FailedToParse 9. */
function hostOf(from: string): string {
  if (from === '' || /^[^\s:]+(:\d{1,5})?$/.test(from)) return from;
  throw new CommandError('FailedToParse', `"from" has to be a host with its port, not ${JSON.stringify(from)}`);
}

/** Undefined if absent; a number stands for a flag too. */
function flag(args: Fields, name: string): boolean | undefined {
  const value = args.rawValue(name);
  if (!value) return undefined;
  if (value.type === BsonType.bool) return value.bytes[value.offset] === 1;
  return isNumeric(value.type) ? numberOf(value) !== 0 : mistyped(name, 'boolean or number', value);
}

/** `{ ts, t }`. Upstream: bson_extract_optime.cpp. */
function opTime(args: Fields, name: string): OpTime | undefined {
  const value = args.rawValue(name);
  if (!value) return undefined;
  if (value.type !== BsonType.object) mistyped(name, 'object', value);
  const fields = new Fields(bytesOf(value), name);
  const ts = fields.rawValue('ts') ?? missing('ts');
  if (ts.type !== BsonType.timestamp) mistyped('ts', 'timestamp', ts);
  return { ts: readTimestamp(ts), t: integer(fields, 't') ?? missing('t') };
}

function missing(name: string): never {
  throw new CommandError('NoSuchKey', `Missing expected field "${name}"`);
}

function mistyped(name: string, wanted: string, { type }: BsonValue): never {
  throw new CommandError('TypeMismatch', `"${name}" had the wrong type. Expected ${wanted}, found ${typeName(type)}`);
}
