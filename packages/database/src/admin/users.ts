import { BsonType, CommandError } from '@replsim/protocol';
import type { CommandDefinition, CommandDescription } from '../definition.ts';
import { type CommandArguments, fieldSet } from '../fields/arguments.ts';
import { isNumeric, typeName } from '../fields/values.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';
import type { Reply } from '../reply.ts';

// biome-ignore format: a list
const usersInfoFields = fieldSet('usersInfo', 'showCredentials', 'showCustomData', 'showPrivileges',
  'showAuthenticationRestrictions', 'filter');
// biome-ignore format: a list
const rolesInfoFields = fieldSet('rolesInfo', 'showPrivileges', 'showBuiltinRoles', 'showAuthenticationRestrictions');

/** Commands that make, change or remove users and roles, and the privilege of each. */
const managing: Readonly<Record<string, CommandDescription['auth']>> = {
  createUser: { action: 'createUser', resource: 'database' },
  updateUser: 'byArguments',
  dropUser: { action: 'dropUser', resource: 'database' },
  dropAllUsersFromDatabase: { action: 'dropUser', resource: 'database' },
  grantRolesToUser: 'byArguments',
  revokeRolesFromUser: 'byArguments',
  createRole: { action: 'createRole', resource: 'database' },
  updateRole: 'byArguments',
  dropRole: { action: 'dropRole', resource: 'database' },
  dropAllRolesFromDatabase: { action: 'dropRole', resource: 'database' },
  grantPrivilegesToRole: 'byArguments',
  revokePrivilegesFromRole: 'byArguments',
  grantRolesToRole: 'byArguments',
  revokeRolesFromRole: 'byArguments',
};

/**
 * There are no users here, and nobody is asked who they are: lists are empty, and whatever would make a user is refused.
 * Errors: CommandNotSupported 115. Upstream: user_management_commands.cpp.
 */
export const userCommands: readonly CommandDefinition[] = [
  {
    name: 'usersInfo',
    help: 'lists users, of which there are none',
    auth: 'byArguments',
    api: 'none',
    ...ANYWHERE,
    run: atOnce(({ args }) => emptyList(args, usersInfoFields, 'users')),
  },
  {
    name: 'rolesInfo',
    help: 'lists roles, of which there are none',
    auth: 'byArguments',
    api: 'none',
    ...ANYWHERE,
    run: atOnce(({ args }) => emptyList(args, rolesInfoFields, 'roles')),
  },
  ...Object.entries(managing).map(([name, auth]) =>
    refused({ name, help: 'manages users and roles, of which there are none here', auth, api: 'none' }),
  ),
];

/** Errors: TypeMismatch 14 for an argument that names nobody. */
function emptyList(args: CommandArguments, fields: ReadonlySet<string>, list: 'users' | 'roles'): Reply {
  args.allow(fields);
  const { type } = args.presentValue(args.name);
  if (!isNumeric(type) && type !== BsonType.string && type !== BsonType.object && type !== BsonType.array) {
    throw new CommandError(
      'TypeMismatch',
      `${args.name} must be a number, a name, a document or an array, not of type ${typeName(type)}`,
    );
  }
  return { [list]: [] };
}

function refused(described: CommandDescription): CommandDefinition {
  return {
    ...described,
    ...ANYWHERE,
    ownWriteConcern: true,
    run: atOnce(() => {
      throw new CommandError('CommandNotSupported', 'replsim has no users and roles: nobody authenticates here');
    }),
  };
}
