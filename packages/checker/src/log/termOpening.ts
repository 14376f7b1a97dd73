import { encodeName, findField, type OplogEntry, readString } from '@replsim/protocol';

const MSG = encodeName('msg');
const CREATE = encodeName('create');
const CREATE_INDEXES = encodeName('createIndexes');
const ABORT_TRANSACTION = encodeName('abortTransaction');

/** What sessions need: a set's first primary makes them before its first entry. Upstream: MongoDSessionCatalog::onStepUp. */
const OF_SESSIONS: ReadonlySet<string | undefined> = new Set(['transactions', 'image_collection']);

/** Whether an entry is the no-op `{msg: "new primary"}` that opens a term. */
export function isNewPrimary({ operation }: OplogEntry): boolean {
  return operation.op === 'n' && stringOf(operation, MSG) === 'new primary';
}

/**
 * Whether an entry may come before the no-op: it makes a collection of sessions, or gives up a transaction whose last part the
 * old primary did not send. Upstream: MongoDSessionCatalog::onStepUp, which onTransitionToPrimary calls first.
 */
export function mayPrecedeNoop({ operation }: OplogEntry): boolean {
  if (operation.op !== 'c') return false;
  if (operation.ns === 'admin.$cmd') return findField(operation.o, ABORT_TRANSACTION) !== undefined;
  if (operation.ns !== 'config.$cmd') return false;
  return OF_SESSIONS.has(stringOf(operation, CREATE)) || OF_SESSIONS.has(stringOf(operation, CREATE_INDEXES));
}

function stringOf({ o }: OplogEntry['operation'], name: Uint8Array): string | undefined {
  const field = findField(o, name);
  return field && readString(field);
}
