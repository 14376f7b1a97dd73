import { DEFAULTS_ID, parseReadConcern, parseWriteConcern, SETTINGS_NS, TRANSACTIONS_NS } from '@replsim/operations';
import { anySessionId, Fields } from '@replsim/pipeline';
import { BsonType, CommandError, encodeName, findField, readString, type VersionTraits } from '@replsim/protocol';
import { checkCompatibilityVersion } from '../admin/featureCompatibility.ts';

const ID = encodeName('_id');
const VERSION = encodeName('version');
const VERSION_NS = 'admin.system.version';
const FCV = 'featureCompatibilityVersion';

/** What is known of whoever writes. */
export interface Writer {
  readonly traits: VersionTraits;
  /** The command came in a session, as all of a driver do. */
  readonly isInSession: boolean;
}

/** What documents that the server itself reads have to stand up to, where a client writes or deletes them by hand. */
export interface Guard {
  written(document: Uint8Array, writer: Writer): void;
  deleted(document: Uint8Array, writer: Writer): void;
}

/**
 * Rows of sessions are not written from within one. Errors: Location40528, Location13111 for an `_id` that is no document, those of
 * session ids. Upstream: session_catalog_mongod.cpp, observeDirectWriteToConfigTransactions.
 */
function checkSessionRow(document: Uint8Array, { isInSession }: Writer): void {
  if (isInSession) {
    const why = 'cannot be performed using a transaction or on a session.';
    throw new CommandError(40528, `Direct writes against ${TRANSACTIONS_NS} ${why}`);
  }
  const id = findField(document, ID);
  if (id?.type !== BsonType.object) throw new CommandError(13111, 'wrong type for field (_id): it must be an Object');
  anySessionId(id.bytes.slice(id.offset, id.offset + id.size), 'lsid');
}

function idOf(document: Uint8Array): string | undefined {
  const id = findField(document, ID);
  return id?.type === BsonType.string ? readString(id) : undefined;
}

/** By namespace. */
export const GUARDS: ReadonlyMap<string, Guard> = new Map<string, Guard>([
  [TRANSACTIONS_NS, { written: checkSessionRow, deleted: checkSessionRow }],
  [VERSION_NS, { written: checkVersion, deleted: keepVersion }],
  [SETTINGS_NS, { written: checkDefaults, deleted: () => {} }],
]);

/** Errors: Location4926900. Upstream: fcv_op_observer.cpp, feature_compatibility_version_parser.cpp. */
function checkVersion(document: Uint8Array, writer: Writer): void {
  if (idOf(document) !== FCV) return;
  const version = findField(document, VERSION);
  checkCompatibilityVersion(version?.type === BsonType.string ? readString(version) : undefined, writer);
}

/** Errors: Location40670. */
function keepVersion(document: Uint8Array): void {
  if (idOf(document) !== FCV) return;
  throw new CommandError(40670, 'removing FeatureCompatibilityVersion document is not allowed');
}

/**
 * What is not to be read as defaults would fail every command that names no concern. Errors: those of concerns.
 * Upstream: read_write_concern_defaults.cpp, observeDirectWriteToConfigSettings.
 */
function checkDefaults(document: Uint8Array): void {
  if (idOf(document) !== DEFAULTS_ID) return;
  const fields = new Fields(document, DEFAULTS_ID);
  parseWriteConcern(fields, 'defaultWriteConcern');
  parseReadConcern(fields, { level: 'local' }, 'defaultReadConcern');
}
