import type { AuthorizedUser, Privilege } from '@replsim/access';
import type { MemberAccess, OpenConnection } from '@replsim/database';

const NOTHING: readonly Privilege[] = [];
const NO_ID = new Uint8Array();

/** Who is on the connections of one process, and what they may do. Upstream: authorization_session_impl.cpp. */
export class UserAccess implements MemberAccess {
  readonly isEnabled: boolean;

  constructor(isEnabled: boolean) {
    this.isEnabled = isEnabled;
  }

  userOf(connection: OpenConnection | undefined): AuthorizedUser | undefined {
    const name = connection?.user;
    return name && { name, userId: NO_ID, roles: [], privileges: NOTHING };
  }

  privilegesOf(connection: OpenConnection | undefined): readonly Privilege[] {
    return this.userOf(connection)?.privileges ?? NOTHING;
  }
}
