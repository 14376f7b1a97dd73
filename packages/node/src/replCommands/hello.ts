import { type CommandContext, type CommandDefinition, type CommandDescription, helloLogin } from '@replsim/database';
import { type OpenConnection, type Operation, sleep } from '@replsim/operations';
import type { FailPointData, Reply } from '@replsim/pipeline';
import type { MemberConfig, OpTime, ReplSetConfig } from '@replsim/protocol';
import { ObjectId } from 'bson';
import { hangAt } from '../core/hang.ts';
import type { Replication } from '../replication/replication.ts';
import { awaitedTopology, knowsTheNewest, type TopologyVersion } from './awaitableHello.ts';
import type { ReplCommandHost } from './replCommandHost.ts';
import { opTimeReply } from './replyValues.ts';

/** The two names of the command, and what they call the field that says whether writes are possible. */
interface Spelling {
  readonly primaryField: 'isWritablePrimary' | 'ismaster';
  readonly delayField: 'secondaryDelaySecs' | 'slaveDelay';
}

/** Wire version of 3.4. */
const FIRST_WITH_COMPRESSION = 5;

/** By which a client asks how to log in, or begins to. */
const LOGINS = ['saslSupportedMechs', 'speculativeAuthenticate'];

const HELLO: Spelling = { primaryField: 'isWritablePrimary', delayField: 'secondaryDelaySecs' };
const IS_MASTER: Spelling = { primaryField: 'ismaster', delayField: 'slaveDelay' };

/**
 * `hello`, and `isMaster` as it was called before. With `topologyVersion` and `maxAwaitTimeMS` the answer waits until there
 * is news. Upstream: replication_info.cpp, CmdHello.
 */
export function helloCommands(host: ReplCommandHost): CommandDefinition[] {
  const define = (
    described: CommandDescription,
    aliases: readonly string[],
    spelling: Spelling,
  ): CommandDefinition => ({
    ...described,
    aliases,
    kind: 'other',
    secondaries: 'always',
    maintenanceOk: true,
    killable: 'never',
    isHandshake: true,
    sensitive: ['speculativeAuthenticate'],
    *run(context): Operation<Reply> {
      const { connection } = context;
      checkFlags(context.args);
      if (host.core.failPoints.areConfigured) yield* standInHello(host, context);
      const compressors = negotiatedCompressors(host, connection, context);
      if (connection) shakeHands(host, connection, context, spelling);
      if (host.shutdown.isQuiescing) throw host.shutdown.quiesceError();
      const news = yield* waitForNews(host, context, () => helloReply(host, spelling, connection?.id));
      if (host.shutdown.isQuiescing) throw host.shutdown.quiesceError();
      const helloOk = spelling === IS_MASTER && context.args.bool('helloOk');
      return {
        ...(news ?? helloReply(host, spelling, connection?.id)),
        ...(compressors.length > 0 && { compression: compressors }),
        ...(helloOk && { helloOk: true }),
        ...(LOGINS.some((field) => context.args.has(field)) && helloLogin(context)),
      };
    },
  });
  return [
    define(
      { name: 'hello', help: 'shows what kind of member this is, and its set', auth: 'none', api: 'v1' },
      [],
      HELLO,
    ),
    define({ name: 'isMaster', help: 'the former name of hello', auth: 'none', api: 'none' }, ['ismaster'], IS_MASTER),
  ];
}

/**
 * `waitInHello`: for `delayMillis`, or until it is off; only of `internalClient`s or of others (`notInternalClient`), as the
 * hello itself says. Upstream: replication_info.cpp, _handleHelloFailPoint.
 */
function* standInHello({ core }: ReplCommandHost, { args }: CommandContext): Operation<void> {
  const isInternal = args.has('internalClient');
  const concerns = ({ internalClient, notInternalClient }: FailPointData) =>
    !(internalClient !== undefined && !isInternal) && !(notInternalClient !== undefined && isInternal);
  const delayed = (data: FailPointData) => data.delayMillis !== undefined && concerns(data);
  const delay = core.failPoints.enter('waitInHello', delayed);
  if (delay) yield* sleep(Number(delay.delayMillis) * 1000);
  else yield* hangAt(core, 'waitInHello', { concerns: (data) => !delayed(data) && concerns(data) });
}

/** Errors: TypeMismatch 14. Upstream: hello.idl. */
function checkFlags(args: CommandContext['args']): void {
  for (const name of ['helloOk', 'hangUpOnStepDown', 'forShell']) args.bool(name);
  args.strictBool('loadBalanced');
}

/**
 * Those of the client's compressors that this member has, in the client's order; what was agreed on before, where a hello does not say.
 * Errors: TypeMismatch 14. Upstream: message_compressor_manager.cpp, MessageCompressorManager::serverNegotiate.
 */
function negotiatedCompressors(
  { core, parameters }: ReplCommandHost,
  connection: OpenConnection | undefined,
  { args }: CommandContext,
): readonly string[] {
  if (core.traits.maxWireVersion < FIRST_WITH_COMPRESSION) return [];
  const asked = args.strings('compression');
  if (asked === undefined) return connection?.compressors ?? [];
  const own = parameters.texts('networkMessageCompressors');
  const agreed = asked.filter((name) => own.includes(name));
  if (connection) connection.compressors = agreed;
  return agreed;
}

/** What the connection learns of its client from each hello. */
function shakeHands(
  { connections }: ReplCommandHost,
  connection: OpenConnection,
  { args, exhaustAllowed }: CommandContext,
  spelling: Spelling,
): void {
  connections.handshake(connection, spelling === HELLO || args.bool('helloOk'));
  if (exhaustAllowed) connection.streams = spelling === HELLO ? 'hello' : 'isMaster';
}

/**
 * Holds the answer back until something changed that `hello` shows, or the client's patience is over.
 * @returns what `show` gave at the first change, as several may come at one instant; undefined where nothing was waited for
 */
function* waitForNews(
  host: ReplCommandHost,
  { args, exhaustAllowed }: CommandContext,
  show: () => Reply,
): Operation<Reply | undefined> {
  const awaited = awaitedTopology(args, exhaustAllowed);
  const own = topologyVersionOf(host);
  if (!awaited || !knowsTheNewest(awaited, own)) return undefined;
  const watchers = host.repl?.topology.versionWatchers;
  let news: Reply | undefined;
  const watcher = (): void => {
    news ??= show();
  };
  watchers?.add(watcher);
  const { core } = host;
  try {
    // Who waits for this one learns that a hello has begun to wait.
    core.failPoints.enter('waitForHelloResponse');
    yield* hangAt(core, 'hangWhileWaitingForHelloResponse');
    const changed = yield {
      type: 'wait',
      what: 'topologyChange',
      ready: () => topologyVersionOf(host).counter > own.counter,
      deadlineMicros: core.now.monotonicMicros + awaited.maxAwaitTimeMS * 1000,
      forMs: awaited.maxAwaitTimeMS,
    };
    if (!changed) yield* hangAt(core, 'hangAfterWaitingForTopologyChangeTimesOut');
  } finally {
    watchers?.delete(watcher);
  }
  return news;
}

function topologyVersionOf({ core, repl }: ReplCommandHost): TopologyVersion {
  return { processId: core.options.processId, counter: repl?.topology.topologyVersion ?? 0 };
}

/** The whole reply except `ok`. No command is more frequent, so one object is filled field by field. */
function helloReply(host: ReplCommandHost, spelling: Spelling, connectionId = 1): Reply {
  const { core, repl } = host;
  const reply: Reply = repl
    ? setFields(host, repl, spelling)
    : { topologyVersion: shownVersion(host), [spelling.primaryField]: true };
  reply.maxBsonObjectSize = 16_777_216;
  reply.maxMessageSizeBytes = 48_000_000;
  reply.maxWriteBatchSize = 100_000;
  reply.localTime = new Date(core.now.wallMs);
  reply.logicalSessionTimeoutMinutes = host.sessions.timeoutMinutes;
  reply.connectionId = connectionId;
  reply.minWireVersion = 0;
  reply.maxWireVersion = core.traits.maxWireVersion;
  reply.readOnly = false;
  return reply;
}

function shownVersion(host: ReplCommandHost): Reply {
  const { processId, counter } = topologyVersionOf(host);
  return { processId: new ObjectId(processId), counter: BigInt(counter) };
}

/** What a member of a set says of itself and of the set; serverStatus shows the same. Upstream: fillHelloForReplSet. */
export function setFields(
  host: ReplCommandHost,
  repl: Replication,
  { primaryField, delayField }: Spelling = HELLO,
): Reply {
  const { topology, elections } = repl;
  const { config, self, state } = topology;
  const topologyVersion = shownVersion(host);
  if (!config || !self) {
    return {
      topologyVersion,
      ...(config && { setName: config._id }),
      [primaryField]: false,
      secondary: false,
      info: 'Does not have a valid replica set config',
      isreplicaset: true,
    };
  }
  const attempting = elections.mode === 'AttemptingStepDown';
  const reply: Reply = { topologyVersion };
  Object.assign(reply, listedHosts(config));
  reply.setName = config._id;
  reply.setVersion = config.version;
  reply[primaryField] = elections.acceptsWrites;
  // Elected but not writable yet counts as a secondary; one that is trying to step down is neither.
  reply.secondary = state === 'SECONDARY' || (elections.isLeader && !elections.acceptsWrites && !attempting);
  if (topology.primaryHost !== undefined) reply.primary = topology.primaryHost;
  addTraits(reply, self, delayField);
  reply.me = self.host;
  if (elections.isLeader) reply.electionId = electionId(topology.term);
  reply.lastWrite = lastWrite(repl);
  return reply;
}

const listsOf = new WeakMap<ReplSetConfig, Reply>();

/** Hidden and delayed members are no clients' business; a list without members is left out. */
function listedHosts(config: ReplSetConfig): Reply {
  const known = listsOf.get(config);
  if (known) return known;
  const listed = config.members.filter(({ hidden, secondaryDelaySecs }) => !hidden && secondaryDelaySecs === 0);
  const lists = {
    hosts: listed.filter(({ arbiterOnly, priority }) => !arbiterOnly && priority > 0),
    passives: listed.filter(({ arbiterOnly, priority }) => !arbiterOnly && priority === 0),
    arbiters: listed.filter(({ arbiterOnly }) => arbiterOnly),
  };
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  const reply = Object.fromEntries(filled.map(([name, list]) => [name, list.map(({ host }) => host)]));
  listsOf.set(config, reply);
  return reply;
}

/** What tells a member from an ordinary one. */
function addTraits(reply: Reply, self: MemberConfig, delayField: Spelling['delayField']): void {
  if (self.arbiterOnly) reply.arbiterOnly = true;
  else if (self.priority === 0) reply.passive = true;
  if (self.hidden) reply.hidden = true;
  if (!self.buildIndexes) reply.buildIndexes = false;
  if (self.secondaryDelaySecs > 0) reply[delayField] = self.secondaryDelaySecs;
  if (Object.keys(self.tags).length > 0) reply.tags = self.tags;
}

/** Dates are whole seconds, by which drivers judge staleness. Upstream: HelloResponse::setLastWrite. */
function lastWrite({ positions, oplog }: Replication): Reply {
  const { applied, commitPoint, stable, hasCommittedSnapshot } = positions;
  const wallOf = (opTime: OpTime): number =>
    stable === commitPoint.opTime ? commitPoint.wallMs : (oplog.at(oplog.lowerBound(opTime.ts))?.wallMs ?? 0);
  return {
    opTime: opTimeReply(applied.opTime),
    lastWriteDate: wholeSecond(applied.wallMs),
    ...(hasCommittedSnapshot && {
      majorityOpTime: opTimeReply(stable),
      majorityWriteDate: wholeSecond(wallOf(stable)),
    }),
  };
}

function wholeSecond(wallMs: number): Date {
  return new Date(Math.floor(wallMs / 1000) * 1000);
}

let latest: { readonly term: number; readonly id: ObjectId } | undefined;

/**
 * `7fffffff`, then the term. A driver that hears of two primaries believes the greater id, so it must grow with the term, and be
 * greater than those of before there were terms, which began with the time of day. Upstream: OID::fromTerm.
 */
export function electionId(term: number): ObjectId {
  // Every write shows it.
  if (latest?.term !== term) latest = { term, id: new ObjectId(`7fffffff${term.toString(16).padStart(16, '0')}`) };
  return latest.id;
}
