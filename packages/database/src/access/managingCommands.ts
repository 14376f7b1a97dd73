import { enabledMechanisms, roleChanges, rolesInfo, SCRAM_SHAPES, userChanges, usersInfo } from '@replsim/access';
import { fieldSet } from '@replsim/pipeline';
import { compileFilter } from '@replsim/query';
import type { CommandContext, CommandDefinition, CommandDescription } from '../definition.ts';
import { type Operation, spend } from '../operations/operation.ts';
import { ANYWHERE, atOnce, ON_PRIMARY } from '../replies/atOnce.ts';
import { AccessReader, AccessWriter } from './accessStore.ts';

const changes = { ...userChanges, ...roleChanges };

/** What each command is for, and what a client needs to run it. */
const described: Readonly<Record<keyof typeof changes, readonly [help: string, auth: CommandDescription['auth']]>> = {
  createUser: ['creates a user', 'byArguments'],
  updateUser: ['changes a user', 'byArguments'],
  dropUser: ['removes a user', { action: 'dropUser', resource: 'database' }],
  dropAllUsersFromDatabase: ['removes all users of a database', { action: 'dropUser', resource: 'database' }],
  grantRolesToUser: ['gives roles to a user', 'byArguments'],
  revokeRolesFromUser: ['takes roles from a user', 'byArguments'],
  createRole: ['creates a role', 'byArguments'],
  updateRole: ['changes a role', 'byArguments'],
  dropRole: ['removes a role', { action: 'dropRole', resource: 'database' }],
  dropAllRolesFromDatabase: [
    'removes all roles that were created in a database',
    { action: 'dropRole', resource: 'database' },
  ],
  grantPrivilegesToRole: ['gives privileges to a role', 'byArguments'],
  revokePrivilegesFromRole: ['takes privileges from a role', 'byArguments'],
  grantRolesToRole: ['gives roles to a role', 'byArguments'],
  revokeRolesFromRole: ['takes roles from a role', 'byArguments'],
};

const invalidateFields = fieldSet();

/** What manages users and roles. What the commands mean is a matter of their documents. Upstream: user_management_commands.cpp. */
export const managingCommands: readonly CommandDefinition[] = [
  ...Object.entries(described).map(
    ([name, [help, auth]]): CommandDefinition => ({
      name,
      help,
      auth,
      api: 'none',
      ...ON_PRIMARY,
      run: changing(changes[name as keyof typeof changes]),
    }),
  ),
  {
    name: 'usersInfo',
    help: 'lists users',
    auth: 'byArguments',
    api: 'none',
    ...ANYWHERE,
    secondaries: 'optIn',
    run: atOnce(({ args, data }) => usersInfo(args, new AccessReader(data), compileFilter)),
  },
  {
    name: 'rolesInfo',
    help: 'lists roles',
    auth: 'byArguments',
    api: 'none',
    ...ANYWHERE,
    secondaries: 'optIn',
    run: atOnce(({ args, data }) => rolesInfo(args, new AccessReader(data))),
  },
  {
    name: 'invalidateUserCache',
    help: 'forgets what is known of users; they are looked up anew whenever one of them has changed',
    auth: { action: 'invalidateUserCache', resource: 'cluster' },
    api: 'none',
    ...ANYWHERE,
    run: atOnce(({ args }) => {
      args.allow(invalidateFields);
      return {};
    }),
  },
];

/** It costs one write, at the end of which everything is looked at and changed at one instant. */
function changing(change: (typeof changes)[keyof typeof changes]): CommandDefinition['run'] {
  return function* run(context: CommandContext): Operation<ReturnType<typeof change>> {
    const { costs, parameters, access, ids } = context.member;
    yield* spend(costs.updateMicros + costs.commitMicros);
    return change(context.args, new AccessWriter(context.writes), {
      mechanisms: enabledMechanisms(parameters),
      serverSecret: access.secret,
      iterations: (mechanism) => parameters.number(SCRAM_SHAPES[mechanism].iterations),
      newId: () => ids.uuid(),
    });
  };
}
