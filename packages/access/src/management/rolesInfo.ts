import {
  type CommandArguments,
  elementsOf,
  Fields,
  fieldSet,
  isNumeric,
  numberOf,
  type Reply,
} from '@replsim/pipeline';
import { BsonType, CommandError, RawValue, readString } from '@replsim/protocol';
import type { RoleName } from '../names.ts';
import { united } from '../privileges/privilege.ts';
import { privilegeDocument, storedPrivileges, storedRoles } from '../privileges/privilegeDocument.ts';
import { builtInPrivileges, builtInRolesOf, isBuiltInRole } from '../roles/builtInRoles.ts';
import { resolveRoles } from '../roles/resolve.ts';
import type { AccessDocuments } from './accessDocuments.ts';
import { listed, namedRole } from './namedRoles.ts';

const rolesInfoFields = fieldSet('showPrivileges', 'showBuiltinRoles', 'showAuthenticationRestrictions');

/** How roles are shown. */
interface Shown {
  readonly privileges: boolean;
  readonly restrictions: boolean;
}

/**
 * `{ rolesInfo: 1 | NAME | { role, db } | [ … ], showPrivileges?: BOOL | "asUserFragment", showBuiltinRoles? }`.
 * Errors: IllegalOperation 20 for a fragment of a whole database; BadValue 2. Upstream: user_management_commands.cpp, CmdRolesInfo.
 */
export function rolesInfo(args: CommandArguments, documents: AccessDocuments): Reply {
  args.allow(rolesInfoFields);
  const asFragment = isFragment(args);
  const shown: Shown = {
    privileges: !asFragment && args.bool('showPrivileges'),
    restrictions: args.bool('showAuthenticationRestrictions'),
  };
  const showBuiltin = args.bool('showBuiltinRoles');
  const value = args.presentValue('rolesInfo');
  if (isNumeric(value.type)) {
    if (numberOf(value) !== 1)
      throw new CommandError('BadValue', 'rolesInfo must be 1, a name, a document or an array');
    if (asFragment) {
      throw new CommandError('IllegalOperation', 'Cannot get user fragment for all roles in a database');
    }
    const builtIn = showBuiltin ? builtInRolesOf(args.db).map((name) => builtInRole(name, shown)) : [];
    const defined = documents.all('roles').map((document) => new Fields(document, 'role'));
    const own = defined.filter((fields) => fields.string('db') === args.db);
    return { roles: [...builtIn, ...own.map((fields) => definedRole(documents, fields, shown))] };
  }
  const names = listed(value, (each) => namedRole(each, 'rolesInfo', args.db));
  return asFragment ? { userFragment: fragment(documents, names) } : { roles: shownRoles(documents, names, shown) };
}

/** Errors: BadValue 2 for another word. */
function isFragment(args: CommandArguments): boolean {
  const value = args.value('showPrivileges');
  if (value?.type !== BsonType.string) return false;
  if (readString(value) === 'asUserFragment') return true;
  throw new CommandError('BadValue', 'rolesInfo.showPrivileges must be a boolean or "asUserFragment"');
}

/** In the order in which they were asked for; those that there are not are left out. */
function shownRoles(documents: AccessDocuments, names: readonly RoleName[], shown: Shown): readonly Reply[] {
  return names.flatMap((name) => {
    if (isBuiltInRole(name)) return [builtInRole(name, shown)];
    const document = documents.role(name);
    return document ? [definedRole(documents, new Fields(document, 'role'), shown)] : [];
  });
}

/** Privileges of the roles that it contains are shown as its own. */
function builtInRole(name: RoleName, shown: Shown): Reply {
  const privileges = shown.privileges ? (builtInPrivileges(name) ?? []).map(privilegeDocument) : [];
  return {
    db: name.db,
    role: name.role,
    roles: [],
    ...(shown.privileges && { privileges }),
    inheritedRoles: [],
    ...(shown.privileges && { inheritedPrivileges: privileges }),
    isBuiltin: true,
  };
}

function definedRole(documents: AccessDocuments, fields: Fields, shown: Shown): Reply {
  const inherited = resolveRoles(storedRoles(fields), (role) => documents.role(role));
  const own = storedPrivileges(fields);
  const field = (name: string, isShown = true) => {
    const value = isShown ? fields.value(name) : undefined;
    return value && { [name]: new RawValue(value) };
  };
  return {
    ...field('_id'),
    ...field('role'),
    ...field('db'),
    ...(shown.privileges && { privileges: own.map(privilegeDocument) }),
    ...field('roles'),
    inheritedRoles: inherited.roles,
    ...(shown.privileges && { inheritedPrivileges: united([...own, ...inherited.privileges]).map(privilegeDocument) }),
    ...field('authenticationRestrictions', shown.restrictions),
    ...(shown.restrictions && { inheritedAuthenticationRestrictions: inherited.documents.flatMap(restrictionsOf) }),
    isBuiltin: false,
  };
}

/** What a user would have who had these roles. */
function fragment(documents: AccessDocuments, names: readonly RoleName[]): Reply {
  const inherited = resolveRoles(names, (role) => documents.role(role));
  return {
    roles: names,
    inheritedRoles: inherited.roles,
    inheritedPrivileges: inherited.privileges.map(privilegeDocument),
    inheritedAuthenticationRestrictions: inherited.documents.flatMap(restrictionsOf),
  };
}

/** Those of a role, where it has any. */
export function restrictionsOf(document: Uint8Array): RawValue[] {
  const value = new Fields(document, 'role').value('authenticationRestrictions');
  return value && elementsOf(value).length > 0 ? [new RawValue(value)] : [];
}
