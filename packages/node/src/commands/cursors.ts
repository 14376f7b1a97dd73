import { CommandError, type IdSource } from '@replsim/protocol';
import type { ScanWork } from './reading/scanWork.ts';

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
  /** A `getMore` uses it now. */
  pinned = false;
  /** Whoever uses it ends with CursorKilled. */
  killed = false;
  /** How many documents it may still give. */
  remaining: number;
  /** A document that did not fit into the last batch. */
  leftOver: Uint8Array | undefined;

  constructor(id: bigint, session: string | undefined, options: CursorOptions) {
    this.id = id;
    this.session = session;
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
  readonly remaining?: number;
}

/**
 * The open cursors of one process. They survive a step-down, and go with the process.
 * Upstream: cursor_manager.cpp. Simplification: idle cursors are not timed out.
 */
export class CursorStore {
  readonly #ids: IdSource;
  readonly #sessionNow: () => string | undefined;
  readonly #cursors = new Map<bigint, ClientCursor>();

  /** @param sessionNow of the operation that runs now */
  constructor(ids: IdSource, sessionNow: () => string | undefined = () => undefined) {
    this.#ids = ids;
    this.#sessionNow = sessionNow;
  }

  get size(): number {
    return this.#cursors.size;
  }

  open(options: CursorOptions): ClientCursor {
    const cursor = new ClientCursor(this.#ids.cursorId(), this.#sessionNow(), options);
    this.#cursors.set(cursor.id, cursor);
    return cursor;
  }

  /** Takes a cursor for a `getMore`. Throws CursorNotFound 43, Unauthorized 13 for another namespace's, 50736 to 50738 for another session's. */
  pin(id: bigint, ns: string): ClientCursor {
    const cursor = this.#cursors.get(id);
    if (!cursor) throw new CommandError('CursorNotFound', `cursor id ${id} not found`);
    if (cursor.ns !== ns) {
      throw new CommandError(
        'Unauthorized',
        `Requested getMore on namespace '${ns}', but cursor belongs to a different namespace ${cursor.ns}`,
      );
    }
    checkSession(cursor, this.#sessionNow());
    if (cursor.pinned) throw new CommandError(12051, `cursor id ${id} is already in use`);
    cursor.pinned = true;
    return cursor;
  }

  /** Ends a cursor; false if there was none. A `getMore` that waits on it ends with CursorKilled 237. */
  close(id: bigint): boolean {
    const cursor = this.#cursors.get(id);
    if (!cursor) return false;
    cursor.killed = true;
    this.#cursors.delete(id);
    return true;
  }

  /** Ends every cursor that `choose` names: those of a dropped collection, or all of them on rollback. */
  closeAll(choose: (cursor: ClientCursor) => boolean = () => true): void {
    for (const cursor of [...this.#cursors.values()]) if (choose(cursor)) this.close(cursor.id);
  }
}

/** A cursor is for the session that opened it. Upstream: cursor_manager.cpp, checkSessionAssociation. */
function checkSession({ id, session: own }: ClientCursor, session: string | undefined): void {
  if (own === session) return;
  if (own === undefined) {
    throw new CommandError(
      50736,
      `Cannot run getMore on cursor ${id}, which was not created in a session, in session ${session}`,
    );
  }
  if (session === undefined) {
    throw new CommandError(
      50737,
      `Cannot run getMore on cursor ${id}, which was created in session ${own}, without an lsid`,
    );
  }
  throw new CommandError(
    50738,
    `Cannot run getMore on cursor ${id}, which was created in session ${own}, in session ${session}`,
  );
}

/** What whoever uses a killed cursor gets. */
export function killedCursor(cursor: ClientCursor): CommandError {
  return new CommandError('CursorKilled', `cursor id ${cursor.id} was killed`);
}
