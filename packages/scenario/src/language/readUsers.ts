import { Template } from '../file/placeholder.ts';
import type { Reader } from '../reading/reader.ts';
import type { ClientAction, Step } from '../scenario.ts';
import type { ScenarioInput } from './scenarioSchema.ts';

/** Makes the users of the head known to steps, which may act as them. */
export function readUsers(reader: Reader, { users = [], replicaSet }: ScenarioInput): void {
  const { source } = reader;
  if (users.length > 0 && replicaSet?.auth !== true && replicaSet?.keyFile === undefined)
    source.mistakeAtPath(
      ['users'],
      'without access control every user may do everything',
      'turn it on: "replicaSet: { keyFile: theSharedKey }", or leave "users" out',
    );
  if (users.length > 0 && replicaSet?.initiate === false)
    source.mistakeAtPath(
      ['users'],
      'a set that is not initiated has no primary that could create users',
      'leave out "initiate: false", or create them in a step: "- run: { command: { createUser: … } }"',
    );
  for (const [i, { user, db = 'admin' }] of users.entries()) {
    if (reader.users.has(user))
      source.mistakeAtPath(
        ['users', i, 'user'],
        `there is another user "${user}"`,
        'steps know users by their names: choose another',
      );
    reader.users.set(user, { user, db });
  }
}

/** The step before the first, which creates the users as the localhost exception would. */
export function usersStep({ source }: Reader, { users = [] }: ScenarioInput): Step[] {
  if (users.length === 0) return [];
  const commands = users.map(
    ({ user, pwd = user, db = 'admin', roles = [] }) =>
      new Template(
        new Map<string, unknown>([
          ['createUser', user],
          ['pwd', pwd],
          ['roles', roles.map((role) => (typeof role === 'string' ? role : new Map(Object.entries(role))))],
          ['writeConcern', new Map([['w', 'majority']])],
          ['$db', db],
        ]),
      ),
  );
  const action: ClientAction = {
    kind: 'client',
    on: ['primary'],
    commands,
    retryable: false,
    reads: false,
    implicitSession: false,
    wants: {},
    as: undefined,
  };
  const text = `users: [${users.map(({ user }) => user).join(', ')}]`;
  return [{ index: 0, line: source.lineOf(['users']), key: 'users', text, action }];
}
