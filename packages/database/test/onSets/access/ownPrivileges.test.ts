import type { Privilege } from '@replsim/access';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Doc, LoneMember } from '../../../../node/test/loneMember.ts';

// A user who manages the users of one database can gain every right there, but none anywhere else.

const DATABASES = ['app', 'shop', 'admin'] as const;
const BUILT_IN = ['read', 'userAdmin', 'dbOwner'] as const;
const BEYOND = ['root', 'readAnyDatabase', 'userAdminAnyDatabase', '__system'] as const;
/** The role that they may make, change and have. */
const OWN = 'own';

const ROLE = fc.oneof(
  { weight: 6, arbitrary: fc.record({ role: fc.constantFrom(...BUILT_IN, OWN), db: fc.constant('app') }) },
  fc.record({ role: fc.constantFrom(...BUILT_IN, OWN), db: fc.constantFrom(...DATABASES) }),
  fc.record({ role: fc.constantFrom(...BEYOND), db: fc.constant('admin') }),
);
const RESOURCE: fc.Arbitrary<object> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ db: fc.constant('app'), collection: fc.constantFrom('', 'c') }) },
  fc.record({ db: fc.constantFrom(...DATABASES, ''), collection: fc.constantFrom('', 'c', 'system.users') }),
  fc.constant({ cluster: true }),
  fc.constant({ anyResource: true }),
);
const PRIVILEGE = fc.record({ resource: RESOURCE, actions: fc.constantFrom(['find'], ['grantRole', 'viewUser']) });
const ROLES = fc.array(ROLE, { minLength: 1, maxLength: 2 });
const PRIVILEGES = fc.array(PRIVILEGE, { minLength: 1, maxLength: 2 });

const COMMAND: fc.Arbitrary<Doc> = fc.oneof(
  ROLES.map((roles) => ({ grantRolesToUser: 'x', roles })),
  ROLES.map((roles) => ({ revokeRolesFromUser: 'x', roles })),
  ROLES.map((roles) => ({ updateUser: 'x', roles })),
  ROLES.map((roles) => ({ createUser: 'x', pwd: 'p', roles })),
  fc.tuple(ROLES, PRIVILEGES).map(([roles, privileges]) => ({ createRole: OWN, roles, privileges })),
  fc.tuple(ROLES, PRIVILEGES).map(([roles, privileges]) => ({ updateRole: OWN, roles, privileges })),
  ROLES.map((roles) => ({ grantRolesToRole: OWN, roles })),
  PRIVILEGES.map((privileges) => ({ grantPrivilegesToRole: OWN, privileges })),
  PRIVILEGES.map((privileges) => ({ revokePrivilegesFromRole: OWN, privileges })),
  fc.constant({ dropRole: OWN }),
);
const TRY = fc.record({ command: COMMAND, db: fc.constantFrom('app', 'app', 'app', 'admin', 'shop') });

test.for(['userAdmin', 'dbOwner'])('%s of one database gets nothing outside it', (role) => {
  const member = LoneMember.primary(0, {}, { options: { authorization: true } });
  const { access } = member.mongod.clients.services;
  let succeeded = 0;
  fc.assert(
    fc.property(fc.array(TRY, { minLength: 1, maxLength: 12 }), (tries) => {
      for (const db of DATABASES) {
        member.run({ dropAllUsersFromDatabase: 1 }, db);
        member.run({ dropAllRolesFromDatabase: 1 }, db);
        // Somebody else's role of that name, and somebody else of theirs.
        if (db !== 'app') {
          member.run({ createRole: OWN, privileges: [], roles: [] }, db);
          member.run({ createUser: 'x', pwd: 'p', roles: [] }, db);
        }
      }
      member.run({ createUser: 'x', pwd: 'p', roles: [{ role, db: 'app' }] }, 'app');
      const id = member.open('10.0.0.1:50001');
      const connection = member.mongod.connections.find(id)!;
      connection.user = { user: 'x', db: 'app' };
      for (const { command, db } of tries) {
        if (member.runOn(id, command, db).ok === 1) succeeded += 1;
        const outside = access.privilegesOf(connection).filter((each) => !isInside(each));
        expect(outside, `after ${JSON.stringify(command)} on ${db}`).toEqual([]);
      }
    }),
    { numRuns: 100 },
  );
  // They have not only been refused.
  expect(succeeded).toBeGreaterThan(50);
});

/** Whether it is about the database `app` alone. */
function isInside({ resource }: Privilege): boolean {
  return 'db' in resource && resource.db === 'app';
}
