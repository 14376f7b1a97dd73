import { type AuthorizedUser, type Privilege, type RoleName, resolveRoles, type UserName } from '@replsim/access';
import { OpenConnection } from '../../../operations/src/connections/openConnection.ts';
import type { FakeMember } from '../fakeMember.ts';

/** Clients of a member with access control, each on a connection of its own. */
export class Clients {
  readonly member: FakeMember;
  readonly #privileges = new Map<OpenConnection, readonly Privilege[]>();
  #count = 0;

  constructor(member: FakeMember) {
    this.member = member;
    member.access = {
      ...member.access,
      isEnabled: true,
      userOf: (connection) => this.#userOf(connection),
      privilegesOf: (connection) => (connection && this.#privileges.get(connection)) ?? [],
    };
  }

  #userOf(connection: OpenConnection | undefined): AuthorizedUser | undefined {
    const name = connection?.user;
    const privileges = connection && this.#privileges.get(connection);
    return name && { name, userId: new Uint8Array(16), roles: [], privileges: privileges ?? [] };
  }

  /** Somebody with these privileges; nobody without a name. */
  withPrivileges(privileges: readonly Privilege[], name: UserName | undefined = { user: 'u', db: 'admin' }): Client {
    this.#count += 1;
    const connection = new OpenConnection(this.#count, `10.0.0.1:${this.#count}`, 0);
    connection.user = name;
    const client = new Client(this.member, connection);
    this.grant(client, privileges);
    return client;
  }

  withRoles(roles: readonly RoleName[], name?: UserName): Client {
    return this.withPrivileges(resolveRoles(roles, () => undefined).privileges, name);
  }

  grant({ connection }: Client, privileges: readonly Privilege[]): void {
    this.#privileges.set(connection, privileges);
  }

  stranger(): Client {
    const client = this.withPrivileges([]);
    client.connection.user = undefined;
    return client;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: replies of many commands
type Doc = any;

export class Client {
  readonly member: FakeMember;
  readonly connection: OpenConnection;

  constructor(member: FakeMember, connection: OpenConnection) {
    this.member = member;
    this.connection = connection;
  }

  run(command: object, db = 'app'): Doc {
    return this.member.start(command, db, {}, this.connection).finish();
  }

  /** Whether access control is what stops the command. */
  isRefused(command: object, db = 'app'): boolean {
    return this.run(command, db).code === 13;
  }
}
