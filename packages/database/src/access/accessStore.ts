import {
  type AccessChanges,
  type AccessCollection,
  type AccessDocuments,
  documentId,
  type RoleName,
  readUser,
  type StoredUser,
  type UserName,
} from '@replsim/access';
import type { WriteServices } from '@replsim/operations';
import { EMPTY_DOCUMENT } from '@replsim/pipeline';
import { encodeDocument } from '@replsim/protocol';
import { computeDiff } from '@replsim/query';
import { type CollectionView, type ReadView, StoredDocument } from '@replsim/storage';

export const USERS_NS = 'admin.system.users';
export const ROLES_NS = 'admin.system.roles';
const VERSION_NS = 'admin.system.version';

const NAMESPACES = { users: USERS_NS, roles: ROLES_NS } as const;

/** Upstream: authorization_manager.h, schemaVersion28SCRAM. */
const AUTH_SCHEMA = { _id: 'authSchema', currentVersion: 5 };

/** What finds one document of each collection, besides `_id`. Upstream: auth_index_d.cpp. */
const INDEXES = {
  users: { v: 2, unique: true, key: { user: 1, db: 1 }, name: 'user_1_db_1' },
  roles: { v: 2, unique: true, key: { role: 1, db: 1 }, name: 'role_1_db_1' },
} as const;

/** A document, and where it is. */
interface Found {
  readonly collection: CollectionView;
  readonly recordId: number;
  readonly document: StoredDocument;
}

export function findUser(data: ReadView, { user, db }: UserName): StoredUser | undefined {
  const found = find(data, 'users', user, db);
  return found && readUser(found.document.bytes);
}

/** The document of a role that somebody has created. */
export function findRoleDocument(data: ReadView, { role, db }: RoleName): Uint8Array | undefined {
  return find(data, 'roles', role, db)?.document.bytes;
}

function find(data: ReadView, which: AccessCollection, name: string, db: string): Found | undefined {
  const collection = data.collection(NAMESPACES[which]);
  const recordId = collection?.findById(idKeyOf(documentId(name, db)));
  const document = recordId === undefined ? undefined : collection?.get(recordId);
  return collection && recordId !== undefined && document ? { collection, recordId, document } : undefined;
}

function idKeyOf(_id: string): string {
  return new StoredDocument(encodeDocument({ _id })).idKey;
}

/** Users and roles as a read sees them. */
export class AccessReader implements AccessDocuments {
  readonly #data: ReadView;

  constructor(data: ReadView) {
    this.#data = data;
  }

  user(name: UserName): StoredUser | undefined {
    return findUser(this.#data, name);
  }

  role(name: RoleName): Uint8Array | undefined {
    return findRoleDocument(this.#data, name);
  }

  all(which: AccessCollection): readonly Uint8Array[] {
    const documents: Uint8Array[] = [];
    const cursor = this.#data.collection(NAMESPACES[which])?.records();
    while (cursor?.next()) documents.push(cursor.document.bytes);
    return documents;
  }
}

/**
 * Changes users and roles by the one way by which data changes: the others hear of it by the oplog, and a rollback undoes it.
 * Upstream: user_management_commands.cpp.
 */
export class AccessWriter extends AccessReader implements AccessChanges {
  readonly #writes: WriteServices;

  constructor(writes: WriteServices) {
    super(writes.newest());
    this.#writes = writes;
  }

  insert(which: AccessCollection, document: Uint8Array): void {
    this.#prepare(which);
    this.#writes.insert(NAMESPACES[which], [new StoredDocument(document)]);
  }

  replace(which: AccessCollection, name: string, db: string, document: Uint8Array): void {
    const found = find(this.#writes.newest(), which, name, db);
    if (!found) return;
    const diff = computeDiff(found.document.bytes, document);
    this.#writes.update(found.collection, found.recordId, new StoredDocument(document), diff);
  }

  delete(which: AccessCollection, name: string, db: string): boolean {
    const found = find(this.#writes.newest(), which, name, db);
    if (!found) return false;
    this.#writes.delete(found.collection, [found.recordId], { grouped: false });
    return true;
  }

  together(change: () => void): void {
    this.#writes.together(change);
  }

  /** The collection with its index, and the version of both. */
  #prepare(which: AccessCollection): void {
    const writes = this.#writes;
    const ns = NAMESPACES[which];
    const data = writes.newest();
    if (data.collection(VERSION_NS)?.findById(idKeyOf(AUTH_SCHEMA._id)) === undefined) {
      writes.insert(VERSION_NS, [new StoredDocument(encodeDocument(AUTH_SCHEMA))]);
    }
    if (!data.collection(ns)) writes.createCollection(ns, EMPTY_DOCUMENT);
    const index = INDEXES[which];
    if (!data.collection(ns)?.index(index.name)) writes.createIndex(ns, encodeDocument(index));
  }
}
