import {
  bytesOf,
  type CommandArguments,
  elementsOf,
  Fields,
  fieldSet,
  isNumeric,
  type Reply,
  typeName,
} from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import type { CommandDefinition, CommandDescription } from '../definition.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

// biome-ignore format: a list
const usersInfoFields = fieldSet('usersInfo', 'showCredentials', 'showCustomData', 'showPrivileges',
  'showAuthenticationRestrictions', 'filter');
// biome-ignore format: a list
const rolesInfoFields = fieldSet('rolesInfo', 'showPrivileges', 'showBuiltinRoles', 'showAuthenticationRestrictions');

/** Commands that make, change or remove users and roles, and the privilege of each. */
const managing: Readonly<Record<string, CommandDescription['auth']>> = {
  createUser: { action: 'createUser', resource: 'database' },
  updateUser: 'user',
  dropUser: { action: 'dropUser', resource: 'database' },
  dropAllUsersFromDatabase: { action: 'dropUser', resource: 'database' },
  grantRolesToUser: 'user',
  revokeRolesFromUser: 'user',
  createRole: { action: 'createRole', resource: 'database' },
  updateRole: 'user',
  dropRole: { action: 'dropRole', resource: 'database' },
  dropAllRolesFromDatabase: { action: 'dropRole', resource: 'database' },
  grantPrivilegesToRole: 'user',
  revokePrivilegesFromRole: 'user',
  grantRolesToRole: 'user',
  revokeRolesFromRole: 'user',
};

/**
 * There are no users here, and nobody is asked who they are: lists are empty, and whatever would make a user is refused.
 * Errors: CommandNotSupported 115. Upstream: user_management_commands.cpp.
 */
export const userCommands: readonly CommandDefinition[] = [
  {
    name: 'usersInfo',
    help: 'lists users, of which there are none',
    auth: 'user',
    api: 'none',
    ...ANYWHERE,
    run: atOnce(({ args }) => {
      args.bool('showPrivileges');
      return emptyList(args, usersInfoFields, 'users');
    }),
  },
  {
    name: 'rolesInfo',
    help: 'lists roles, of which there are only those that are built in',
    auth: 'user',
    api: 'none',
    ...ANYWHERE,
    run: atOnce(({ args }) => rolesInfo(args)),
  },
  ...Object.entries(managing).map(([name, auth]) =>
    refused({ name, help: 'manages users and roles, of which there are none here', auth, api: 'none' }),
  ),
];

/** Errors: TypeMismatch 14 for an argument that names nobody. */
function emptyList(args: CommandArguments, fields: ReadonlySet<string>, list: 'users' | 'roles'): Reply {
  args.allow(fields);
  const flags = ['showCredentials', 'showCustomData', 'showAuthenticationRestrictions', 'showBuiltinRoles'];
  for (const name of flags) args.bool(name);
  const { type } = args.presentValue(args.name);
  if (!isNumeric(type) && type !== BsonType.string && type !== BsonType.object && type !== BsonType.array) {
    throw new CommandError(
      'TypeMismatch',
      `${args.name} must be a number, a name, a document or an array, not of type ${typeName(type)}`,
    );
  }
  return { [list]: [] };
}

/** The roles that are built in, by the database that has them; `every` database has the others. Upstream: builtin_roles.yml. */
const BUILT_IN: Readonly<Record<'every' | 'admin', readonly string[]>> = {
  every: ['dbAdmin', 'dbOwner', 'enableSharding', 'read', 'readWrite', 'userAdmin'],
  // biome-ignore format: a list
  admin: ['__queryableBackup', '__system', 'backup', 'clusterAdmin', 'clusterManager', 'clusterMonitor', 'dbAdminAnyDatabase',
    'directShardOperations', 'hostManager', 'readAnyDatabase', 'readWriteAnyDatabase', 'restore', 'root', 'searchCoordinator', 'userAdminAnyDatabase'],
};

/**
 * The built-in roles that a request names, or with `showBuiltinRoles` all of its database. What they allow is not told.
 * Errors: those of `emptyList`, CommandNotSupported 115 for `showPrivileges` of a built-in role.
 */
function rolesInfo(args: CommandArguments): Reply {
  const none = emptyList(args, rolesInfoFields, 'roles');
  const asked = args.presentValue(args.name);
  const all = isNumeric(asked.type);
  const named = all ? (args.bool('showBuiltinRoles') ? builtInOf(args.db) : []) : rolesNamed(asked, args.db);
  const roles = named.filter(({ role, db }) => builtInOf(db).some((each) => each.role === role));
  const { type } = args.value('showPrivileges') ?? {};
  if (roles.length > 0 && type !== undefined && (type !== BsonType.bool || args.bool('showPrivileges'))) {
    throw new CommandError(
      'CommandNotSupported',
      'replsim does not know what the built-in roles allow: leave showPrivileges out',
    );
  }
  return roles.length === 0
    ? none
    : { roles: roles.map((each) => ({ ...each, isBuiltin: true, roles: [], inheritedRoles: [] })) };
}

interface RoleName {
  readonly role: string;
  readonly db: string;
}

function builtInOf(db: string): RoleName[] {
  const names = db === 'admin' ? [...BUILT_IN.every, ...BUILT_IN.admin] : BUILT_IN.every;
  return [...names].sort().map((role) => ({ role, db }));
}

/** A name, `{ role, db }`, or several of these. */
function rolesNamed(value: BsonValue, db: string): RoleName[] {
  if (value.type === BsonType.array) return elementsOf(value).flatMap((each) => rolesNamed(each, db));
  if (value.type === BsonType.string) return [{ role: readString(value), db }];
  if (value.type !== BsonType.object) return [];
  const fields = new Fields(bytesOf(value), 'rolesInfo');
  return [{ role: fields.requiredString('role'), db: fields.requiredString('db') }];
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
