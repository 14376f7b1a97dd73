import {
  type ClonerListIndexesCommand,
  type ClonerQueryCommand,
  ErrorCodes,
  type ErrorReply,
  type HeartbeatCommand,
  InvariantError,
  type MemberReply,
  type MemberRequest,
  type OplogFindCommand,
  type OplogGetMoreCommand,
  type OplogProbeCommand,
  type OplogScanCommand,
  type RequestVotesCommand,
  type RunCommand,
  type UpdatePositionCommand,
} from '@replsim/protocol';
import type { Core } from './core/core.ts';
import type { IndexBuilds } from './indexBuilds/indexBuilds.ts';
import { onAbortVote, onCommitVote } from './indexBuilds/votes.ts';
import type { Replication } from './replication/replication.ts';

/** Who answers other members. */
export interface RequestHost {
  readonly core: Core;
  readonly indexBuilds: IndexBuilds;
  readonly shutdown: { readonly isQuiescing: boolean };
  /** Runs a client's command that another member sends. Both BSON. */
  runForMember(command: Uint8Array, answer: (reply: Uint8Array) => void): void;
}

/** The answer; undefined if the handler that took the request answers later. */
type Answer = MemberReply | ErrorReply | undefined;
type Answerer = (host: RequestHost, repl: Replication, request: MemberRequest) => Answer;

/** What the handshake of a new fetcher is told, so that it looks for another source; who fetches already goes on. */
const QUIESCING: ErrorReply = {
  ok: 0,
  code: ErrorCodes.ShutdownInProgress,
  errmsg: 'Replication coordinator is in quiesce mode',
};

/** The handler answers by itself, when there is something to report. */
const later =
  (take: (host: RequestHost, repl: Replication, request: MemberRequest) => void): Answerer =>
  (host, repl, request) => {
    take(host, repl, request);
    return undefined;
  };

/** Reading the oplog, unless it may be taken back or is not all there yet. */
const ofOplog =
  (answer: Answerer): Answerer =>
  (host, repl, request) =>
    repl.server.refusal() ?? answer(host, repl, request);

/** By the field that tells a request from all others, those that come most often first. */
const ANSWERERS: readonly (readonly [field: string, answer: Answerer])[] = [
  ['replSetHeartbeat', (_, repl, { command }) => repl.heartbeatRequests.onRequest(command as HeartbeatCommand)],
  ['getMore', later((_, repl, request) => repl.server.onGetMore(request, request.command as OplogGetMoreCommand))],
  [
    'replSetUpdatePosition',
    (_, repl, { command, from }) => repl.progress.onUpdatePosition(command as UpdatePositionCommand, from),
  ],
  [
    'replSetRequestVotes',
    later((_, repl, request) => repl.votes.onRequest(request, request.command as RequestVotesCommand)),
  ],
  ['tailable', ofOplog(later((_, repl, request) => repl.server.onFind(request, request.command as OplogFindCommand)))],
  [
    'limit',
    ofOplog(({ shutdown }, repl, { command }) =>
      shutdown.isQuiescing ? QUIESCING : repl.server.probe(command as OplogProbeCommand),
    ),
  ],
  ['sort', ofOplog((_, repl, { command }) => repl.server.scan(command as OplogScanCommand))],
  ['replSetGetRBID', (_, { rbid }) => ({ ok: 1, rbid })],
  ['replSetStepUp', (host, repl) => stepUp(host, repl)],
  ['voteCommitIndexBuild', later(({ indexBuilds }, _, request) => onCommitVote(indexBuilds, request))],
  ['voteAbortIndexBuild', later(({ indexBuilds }, _, request) => onAbortVote(indexBuilds, request))],
  [
    '$_requestResumeToken',
    later((_, repl, request) => repl.cloneServer.onQuery(request, request.command as ClonerQueryCommand)),
  ],
  ['listIndexes', (_, repl, { command }) => repl.cloneServer.listIndexes(command as ClonerListIndexesCommand)],
  ['runCommand', later((host, _, request) => runCommand(host, request))],
];

/** Answers another member, now or later. */
export function answerRequest(host: RequestHost, repl: Replication, request: MemberRequest): void {
  const { command } = request;
  for (const [field, answerer] of ANSWERERS) {
    if (!(field in command)) continue;
    const answer = answerer(host, repl, request);
    if (answer) respond(host, request, answer);
    return;
  }
  throw new InvariantError(`a request that nobody answers: ${Object.keys(command)[0]}`);
}

function respond({ core }: RequestHost, { from, channel, id }: MemberRequest, reply: MemberReply | ErrorReply): void {
  core.respond(from, channel, id, reply);
}

function stepUp({ core }: RequestHost, { elections }: Replication): MemberReply {
  core.log('I', 'COMMAND', 21581, 'Received replSetStepUp request');
  elections.stand('stepUpRequestSkipDryRun');
  return { ok: 1 };
}

function runCommand(host: RequestHost, request: MemberRequest): void {
  const { runCommand: command } = request.command as RunCommand;
  host.runForMember(command, (reply) => respond(host, request, { ok: 1, reply }));
}
