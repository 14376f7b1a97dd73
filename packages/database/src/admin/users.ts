import { BsonType, CommandError } from '@replsim/protocol';
import { ANYWHERE, atOnce } from '../atOnce.ts';
import type { CommandDefinition } from '../definition.ts';
import { type CommandArguments, fieldSet } from '../fields/arguments.ts';
import { isNumeric, typeName } from '../fields/values.ts';
import type { Reply } from '../reply.ts';

// biome-ignore format: a list
const usersInfoFields = fieldSet('usersInfo', 'showCredentials', 'showCustomData', 'showPrivileges',
  'showAuthenticationRestrictions', 'filter');
// biome-ignore format: a list
const rolesInfoFields = fieldSet('rolesInfo', 'showPrivileges', 'showBuiltinRoles', 'showAuthenticationRestrictions');

/** Commands that make, change or remove users and roles. */
// biome-ignore format: a list
const managing = ['createUser', 'updateUser', 'dropUser', 'dropAllUsersFromDatabase', 'grantRolesToUser',
  'revokeRolesFromUser', 'createRole', 'updateRole', 'dropRole', 'dropAllRolesFromDatabase', 'grantPrivilegesToRole',
  'revokePrivilegesFromRole', 'grantRolesToRole', 'revokeRolesFromRole'];

/** What a client sends to show who it is. */
const authenticating = ['saslStart', 'saslContinue', 'authenticate'];

/**
 * There are no users here, and nobody is asked who they are: lists are empty, and whatever would make a user or take one's
 * password is refused. Errors: CommandNotSupported 115, AuthenticationFailed 18. Upstream: user_management_commands.cpp,
 * authentication_commands.cpp, sasl_commands.cpp.
 */
export const userCommands: readonly CommandDefinition[] = [
  { name: 'usersInfo', ...ANYWHERE, run: atOnce(({ args }) => emptyList(args, usersInfoFields, 'users')) },
  { name: 'rolesInfo', ...ANYWHERE, run: atOnce(({ args }) => emptyList(args, rolesInfoFields, 'roles')) },
  ...managing.map((name) =>
    refused(name, new CommandError('CommandNotSupported', 'replsim has no users and roles: nobody authenticates here')),
  ),
  ...authenticating.map((name) =>
    refused(
      name,
      new CommandError(
        'AuthenticationFailed',
        'replsim has no authentication: leave user name and password out of the connection string',
      ),
    ),
  ),
  { name: 'logout', ...ANYWHERE, run: atOnce(() => ({})) },
];

/** Errors: TypeMismatch 14 for an argument that names nobody. */
function emptyList(args: CommandArguments, fields: ReadonlySet<string>, list: 'users' | 'roles'): Reply {
  args.allow(fields);
  const { type } = args.rawValue(args.name)!;
  if (!isNumeric(type) && type !== BsonType.string && type !== BsonType.object && type !== BsonType.array) {
    throw new CommandError(
      'TypeMismatch',
      `${args.name} must be a number, a name, a document or an array, not of type ${typeName(type)}`,
    );
  }
  return { [list]: [] };
}

function refused(name: string, error: CommandError): CommandDefinition {
  return {
    name,
    ...ANYWHERE,
    ownWriteConcern: true,
    run: atOnce(() => {
      throw error;
    }),
  };
}
