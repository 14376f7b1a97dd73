import { CommandArguments, elementsOf, Fields, fieldSet, type Reply } from '@replsim/pipeline';
import { type BsonValue, CommandError, decodePromoted, firstKey, RawBson, RawValue } from '@replsim/protocol';
import { type RoleName, shownName, type UserName } from '../names.ts';
import { readRestrictions } from '../restrictions/restriction.ts';
import { readCredentials, type StoredCredentials, storedCredentials } from '../scram/credentials.ts';
import { SCRAM_MECHANISMS } from '../scram/mechanisms.ts';
import { KEPT_CREDENTIALS as KEPT, newCredentials, wantedMechanisms } from '../users/newCredentials.ts';
import { EXTERNAL_DB, readUser, type StoredUser, userDocument, withFields } from '../users/userDocument.ts';
import type { AccessChanges, UserSettings } from './accessDocuments.ts';
import { checkRolesExist, namedRoles, rolesGiven, storedNames, without } from './namedRoles.ts';

// biome-ignore format: a list
const userFields = ['pwd', 'customData', 'roles', 'digestPassword', 'authenticationRestrictions', 'mechanisms'];
const allFields = fieldSet(...userFields, KEPT);
const noFields = fieldSet();

/** What each command changes, by its name. Upstream: user_management_commands.cpp. */
export const userChanges = {
  createUser,
  updateUser,
  dropUser,
  dropAllUsersFromDatabase,
  grantRolesToUser: changeRoles((before, roles) => [...before, ...without(roles, before)]),
  revokeRolesFromUser: changeRoles(without),
} satisfies Readonly<Record<string, Change>>;

/** Carries a command out, and answers it. */
export type Change = (args: CommandArguments, changes: AccessChanges, settings: UserSettings) => Reply;

function userNamed(args: CommandArguments): UserName {
  return { user: args.requiredString(args.name), db: args.db };
}

function createUser(args: CommandArguments, changes: AccessChanges, settings: UserSettings): Reply {
  args.allow(allFields);
  const roles = namedRoles(args, 'roles', args.db) ?? args.missing('roles');
  const name = userNamed(args);
  checkCreatable(name, args.value('pwd') !== undefined || args.has(KEPT));
  const credentials = credentialsOf(args, settings, name);
  const restrictions = restrictionsIn(args);
  checkRolesExist(changes, roles);
  if (changes.user(name)) throw new CommandError(51003, `User "${shownName(name)}" already exists`);
  const document = userDocument({
    name,
    userId: settings.newId(),
    credentials: credentials ?? { external: true },
    restrictions,
    customData: args.document('customData'),
    roles,
  });
  changes.insert('users', document);
  return {};
}

/** Errors: BadValue 2. */
function checkCreatable({ user, db }: UserName, hasPassword: boolean): void {
  const wrong =
    db === 'local'
      ? 'Cannot create users in the local database'
      : user.includes('\0')
        ? 'Username cannot contain NULL characters'
        : user === ''
          ? 'User name must be non-empty'
          : !hasPassword && db !== EXTERNAL_DB
            ? `Must provide a 'pwd' field for all user documents, except those with '${EXTERNAL_DB}' as the user's source db`
            : undefined;
  if (wrong !== undefined) throw new CommandError('BadValue', wrong);
}

/** Undefined without a password. Errors: BadValue 2. */
function credentialsOf(
  args: CommandArguments,
  settings: UserSettings,
  name: UserName,
): Record<string, StoredCredentials> | undefined {
  const kept = args.document(KEPT);
  if (kept) return keptIn(kept);
  const pwd = args.string('pwd');
  const digestPassword = args.bool('digestPassword', true);
  const mechanisms = wantedMechanisms(args.strings('mechanisms'), settings.mechanisms);
  if (pwd === undefined) return undefined;
  if (name.db === EXTERNAL_DB) {
    throw new CommandError('BadValue', `Cannot set the password for users defined on the '${EXTERNAL_DB}' database`);
  }
  if (pwd === '') throw new CommandError('BadValue', 'Password cannot be empty');
  return newCredentials(name, { pwd, digestPassword }, mechanisms, settings);
}

/** Errors: BadValue 2 for what is none. */
function keptIn(document: Uint8Array): Record<string, StoredCredentials> {
  const all = decodePromoted(document) as Record<string, Record<string, unknown>>;
  const read = SCRAM_MECHANISMS.flatMap((mechanism) => {
    const credentials = all[mechanism] && readCredentials(mechanism, all[mechanism]);
    return credentials ? [[mechanism, storedCredentials(credentials)] as const] : [];
  });
  if (read.length > 0 && read.length === Object.keys(all).length) return Object.fromEntries(read.reverse());
  throw new CommandError('BadValue', `${KEPT} must hold the credentials of a user, as usersInfo shows them`);
}

/**
 * A `createUser` or `updateUser` without its password, which does the same; any other command as it is. One whose password would be
 * refused stays as it is, too: nothing is done with it.
 */
export function withoutPassword(command: Uint8Array, settings: UserSettings): Uint8Array {
  const name = firstKey(command);
  if (name !== 'createUser' && name !== 'updateUser') return command;
  try {
    const args = new CommandArguments(command);
    const credentials = args.has('pwd') ? credentialsOf(args, settings, userNamed(args)) : undefined;
    if (!credentials) return command;
    return withFields(args, { pwd: undefined, digestPassword: undefined, mechanisms: undefined, [KEPT]: credentials });
  } catch (error) {
    if (error instanceof CommandError) return command;
    throw error;
  }
}

/** As they are to be stored. Errors: those of `readRestrictions`. */
function restrictionsIn(args: CommandArguments): BsonValue | undefined {
  readRestrictions(args, 'authenticationRestrictions');
  return args.value('authenticationRestrictions');
}

function updateUser(args: CommandArguments, changes: AccessChanges, settings: UserSettings): Reply {
  args.allow(allFields);
  const name = userNamed(args);
  if (![...userFields, KEPT].some((field) => field !== 'digestPassword' && args.value(field))) {
    throw new CommandError('BadValue', 'Must specify at least one field to update in updateUser');
  }
  const credentials = credentialsOf(args, settings, name);
  const roles = namedRoles(args, 'roles', args.db);
  const restrictions = restrictionsIn(args);
  const customData = args.document('customData');
  const user = existing(changes, name);
  if (roles) checkRolesExist(changes, roles);
  const kept =
    !credentials && args.value('mechanisms') ? keptCredentials(user, args.strings('mechanisms') ?? []) : undefined;
  const changed = {
    ...((credentials ?? kept) && { credentials: credentials ?? kept }),
    ...(restrictions && {
      authenticationRestrictions: elementsOf(restrictions).length > 0 ? new RawValue(restrictions) : undefined,
    }),
    ...(customData && { customData: new RawBson(customData) }),
    ...(roles && { roles: storedNames(roles) }),
  };
  changes.replace('users', name.user, name.db, withFields(user.fields, changed));
  return {};
}

/** Errors: UserNotFound 11. */
function existing(changes: AccessChanges, name: UserName): StoredUser {
  const user = changes.user(name);
  if (user) return user;
  throw new CommandError('UserNotFound', `User '${shownName(name)}' not found`);
}

/** Without a password mechanisms can only be given up. Errors: BadValue 2. Upstream: CmdUpdateUser. */
function keptCredentials(user: StoredUser, mechanisms: readonly string[]): Reply {
  if (mechanisms.some((name) => !user.mechanisms.includes(name))) {
    throw new CommandError('BadValue', 'mechanisms field must be a subset of previously set mechanisms');
  }
  const credentials = new Fields(user.fields.requiredDocument('credentials'), 'credentials');
  const kept = mechanisms.map((name) => [name, new RawValue(credentials.presentValue(name))]);
  return Object.fromEntries(kept);
}

function dropUser(args: CommandArguments, changes: AccessChanges): Reply {
  args.allow(noFields);
  const name = userNamed(args);
  if (!changes.delete('users', name.user, name.db)) existing(changes, name);
  return {};
}

function dropAllUsersFromDatabase(args: CommandArguments, changes: AccessChanges): Reply {
  args.allow(noFields);
  const names = changes.all('users').flatMap((document) => readUser(document)?.name ?? []);
  const gone = names.filter(({ db }) => db === args.db);
  for (const { user, db } of gone) changes.delete('users', user, db);
  return { n: gone.length };
}

function changeRoles(
  changed: (before: readonly RoleName[], roles: readonly RoleName[]) => readonly RoleName[],
): Change {
  return (args, changes) => {
    const roles = rolesGiven(args);
    const name = userNamed(args);
    const user = existing(changes, name);
    checkRolesExist(changes, roles);
    const document = withFields(user.fields, { roles: storedNames(changed(user.roles, roles)) });
    changes.replace('users', name.user, name.db, document);
    return {};
  };
}
