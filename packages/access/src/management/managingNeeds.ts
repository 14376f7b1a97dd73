import { type CommandArguments, isNumeric } from '@replsim/pipeline';
import { type RoleName, sameRole, sameUser } from '../names.ts';
import { type Asker, type CommandPrivilege, type Needed, NOTHING, onCluster, onDatabase } from '../needs/needed.ts';
import type { ActionType } from '../privileges/actionType.ts';
import type { Privilege } from '../privileges/privilege.ts';
import { parsePrivileges } from '../privileges/privilegeDocument.ts';
import { ANY_NORMAL, database } from '../privileges/resourcePattern.ts';
import { KEPT_CREDENTIALS } from '../users/newCredentials.ts';
import { listed, namedRole, namedRoles } from './namedRoles.ts';
import { askedUsers } from './usersInfo.ts';

/**
 * What managing users and roles needs: an action on the database of each user, each role and each privilege that it is about.
 * Upstream: user_management_commands_common.cpp.
 */
export const managingNeeds = {
  createUser: ({ args }) => [
    ...onDatabase(args.db, 'createUser'),
    ...ofRoles('grantRole', args),
    ...ofRestrictions(args),
  ],
  updateUser: updateUserNeeds,
  dropUser: { action: 'dropUser', resource: 'database' },
  dropAllUsersFromDatabase: { action: 'dropUser', resource: 'database' },
  grantRolesToUser: ({ args }) => ofRoles('grantRole', args),
  revokeRolesFromUser: ({ args }) => ofRoles('revokeRole', args),
  createRole: ({ args }) => [...onDatabase(args.db, 'createRole'), ...ofRoleContents(args)],
  // To say anew what a role has is to take away what it had, which may be anything.
  updateRole: ({ args }) => [{ action: 'revokeRole', target: ANY_NORMAL }, ...ofRoleContents(args)],
  dropRole: { action: 'dropRole', resource: 'database' },
  dropAllRolesFromDatabase: { action: 'dropRole', resource: 'database' },
  grantPrivilegesToRole: ({ args }) => ofPrivileges('grantRole', args),
  revokePrivilegesFromRole: ({ args }) => ofPrivileges('revokeRole', args),
  grantRolesToRole: ({ args }) => ofRoles('grantRole', args),
  revokeRolesFromRole: ({ args }) => ofRoles('revokeRole', args),
  usersInfo: usersInfoNeeds,
  rolesInfo: rolesInfoNeeds,
} as const satisfies Readonly<Record<string, CommandPrivilege | ((asker: Asker) => readonly Needed[])>>;

function ofRoles(action: 'grantRole' | 'revokeRole', args: CommandArguments): readonly Needed[] {
  return (namedRoles(args, 'roles', args.db) ?? []).map(({ db }) => ({ action, target: database(db) }));
}

/** What reaches beyond one database is the business of `admin`. */
function ofPrivileges(action: 'grantRole' | 'revokeRole', args: CommandArguments): readonly Needed[] {
  const privileges = parsePrivileges(args.array('privileges') ?? [], `${args.name}.privileges`);
  return privileges.map((privilege) => ({ action, target: database(databaseOf(privilege)) }));
}

function databaseOf({ resource }: Privilege): string {
  return resource.kind === 'database' || resource.kind === 'exact' ? resource.db : 'admin';
}

function ofRestrictions(args: CommandArguments): readonly Needed[] {
  return args.has('authenticationRestrictions') ? onDatabase(args.db, 'setAuthenticationRestriction') : NOTHING;
}

function ofRoleContents(args: CommandArguments): readonly Needed[] {
  return [...ofRoles('grantRole', args), ...ofPrivileges('grantRole', args), ...ofRestrictions(args)];
}

/** Each changes by what a user logs in. */
const CREDENTIALS = ['pwd', 'mechanisms', KEPT_CREDENTIALS];

/** One's own password and data may be an own right. */
function updateUserNeeds({ args, user, mayDo }: Asker): readonly Needed[] {
  const { db } = args;
  const isOwn = user !== undefined && sameUser(user.name, { user: args.string('updateUser') ?? '', db });
  const ownOr = (own: ActionType, action: ActionType) =>
    onDatabase(db, isOwn && mayDo(own, database(db)) ? own : action);
  return [
    ...(CREDENTIALS.some((field) => args.has(field)) ? ownOr('changeOwnPassword', 'changePassword') : NOTHING),
    ...(args.has('customData') ? ownOr('changeOwnCustomData', 'changeCustomData') : NOTHING),
    ...(args.has('roles') ? [{ action: 'revokeRole', target: ANY_NORMAL } as const] : NOTHING),
    ...ofRoles('grantRole', args),
    ...ofRestrictions(args),
  ];
}

/** Everybody may see themselves. */
function usersInfoNeeds({ args, user }: Asker): readonly Needed[] {
  const { names, db } = askedUsers(args);
  if (!names) return db === undefined ? onCluster('viewUser') : onDatabase(db, 'viewUser');
  return names.filter((name) => !sameUser(name, user?.name)).flatMap(({ db }) => onDatabase(db, 'viewUser'));
}

/** Everybody may see the roles that they have. */
function rolesInfoNeeds({ args, user }: Asker): readonly Needed[] {
  const value = args.presentValue(args.name);
  if (isNumeric(value.type)) return onDatabase(args.db, 'viewRole');
  const hasIt = (role: RoleName) => user?.roles.some((each) => sameRole(each, role)) ?? false;
  const named = listed(value, (each) => namedRole(each, args.name, args.db));
  return named.filter((role) => !hasIt(role)).flatMap(({ db }) => onDatabase(db, 'viewRole'));
}
