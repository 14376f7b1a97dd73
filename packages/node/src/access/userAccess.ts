import {
  type AuthorizedUser,
  builtInPrivileges,
  type Privilege,
  type Restriction,
  readRestrictions,
  resolveRoles,
  type StoredUser,
  SYSTEM_USER,
  sameUser,
  setSecret,
  type UserName,
  unmetRestriction,
} from '@replsim/access';
import { findRoleDocument, findUser, type MemberAccess, ROLES_NS, USERS_NS } from '@replsim/database';
import type { OpenConnection } from '@replsim/operations';
import { Fields, type ParameterStore } from '@replsim/pipeline';
import { type DataHash, isLoopbackName, machineOf } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import { exceptionPrivileges } from './localhostException.ts';

const NOTHING: readonly Privilege[] = [];
const NO_ID = new Uint8Array();
const NO_KEYS: readonly string[] = [];

/** What of its member this asks. */
export interface AccessHost {
  readonly core: Core;
  readonly parameters: ParameterStore;
  isArbiter(): boolean;
}

/** A user, with all that follows from its document and its roles. */
interface Known {
  readonly user: AuthorizedUser;
  readonly restrictions: readonly (readonly Restriction[])[];
}

/** Who logged in on a connection. */
interface LoggedIn {
  readonly name: UserName;
  readonly userId: Uint8Array;
  /** As what it was last seen. */
  known: Known | undefined;
  /** The `#generation` of which that is. */
  asOf: number;
}

/**
 * Who is on the connections of one process, and what they may do. What is known of users is kept until a document of a user or a
 * role changes, by whatever way: a write, the oplog, a rollback. Upstream: authorization_session_impl.cpp; user_cache_invalidator.
 */
export class UserAccess implements MemberAccess {
  readonly isEnabled: boolean;
  readonly secret: Uint8Array;
  readonly keys: readonly string[];
  readonly #host: AccessHost;
  readonly #loggedIn = new WeakMap<OpenConnection, LoggedIn>();
  /** Connections on which the localhost exception has once been found to be over. */
  readonly #unexcepted = new WeakSet<OpenConnection>();
  readonly #users = new Map<string, Known | undefined>();
  readonly #userDocuments = new Stamp();
  readonly #roleDocuments = new Stamp();
  /** How often these have changed. */
  #generation = 0;
  readonly #system: Known;

  constructor(host: AccessHost) {
    const { authorization = false, access } = host.core.options;
    this.isEnabled = authorization;
    this.keys = access?.keys ?? NO_KEYS;
    this.secret = setSecret(this.keys);
    this.#host = host;
    const role = { role: '__system', db: 'admin' };
    const privileges = builtInPrivileges(role) ?? NOTHING;
    this.#system = { user: { name: SYSTEM_USER, userId: NO_ID, roles: [role], privileges }, restrictions: [] };
  }

  logIn(connection: OpenConnection, name: UserName): string | undefined {
    const known = this.#find(name);
    const unmet = known && this.#unmet(known, connection);
    if (unmet !== undefined) return unmet;
    connection.user = name;
    this.#loggedIn.set(connection, { name, userId: known?.user.userId ?? NO_ID, known, asOf: this.#generation });
    return undefined;
  }

  userOf(connection: OpenConnection | undefined): AuthorizedUser | undefined {
    if (!connection?.user) return undefined;
    const name = connection.user;
    const session = this.#loggedIn.get(connection);
    this.#lookAgain();
    // What each command asks, and several times.
    if (session?.asOf === this.#generation && session.name === name) return session.known?.user ?? unnamed(name);
    // One of those that `anyUserPasswords` lets in, whom no document names.
    if (!session || !sameUser(session.name, name)) return this.#find(name)?.user ?? unnamed(name);
    const known = this.#find(name);
    session.asOf = this.#generation;
    if (known === session.known) return known?.user ?? unnamed(name);
    return this.#refreshed(connection, session, known);
  }

  privilegesOf(connection: OpenConnection | undefined): readonly Privilege[] {
    const own = this.userOf(connection)?.privileges ?? NOTHING;
    return this.isExcepted(connection) ? [...own, ...exceptionPrivileges(this.#host.isArbiter())] : own;
  }

  isExcepted(connection: OpenConnection | undefined): boolean {
    if (!this.isEnabled || !connection || this.#unexcepted.has(connection)) return false;
    if (!this.#host.parameters.bool('enableLocalhostAuthBypass')) return false;
    if (!isLoopbackName(machineOf(connection.remote))) return false;
    const { engine } = this.#host.core;
    const isHeld = [USERS_NS, ROLES_NS].every((ns) => (engine.collection(ns)?.count ?? 0) === 0);
    if (!isHeld) this.#unexcepted.add(connection);
    return isHeld;
  }

  /** Something about the user has changed since the connection's last command. Upstream: _refreshUserInfoAsNeeded. */
  #refreshed(connection: OpenConnection, session: LoggedIn, known: Known | undefined): AuthorizedUser | undefined {
    const { core } = this.#host;
    const { name: user } = session;
    if (session.known && (!known || !sameId(known.user.userId, session.userId))) {
      const msg = 'Removed deleted user from session cache of user information';
      core.log('I', 'ACCESS', 20245, msg, { user });
      return this.#forget(connection);
    }
    const reason = known && this.#unmet(known, connection);
    if (reason !== undefined) {
      const msg = 'Removed user with unmet authentication restrictions from session cache of user information';
      core.log('I', 'ACCESS', 20242, msg, { user, reason });
      return this.#forget(connection);
    }
    core.debug(1, 'ACCESS', 20244, 'Updated session cache of user information for user', { user });
    session.known = known;
    return known?.user ?? unnamed(user);
  }

  #forget(connection: OpenConnection): undefined {
    connection.user = undefined;
    this.#loggedIn.delete(connection);
    return undefined;
  }

  #unmet({ restrictions }: Known, { remote }: OpenConnection): string | undefined {
    // Both ends are on one machine, or the client's address says by which network it came.
    const client = machineOf(remote).replace(/^\[|\]$/g, '');
    const server = machineOf(this.#host.core.options.host)
      .replace(/^\[|\]$/g, '')
      .replace(/^localhost$/, '127.0.0.1');
    return unmetRestriction(restrictions, { client, server });
  }

  #find(name: UserName): Known | undefined {
    if (sameUser(name, SYSTEM_USER)) return this.#system;
    this.#lookAgain();
    const key = `${name.db}.${name.user}`;
    if (!this.#users.has(key)) {
      const user = findUser(this.#host.core.engine, name);
      this.#users.set(key, user && this.#known(user));
    }
    return this.#users.get(key);
  }

  /** Forgets what is known of users if a document of a user or a role has changed. */
  #lookAgain(): void {
    const { engine } = this.#host.core;
    const areUsersSame = this.#userDocuments.isOf(engine.collection(USERS_NS));
    const areRolesSame = this.#roleDocuments.isOf(engine.collection(ROLES_NS));
    if (areUsersSame && areRolesSame) return;
    this.#users.clear();
    this.#generation += 1;
  }

  #known(user: StoredUser): Known {
    const { engine } = this.#host.core;
    const { roles, privileges, documents, missing } = resolveRoles(user.roles, (role) =>
      findRoleDocument(engine, role),
    );
    for (const role of missing) this.#host.core.log('I', 'ACCESS', 5029200, 'Role does not exist', { role });
    const ofRoles = documents.map((document) =>
      readRestrictions(new Fields(document, 'role'), 'authenticationRestrictions'),
    );
    return {
      user: { name: user.name, userId: user.userId, roles, privileges },
      restrictions: [user.restrictions, ...ofRoles],
    };
  }
}

/** Which documents a collection had. Without a text of them, as every command asks. */
class Stamp {
  #count = -1;
  #hash: DataHash = NO_HASH;

  /** Whether it has those that it had when this was last asked. */
  isOf(collection: CollectionView | undefined): boolean {
    const { count, dataHash } = collection ?? NO_COLLECTION;
    const isSame = count === this.#count && dataHash[0] === this.#hash[0] && dataHash[1] === this.#hash[1];
    this.#count = count;
    this.#hash = dataHash;
    return isSame;
  }
}

const NO_HASH: DataHash = [0, 0];
const NO_COLLECTION = { count: -1, dataHash: NO_HASH };

function unnamed(name: UserName): AuthorizedUser {
  return { name, userId: NO_ID, roles: [], privileges: NOTHING };
}

function sameId(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
