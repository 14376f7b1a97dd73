import {
  enabledMechanisms,
  KEPT_CREDENTIALS,
  managingNeeds,
  roleChanges,
  rolesInfo,
  SCRAM_SHAPES,
  userChanges,
  usersInfo,
} from '@replsim/access';
import { type Operation, spend } from '@replsim/operations';
import { fieldSet } from '@replsim/pipeline';
import { compileFilter } from '@replsim/query';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { ANYWHERE, atOnce, ON_PRIMARY } from '../replies/atOnce.ts';
import { AccessReader, AccessWriter } from './accessStore.ts';

const changes = { ...userChanges, ...roleChanges };

/** What each command is for. */
const described: Readonly<Record<keyof typeof changes, string>> = {
  createUser: 'creates a user',
  updateUser: 'changes a user',
  dropUser: 'removes a user',
  dropAllUsersFromDatabase: 'removes all users of a database',
  grantRolesToUser: 'gives roles to a user',
  revokeRolesFromUser: 'takes roles from a user',
  createRole: 'creates a role',
  updateRole: 'changes a role',
  dropRole: 'removes a role',
  dropAllRolesFromDatabase: 'removes all roles that were created in a database',
  grantPrivilegesToRole: 'gives privileges to a role',
  revokePrivilegesFromRole: 'takes privileges from a role',
  grantRolesToRole: 'gives roles to a role',
  revokeRolesFromRole: 'takes roles from a role',
};

const invalidateFields = fieldSet();

/** What manages users and roles. What the commands mean is a matter of their documents. Upstream: user_management_commands.cpp. */
export const managingCommands: readonly CommandDefinition[] = [
  ...(Object.keys(described) as (keyof typeof changes)[]).map(
    (name): CommandDefinition => ({
      name,
      help: described[name],
      auth: managingNeeds[name],
      sensitive: ['pwd', KEPT_CREDENTIALS],
      api: 'none',
      ...ON_PRIMARY,
      run: changing(changes[name]),
    }),
  ),
  {
    name: 'usersInfo',
    help: 'lists users',
    auth: managingNeeds.usersInfo,
    api: 'none',
    ...ANYWHERE,
    secondaries: 'optIn',
    run: atOnce(({ args, data }) => usersInfo(args, new AccessReader(data), compileFilter)),
  },
  {
    name: 'rolesInfo',
    help: 'lists roles',
    auth: managingNeeds.rolesInfo,
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
