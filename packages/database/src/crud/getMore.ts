import { type Needed, NOTHING, namespace, onCluster, sameUser } from '@replsim/access';
import {
  type ClientCursor,
  contextOf,
  inPlan,
  killedCursor,
  type Operation,
  pauseWhileSet,
  waitWhileSet,
  withDeadline,
} from '@replsim/operations';
import { checkSameApi, Fields, fieldSet, int64Of, isNumeric, type Reply, shownApiParameters } from '@replsim/pipeline';
import { CommandError, type RawBson, toBsonTimestamp } from '@replsim/protocol';
import { Timestamp } from 'bson';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { ClientServices, MemberServices } from '../member.ts';
import type { Asking } from '../needs.ts';
import { batchEnd, fillBatch, isAtEnd } from '../reading/batches.ts';
import { atOnce } from '../replies/atOnce.ts';
import { failGetMore } from '../replies/failCommand.ts';

/** How long a getMore waits for data if it does not say. Unit: ms. Upstream: query_constants, kDefaultAwaitDataTimeout. */
const DEFAULT_AWAIT_MS = 1000;

const getMoreFields = fieldSet(
  'getMore',
  'collection',
  'batchSize',
  'term',
  'lastKnownCommittedOpTime',
  'includeQueryStatsMetrics',
);
const killCursorsFields = fieldSet('killCursors', 'cursors');

/** Cursors are of whoever serves reads, and nobody has to ask for a secondary again. */
const WHERE_ONE_READS = { kind: 'other', secondaries: 'always', maintenanceOk: false } as const;

/**
 * `{ getMore: id, collection, batchSize?, maxTimeMS? }` → `{ cursor: { nextBatch, id, ns } }`. A cursor that awaits data waits
 * up to `maxTimeMS` for the first document; any other works for as long as the `maxTimeMS` of whoever opened it lets it.
 * Whose user was dropped meanwhile fails with Unauthorized 13 before the cursor is looked for, and the cursor stays. Upstream:
 * authorization_session_impl.cpp, startRequest looks the user up again; authorization_checks.cpp, checkAuthForGetMore.
 * Errors: MaxTimeMSExpired 50, CursorNotFound 43, CursorKilled 237, TypeMismatch 14 for an id that is no int64, Location51024 for a negative batchSize, BadValue 2,
 * NotPrimaryOrSecondary 13436 while the member serves no reads, whether there is such a cursor or not. Upstream: getmore_cmd.cpp.
 */
const getMore: CommandDefinition = {
  name: 'getMore',
  refusesClusterTime: true,
  help: 'gives the next batch of a cursor',
  auth: 'user',
  api: 'v1',
  ...WHERE_ONE_READS,
  countedAs: 'getmore',
  ownMaxTime: true,
  run: runGetMore,
};

/** `{ killCursors, cursors: [id] }` → `{ cursorsKilled, cursorsNotFound, cursorsAlive, cursorsUnknown }`. Errors: as `getMore`, 13436. Upstream: killcursors_common.h. */
const killCursors: CommandDefinition = {
  name: 'killCursors',
  refusesClusterTime: true,
  help: 'closes cursors',
  auth: killCursorsNeeds,
  api: 'v1',
  ...WHERE_ONE_READS,
  run: atOnce(runKillCursors),
};

export const cursorCommands: readonly CommandDefinition[] = [getMore, killCursors];

function* runGetMore({ args, member, connection }: CommandContext): Operation<Reply> {
  args.allow(getMoreFields);
  args.strictBool('includeQueryStatsMetrics');
  const id = args.long('getMore') ?? args.missing('getMore');
  const collection = args.requiredString('collection');
  if (collection === '') throw new CommandError('InvalidNamespace', 'Collection names cannot be empty');
  const ns = `${args.db}.${collection}`;
  // Zero is no limit.
  const batchSize = args.count('batchSize') || Infinity;
  const { maxTimeMS } = args;
  const cursor = member.cursors.pin(id, ns);
  if (maxTimeMS !== undefined && !cursor.awaitData) {
    cursor.pinned = false;
    throw new CommandError('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
  }
  try {
    const first = shownApiParameters(new Fields(cursor.originatingCommand, 'originatingCommand'));
    checkSameApi('getMore', shownApiParameters(args), first, 'the cursor-creating command');
  } catch (error) {
    // It is there for whoever asks for it rightly.
    cursor.pinned = false;
    throw error;
  }
  const { originatingCommand, opening } = cursor;
  member.debug.usesChangeStream = cursor.isChangeStream;
  member.debug.comment = new Fields(originatingCommand, 'originatingCommand').rawValue('comment');
  member.debug.readsOn = { cursorId: id, originatingCommand, opening };
  // It reads as the cursor was opened.
  member.debug.concerns = opening?.concerns && { read: opening.concerns.read };
  let kept = false;
  let returned = 0;
  const killed = () => (cursor.killed ? killedCursor(cursor) : undefined);
  try {
    failGetMore({ args, connection }, member.failPoints);
    yield* waitWhileSet(member, 'waitAfterPinningCursorBeforeGetMoreBatch', { ns, killed });
    yield* waitWhileSet(member, 'waitWithPinnedCursorDuringGetMoreBatch', { ns, killed });
    const next = nextBatchOf(member, cursor, batchSize, maxTimeMS ?? DEFAULT_AWAIT_MS);
    const executed = inTimeLeft(member, cursor, next);
    const nextBatch = yield* inPlan(contextOf('getMore', ns, member.traits), executed);
    yield* pauseWhileSet(member, 'getMoreHangAfterPinCursor', { killed });
    yield* waitWhileSet(member, 'waitBeforeUnpinningOrDeletingCursorAfterGetMoreBatch', { ns, killed });
    kept = !isAtEnd(cursor);
    returned = nextBatch.length;
    const { atClusterTime: at } = cursor;
    const time = at && { atClusterTime: toBsonTimestamp(at, Timestamp) };
    return { cursor: { nextBatch, ...batchEnd(cursor, nextBatch), id: kept ? cursor.id : 0n, ns, ...time } };
  } finally {
    member.debug.nReturned += returned;
    member.cursors.release(cursor, kept, returned);
  }
}

/** What remains of the `maxTimeMS` with which a cursor was opened is used up batch by batch, unless it awaits data. */
function* inTimeLeft<T>(member: MemberServices, cursor: ClientCursor, operation: Operation<T>): Operation<T> {
  if (cursor.awaitData) return yield* operation;
  const nowMicros = () => member.now.monotonicMicros;
  const { failPoints } = member;
  const isLimited = cursor.leftMicros !== Infinity && failPoints.areConfigured;
  if (isLimited && failPoints.enter('maxTimeAlwaysTimeOut')) cursor.leftMicros = 0;
  const deadlineMicros = nowMicros() + cursor.leftMicros;
  const result = yield* withDeadline(operation, deadlineMicros, nowMicros);
  cursor.leftMicros = deadlineMicros - nowMicros();
  return result;
}

function* nextBatchOf(
  member: MemberServices,
  cursor: ClientCursor,
  batchSize: number,
  awaitMs: number,
): Operation<RawBson[]> {
  const deadlineMicros = member.now.monotonicMicros + awaitMs * 1000;
  const { failPoints } = member;
  const awaits = cursor.awaitData && !(failPoints.areConfigured && failPoints.enter('disableAwaitDataForGetMoreCmd'));
  for (;;) {
    const batch = yield* fillBatch(member, cursor, batchSize);
    if (batch.length > 0 || !awaits || cursor.source.state !== 'waiting') return batch;
    const ready = () => cursor.killed || cursor.source.hasNews?.() === true;
    const { entriesOf } = cursor.source;
    const wait = { type: 'wait', what: 'awaitData', ready, deadlineMicros, forMs: awaitMs } as const;
    const inTime = yield entriesOf === undefined ? wait : { ...wait, entriesOf };
    if (cursor.killed) throw killedCursor(cursor);
    if (!inTime) return batch;
  }
}

/** One's own one may close. Upstream: cursor_manager.cpp, CursorManager::checkAuthForKillCursors. */
function killCursorsNeeds({ args, member, user, mayDo }: Asking): readonly Needed[] {
  const named = (args.array('cursors') ?? []).filter(({ type }) => isNumeric(type));
  const open = named.flatMap((value) => member.cursors.find(int64Of(value)) ?? []);
  const others = open.filter((cursor) => !sameUser(cursor.user, user?.name));
  const mayCloseThere = others.every(({ ns }) => mayDo('killAnyCursor', namespace(ns)));
  return mayCloseThere ? NOTHING : onCluster('killAnyCursor');
}

function runKillCursors({ args, member }: CommandContext<ClientServices>): Reply {
  args.allow(killCursorsFields);
  const { collection: _checked } = args;
  const cursorsKilled: bigint[] = [];
  const cursorsNotFound: bigint[] = [];
  for (const value of args.array('cursors') ?? args.missing('cursors')) {
    if (!isNumeric(value.type))
      throw new CommandError('TypeMismatch', "BSON field 'killCursors.cursors' must hold cursor ids");
    const id = int64Of(value);
    (member.cursors.close(id) ? cursorsKilled : cursorsNotFound).push(id);
  }
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
}
