import { allows, type HeldByUser, type Needed, type Privilege, sameUser, type UserName } from '@replsim/access';
import { CommandError, type IdSource, type Timestamp } from '@replsim/protocol';
import type { OpenConnection } from './connections/openConnection.ts';
import { CursorLifespans } from './counts/cursorLifespans.ts';
import type { OperationDebug } from './operations/operationDebug.ts';
import type { ScanWork } from './operations/scanWork.ts';

/** Where a cursor's documents come from. It works in slices, between which time passes and others change the data. */
export interface DocumentSource {
  /** The next document; undefined after a slice without one, or where there is none: see `state`. */
  take(): Uint8Array | undefined;
  /** `waiting`: none now, but there may be later, as in a tailable cursor. */
  readonly state: 'more' | 'waiting' | 'exhausted';
  /** What has been looked at since it was last asked. */
  takeWork(): ScanWork;
  /** Begins a new slice. Throws CommandError if what it reads is gone. */
  resume(): void;
  /** For one that is `waiting`: whether there is something new to look at. */
  hasNews?(): boolean;
  /** Of which namespace committed entries may bring something; the empty one: of any. Undefined for what is no change stream. */
  readonly entriesOf?: string;
  /**
   * The position sent with each batch of a change stream or a resumable scan.
   * @param last the last document of the batch, if one is left over that did not fit
   */
  batchEnd?(last: Uint8Array | undefined): BatchEnd;
}

/** From where a change stream or a scan would go on, and whether it does not. */
export interface BatchEnd {
  /** BSON. */
  readonly resumeToken: Uint8Array;
  readonly isInvalidated: boolean;
}

/** A cursor that a client holds on this member. Upstream: clientcursor.h, ClientCursor. */
export class ClientCursor {
  readonly id: bigint;
  readonly ns: string;
  readonly source: DocumentSource;
  readonly tailable: boolean;
  readonly awaitData: boolean;
  /** What the client asked for, as `currentOp` shows it. */
  readonly originatingCommand: Uint8Array;
  /** In which it was opened, by the hex of its UUID. */
  readonly session: string | undefined;
  /** Of the transaction in which it was opened: it lives no longer. */
  readonly txnNumber: bigint | undefined;
  /** Whose it is, where clients have said who they are. */
  readonly user: UserName | undefined;
  /** What its user had to be allowed to do to open it. */
  readonly needs: readonly Needed[];
  /** What the operation that opened it has to say of its plan and its concerns. */
  readonly opening: Pick<OperationDebug, 'planSummary' | 'concerns'> | undefined;
  /** It stays however long nobody asks for more. */
  readonly noTimeout: boolean;
  readonly createdMicros: number;
  /** When a reply last came of it, of the monotonic clock. */
  lastUseMicros: number;
  batchesReturned = 0;
  /** It was kept for a `getMore`. */
  wasKept = false;
  docsReturned = 0;
  /** A `getMore` uses it now. */
  pinned = false;
  /** Whoever uses it ends with CursorKilled. */
  killed = false;
  /** How many documents it may still give. */
  remaining: number;
  /** How long it may still work, of the `maxTimeMS` of whoever opened it. Upstream: ClientCursor::getLeftoverMaxTimeMicros. */
  leftMicros = Infinity;
  /** Of its snapshot, if it reads at one: each reply tells it. */
  atClusterTime: Timestamp | undefined;
  /** A document that did not fit into the last batch. */
  leftOver: Uint8Array | undefined;

  /** Its errors tell whether the client may resume it. */
  get isChangeStream(): boolean {
    return this.source.entriesOf !== undefined;
  }

  constructor(
    id: bigint,
    { session, txnNumber, connection, debug }: CursorUser,
    openedMicros: number,
    options: CursorOptions,
  ) {
    this.id = id;
    this.session = session;
    this.txnNumber = options.ofRetryableWrite ? undefined : txnNumber;
    this.user = connection?.user;
    this.needs = debug?.needs ?? [];
    this.opening = debug;
    this.noTimeout = options.noTimeout ?? false;
    this.createdMicros = openedMicros;
    this.lastUseMicros = openedMicros;
    this.ns = options.ns;
    this.source = options.source;
    this.tailable = options.tailable ?? false;
    this.awaitData = options.awaitData ?? false;
    this.originatingCommand = options.originatingCommand;
    this.remaining = options.remaining ?? Infinity;
  }
}

export interface CursorOptions {
  readonly ns: string;
  readonly source: DocumentSource;
  readonly originatingCommand: Uint8Array;
  readonly tailable?: boolean;
  readonly awaitData?: boolean;
  readonly noTimeout?: boolean;
  readonly remaining?: number;
  /** The number of the statement that opens it is no transaction's: whoever reads on has none. */
  readonly ofRetryableWrite?: boolean;
}

/** For whom a cursor is. */
export interface CursorUser {
  /** The session, by the hex of its UUID. */
  readonly session?: string | undefined;
  /** Of the transaction. */
  readonly txnNumber?: bigint | undefined;
  /** On which the command came, if it did on one. */
  readonly connection?: OpenConnection | undefined;
  readonly debug?: Pick<OperationDebug, 'needs' | 'planSummary' | 'concerns'>;
}

/** What a cursor's user may do now. */
export interface CursorAccess {
  readonly isEnabled: boolean;
  privilegesOf(connection: OpenConnection | undefined): readonly Privilege[];
}

/** What the store asks of its member. */
export interface CursorHost {
  /** Whose operation runs now. */
  user(): CursorUser;
  readonly access: () => CursorAccess;
  /** How many each user has open. */
  readonly held: HeldByUser;
  /** The monotonic clock, µs. */
  nowMicros(): number;
  /** The parameter `cursorTimeoutMillis`. */
  timeoutMillis(): number;
  /** The parameter `enableTimeoutOfInactiveSessionCursors`. */
  sessionCursorsTimeOut(): boolean;
  /** Lets those look again who wait on a cursor. */
  wake(): void;
}

/** What has become of cursors since the process started. Upstream: cursor_server_status / cursor_stats.cpp. */
export interface CursorCounts {
  /** Those that were kept for a `getMore`. */
  totalOpened: number;
  moreThanOneBatch: number;
  timedOut: number;
  readonly lifespans: CursorLifespans;
}

/** How often those are looked for that nobody uses. Upstream: clientCursorMonitorFrequencySecs. */
const SWEEP_EVERY_MICROS = 4_000_000;

/**
 * The open cursors of one process. They survive a step-down, and go with the process. One that nobody uses for
 * `cursorTimeoutMillis` is closed, unless a session holds it. Those are looked for when cursors are used or counted: no
 * timer runs for them. Upstream: cursor_manager.cpp.
 */
export class CursorStore {
  readonly counts: CursorCounts = {
    totalOpened: 0,
    moreThanOneBatch: 0,
    timedOut: 0,
    lifespans: new CursorLifespans(),
  };
  readonly #ids: IdSource;
  readonly #host: CursorHost;
  readonly #cursors = new Map<bigint, ClientCursor>();
  #sweptMicros = 0;

  constructor(ids: IdSource, host: CursorHost) {
    this.#ids = ids;
    this.#host = host;
  }

  /** Those that are open now, oldest first. */
  get open(): readonly ClientCursor[] {
    this.#sweep();
    return [...this.#cursors.values()];
  }

  get size(): number {
    return this.open.length;
  }

  find(id: bigint): ClientCursor | undefined {
    return this.#cursors.get(id);
  }

  create(options: CursorOptions): ClientCursor {
    const nowMicros = this.#host.nowMicros();
    if (nowMicros - this.#sweptMicros >= SWEEP_EVERY_MICROS) this.#sweep();
    this.#host.held.take(this.#host.user().connection?.user);
    const cursor = new ClientCursor(this.#ids.cursorId(), this.#host.user(), nowMicros, options);
    this.#cursors.set(cursor.id, cursor);
    return cursor;
  }

  /** Takes a cursor for a `getMore`. Throws CursorNotFound 43, Unauthorized 13 for another user's, for who may no longer open it, and for another namespace's, 50736 to 50741 for another session's or transaction's, CursorInUse 143. */
  pin(id: bigint, ns: string): ClientCursor {
    const cursor = this.#cursors.get(id);
    if (!cursor || this.#closeIfIdle(cursor)) throw new CommandError('CursorNotFound', `cursor id ${id} not found`);
    const [user, access] = [this.#host.user(), this.#host.access()];
    const judged = access.isEnabled ? user.connection : undefined;
    if (judged) checkUser(cursor, judged);
    if (cursor.ns !== ns) {
      throw new CommandError(
        'Unauthorized',
        `Requested getMore on namespace '${ns}', but cursor belongs to a different namespace ${cursor.ns}`,
      );
    }
    if (judged) checkPrivileges(cursor, access.privilegesOf(judged));
    checkSession(cursor, user.session);
    checkTransaction(cursor, user.txnNumber);
    if (cursor.pinned) throw new CommandError('CursorInUse', `cursor id ${id} is already in use`);
    cursor.pinned = true;
    return cursor;
  }

  /** Ends the use of a cursor, which stays open for the next batch or is closed. */
  release(cursor: ClientCursor, kept: boolean, returned: number): void {
    cursor.pinned = false;
    cursor.lastUseMicros = this.#host.nowMicros();
    cursor.batchesReturned += 1;
    cursor.docsReturned += returned;
    if (cursor.batchesReturned === 1 && kept) {
      cursor.wasKept = true;
      this.counts.totalOpened += 1;
    }
    if (cursor.batchesReturned === 2) this.counts.moreThanOneBatch += 1;
    if (!kept) this.close(cursor.id);
  }

  /** Ends a cursor; false if there was none. A `getMore` that waits on it ends with CursorKilled 237. */
  close(id: bigint): boolean {
    const cursor = this.#cursors.get(id);
    if (!cursor || this.#closeIfIdle(cursor)) return false;
    this.#remove(cursor);
    return true;
  }

  /** Ends every cursor that `choose` names: those of a session, or all of them on rollback. */
  closeAll(choose: (cursor: ClientCursor) => boolean = () => true): void {
    for (const cursor of [...this.#cursors.values()]) if (choose(cursor)) this.#remove(cursor);
  }

  #sweep(): void {
    this.#sweptMicros = this.#host.nowMicros();
    for (const cursor of [...this.#cursors.values()]) this.#closeIfIdle(cursor);
  }

  /** Upstream: cursor_manager.cpp, cursorShouldTimeout. */
  #closeIfIdle(cursor: ClientCursor): boolean {
    const { noTimeout, pinned, session, lastUseMicros } = cursor;
    if (noTimeout || pinned || (session !== undefined && !this.#host.sessionCursorsTimeOut())) return false;
    if (this.#host.nowMicros() - lastUseMicros < this.#host.timeoutMillis() * 1000) return false;
    this.counts.timedOut += 1;
    this.#remove(cursor);
    return true;
  }

  #remove(cursor: ClientCursor): void {
    cursor.killed = true;
    if (cursor.wasKept) this.counts.lifespans.ended((this.#host.nowMicros() - cursor.createdMicros) / 1000);
    if (this.#cursors.delete(cursor.id)) this.#host.held.release(cursor.user);
    if (cursor.pinned) this.#host.wake();
  }
}

/** Upstream: cursor_manager.cpp, CursorManager::pinCursor. */
function checkUser({ id, user }: ClientCursor, connection: OpenConnection): void {
  if (sameUser(user, connection.user)) return;
  throw new CommandError('Unauthorized', `cursor id ${id} was not created by the authenticated user`);
}

/** Whoever may not open it any more may not read on. Upstream: getmore_cmd.cpp, validateAuthorization. */
function checkPrivileges({ id, needs }: ClientCursor, privileges: readonly Privilege[]): void {
  if (needs.every(({ action, target }) => allows(privileges, action, target))) return;
  throw new CommandError('Unauthorized', `not authorized for getMore with cursor id ${id}`);
}

/** A cursor is for the session that opened it. Upstream: cursor_manager.cpp, checkSessionAssociation. */
function checkSession({ id, session: own }: ClientCursor, session: string | undefined): void {
  if (own === session) return;
  const cannot = `Cannot run getMore on cursor ${id}, which was`;
  if (own === undefined) throw new CommandError(50736, `${cannot} not created in a session, in session ${session}`);
  if (session === undefined) throw new CommandError(50737, `${cannot} created in session ${own}, without an lsid`);
  throw new CommandError(50738, `${cannot} created in session ${own}, in session ${session}`);
}

/** A cursor of a transaction is for its statements. Upstream: cursor_manager.cpp, checkSessionAssociation. */
function checkTransaction({ id, txnNumber: own }: ClientCursor, txnNumber: bigint | undefined): void {
  if (own === txnNumber) return;
  const cannot = `Cannot run getMore on cursor ${id}, which is of`;
  if (own === undefined) throw new CommandError(50739, `${cannot} no transaction, in number ${txnNumber}`);
  const whose = `${cannot} the transaction with number ${own}`;
  if (txnNumber === undefined) throw new CommandError(50740, `${whose}, without a txnNumber`);
  throw new CommandError(50741, `${whose}, in number ${txnNumber}`);
}

/** What whoever uses a killed cursor gets. */
export function killedCursor(cursor: ClientCursor): CommandError {
  return new CommandError('CursorKilled', `cursor id ${cursor.id} was killed`);
}
