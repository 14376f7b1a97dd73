import {
  bytesOf,
  type CommandArguments,
  Fields,
  fieldSet,
  isNumeric,
  numberOf,
  type Reply,
  typeName,
} from '@replsim/pipeline';
import {
  BsonType,
  type BsonValue,
  CommandError,
  encodeDocument,
  RawBson,
  RawValue,
  readString,
} from '@replsim/protocol';
import type { UserName } from '../names.ts';
import { privilegeDocument } from '../privileges/privilegeDocument.ts';
import { resolveRoles } from '../roles/resolve.ts';
import { readUser, type StoredUser } from '../users/userDocument.ts';
import type { AccessDocuments } from './accessDocuments.ts';
import { listed } from './namedRoles.ts';
import { restrictionsOf } from './rolesInfo.ts';

// biome-ignore format: a list
const usersInfoFields = fieldSet('showCredentials', 'showCustomData', 'showPrivileges', 'showAuthenticationRestrictions', 'filter');

/** How a user is shown. */
interface Shown {
  readonly credentials: boolean;
  readonly customData: boolean;
  readonly privileges: boolean;
  readonly restrictions: boolean;
}

/**
 * `{ usersInfo: 1 | { forAllDBs: true } | NAME | { user, db } | [ … ], show…, filter }`.
 * @param compile makes a test of documents of `filter`
 * Errors: IllegalOperation 20 for details of users who are not named one by one. Upstream: user_management_commands.cpp, CmdUsersInfo.
 */
export function usersInfo(
  args: CommandArguments,
  documents: AccessDocuments,
  compile: (filter: Uint8Array) => (document: Uint8Array) => boolean,
): Reply {
  args.allow(usersInfoFields);
  const shown: Shown = {
    credentials: args.bool('showCredentials'),
    customData: args.bool('showCustomData', true),
    privileges: args.bool('showPrivileges'),
    restrictions: args.bool('showAuthenticationRestrictions'),
  };
  const filter = args.document('filter');
  const matches = filter && compile(filter);
  const asked = askedUsers(args);
  if ((shown.privileges || shown.restrictions) && (!asked.names || filter)) {
    throw new CommandError(
      'IllegalOperation',
      'Privilege or restriction details require exact-match usersInfo queries',
    );
  }
  const users = asked.names ? asked.names.flatMap((name) => documents.user(name) ?? []) : usersOf(documents, asked.db);
  const inOrder = shown.privileges || shown.restrictions ? users : [...users].sort(byName);
  const all = inOrder.map((user) => encodeDocument(shownUser(documents, user, shown)));
  return { users: all.filter((each) => !matches || matches(each)).map((each) => new RawBson(each)) };
}

interface AskedUsers {
  readonly names?: readonly UserName[];
  /** All users of a database; with neither, all that there are. */
  readonly db?: string;
}

/** Whom a command names: users, or all of a database, or all. Errors: BadValue 2, TypeMismatch 14. Upstream: umc_info_command_arg.h. */
export function askedUsers(args: CommandArguments): AskedUsers {
  const value = args.presentValue('usersInfo');
  if (isNumeric(value.type)) {
    if (numberOf(value) === 1) return { db: args.db };
    throw new CommandError('BadValue', 'usersInfo must be 1, {forAllDBs: true}, a name, a document or an array');
  }
  if (value.type === BsonType.object) {
    const fields = new Fields(bytesOf(value), 'usersInfo');
    if (fields.bool('forAllDBs')) return {};
  }
  return { names: listed(value, (each) => namedUser(each, args.db)) };
}

function namedUser(value: BsonValue, db: string): UserName {
  if (value.type === BsonType.string) return { user: readString(value), db };
  if (value.type !== BsonType.object) {
    throw new CommandError(
      'TypeMismatch',
      `usersInfo must be 1, a name, a document or an array of these, not of type ${typeName(value.type)}`,
    );
  }
  const fields = new Fields(bytesOf(value), 'usersInfo');
  return { user: fields.requiredString('user'), db: fields.requiredString('db') };
}

function usersOf(documents: AccessDocuments, db: string | undefined): readonly StoredUser[] {
  return documents.all('users').flatMap((document) => {
    const user = readUser(document);
    return user && (db === undefined || user.name.db === db) ? [user] : [];
  });
}

function byName({ name: a }: StoredUser, { name: b }: StoredUser): number {
  if (a.user !== b.user) return a.user < b.user ? -1 : 1;
  return a.db === b.db ? 0 : a.db < b.db ? -1 : 1;
}

/** With its roles' privileges the mechanisms come early, else last. Upstream: user_management_commands.cpp, CmdUsersInfo. */
function shownUser(documents: AccessDocuments, user: StoredUser, shown: Shown): Reply {
  const { fields, name } = user;
  const field = (key: string, isShown = true) => {
    const value = isShown ? fields.value(key) : undefined;
    return value && { [key]: new RawValue(value) };
  };
  const mechanisms = { mechanisms: [...user.mechanisms] };
  const details = shown.privileges || shown.restrictions;
  return {
    ...field('_id'),
    ...field('userId'),
    ...name,
    ...(details && mechanisms),
    ...field('credentials', shown.credentials),
    ...field('authenticationRestrictions', shown.restrictions),
    ...field('customData', shown.customData),
    ...field('roles'),
    ...(details ? inherited(documents, user, shown) : mechanisms),
  };
}

/** What a user has by its roles. */
function inherited(documents: AccessDocuments, user: StoredUser, shown: Shown): Reply {
  const resolved = resolveRoles(user.roles, (role) => documents.role(role));
  return {
    inheritedRoles: resolved.roles,
    ...(shown.privileges && { inheritedPrivileges: resolved.privileges.map(privilegeDocument) }),
    inheritedAuthenticationRestrictions: resolved.documents.flatMap(restrictionsOf),
  };
}
