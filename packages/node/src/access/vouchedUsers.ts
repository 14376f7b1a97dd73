import { shownName, type UserName } from '@replsim/access';
import { findUser } from '@replsim/database';
import { NO_ADDRESS, OpenConnection } from '@replsim/operations';
import type { Core } from '../core/core.ts';
import type { UserAccess } from './userAccess.ts';

/**
 * Connections in name only, on which users act that the host vouches for: nobody proves a password, and everything else is as if
 * somebody had. A user who is dropped is nobody there, until there is one of that name again.
 */
export class VouchedUsers {
  readonly #core: Core;
  readonly #access: Pick<UserAccess, 'logIn'>;
  readonly #connections = new Map<string, OpenConnection>();

  constructor(core: Core, access: Pick<UserAccess, 'logIn'>) {
    this.#core = core;
    this.#access = access;
  }

  connectionOf(user: UserName): OpenConnection {
    const key = shownName(user);
    let connection = this.#connections.get(key);
    if (!connection) {
      connection = new OpenConnection(0, NO_ADDRESS, this.#core.now.monotonicMicros);
      this.#connections.set(key, connection);
    }
    if (!connection.user && findUser(this.#core.engine, user)) this.#access.logIn(connection, user);
    return connection;
  }
}
