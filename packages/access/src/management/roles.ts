import { type CommandArguments, elementsOf, Fields, fieldSet, type Reply } from '@replsim/pipeline';
import { CommandError, encodeDocument, RawValue } from '@replsim/protocol';
import { type RoleName, sameRole, shownName } from '../names.ts';
import { type Privilege, united } from '../privileges/privilege.ts';
import { parsePrivileges, privilegeDocument, storedPrivileges, storedRoles } from '../privileges/privilegeDocument.ts';
import { patternKey } from '../privileges/resourcePattern.ts';
import { readRestrictions } from '../restrictions/restriction.ts';
import { isBuiltInRole } from '../roles/builtInRoles.ts';
import { wouldCircle } from '../roles/resolve.ts';
import { documentId, EXTERNAL_DB, withFields } from '../users/userDocument.ts';
import type { AccessChanges } from './accessDocuments.ts';
import { checkRolesExist, emptyArray, namedRoles, rolesGiven, storedNames, without } from './namedRoles.ts';

const roleFields = ['privileges', 'roles', 'authenticationRestrictions'];
const allFields = fieldSet(...roleFields);
const noFields = fieldSet();
const privilegesFields = fieldSet('privileges');

/** Carries a command out, and answers it. */
type Change = (args: CommandArguments, changes: AccessChanges) => Reply;

/** What each command changes, by its name. Upstream: user_management_commands.cpp. */
export const roleChanges = {
  createRole,
  updateRole,
  dropRole,
  dropAllRolesFromDatabase,
  grantPrivilegesToRole: changePrivileges(granted),
  revokePrivilegesFromRole: changePrivileges(revoked),
  grantRolesToRole,
  revokeRolesFromRole,
} satisfies Readonly<Record<string, Change>>;

function roleNamed(args: CommandArguments): RoleName {
  return { role: args.requiredString(args.name), db: args.db };
}

function createRole(args: CommandArguments, changes: AccessChanges): Reply {
  args.allow(allFields);
  const name = roleNamed(args);
  const privileges = privilegesIn(args) ?? args.missing('privileges');
  const roles = namedRoles(args, 'roles', args.db) ?? args.missing('roles');
  readRestrictions(args, 'authenticationRestrictions');
  checkCreatable(name);
  checkContents(changes, name, privileges, roles);
  if (changes.role(name)) throw new CommandError(51002, `Role "${shownName(name)}" already exists`);
  const restrictions = args.value('authenticationRestrictions');
  const document = {
    _id: documentId(name.role, name.db),
    ...name,
    privileges: privileges.map(privilegeDocument),
    roles: storedNames(roles),
    ...(restrictions &&
      elementsOf(restrictions).length > 0 && { authenticationRestrictions: new RawValue(restrictions) }),
  };
  changes.insert('roles', encodeDocument(document));
  return {};
}

/** Each resource once, its actions united. */
function privilegesIn(args: CommandArguments): readonly Privilege[] | undefined {
  const values = args.array('privileges');
  return values && united(parsePrivileges(values, `${args.name}.privileges`));
}

/** Errors: BadValue 2. */
function checkCreatable(name: RoleName): void {
  const { role, db } = name;
  const wrong =
    role === ''
      ? 'Role name must be non-empty'
      : db === 'local'
        ? 'Cannot create roles in the local database'
        : db === EXTERNAL_DB
          ? `Cannot create roles in the ${EXTERNAL_DB} database`
          : isBuiltInRole(name)
            ? 'Cannot create roles with the same name as a built-in role'
            : undefined;
  if (wrong !== undefined) throw new CommandError('BadValue', wrong);
}

/**
 * What a role may hold. Errors: InvalidRoleModification 49, RoleNotFound 31.
 * Upstream: checkOkayToGrantPrivilegesToRole, checkOkayToGrantRolesToRole.
 */
function checkContents(
  changes: AccessChanges,
  name: RoleName,
  privileges: readonly Privilege[],
  roles: readonly RoleName[],
): void {
  const fail = (reason: string): never => {
    throw new CommandError('InvalidRoleModification', reason);
  };
  const elsewhere = `Roles on the '${name.db}' database cannot be granted`;
  if (name.db !== 'admin' && privileges.some(({ resource }) => !('db' in resource) || resource.db !== name.db)) {
    fail(`${elsewhere} privileges that target other databases or the cluster`);
  }
  for (const role of roles) {
    if (sameRole(role, name)) fail(`Cannot grant role ${shownName(name)} to itself.`);
    if (name.db !== 'admin' && role.db !== name.db) fail(`${elsewhere} roles from other databases`);
  }
  checkRolesExist(changes, roles, `Cannot grant roles to '${shownName(name)}': `);
  if (wouldCircle(name, roles, (each) => changes.role(each))) {
    fail(`Granting roles to ${shownName(name)} would introduce a cycle in the role graph`);
  }
}

/** Errors: RoleNotFound 31; BadValue 2 for one that is built in. */
function existing(changes: AccessChanges, name: RoleName): Fields {
  const document = changes.role(name);
  if (document) return new Fields(document, 'role');
  if (isBuiltInRole(name)) {
    throw new CommandError('BadValue', `${shownName(name)} is a built-in role and cannot be modified`);
  }
  throw new CommandError('RoleNotFound', `Could not find role: ${shownName(name)}`);
}

function replace(changes: AccessChanges, name: RoleName, before: Fields, changed: Reply): Reply {
  changes.replace('roles', name.role, name.db, withFields(before, changed));
  return {};
}

function updateRole(args: CommandArguments, changes: AccessChanges): Reply {
  args.allow(allFields);
  const name = roleNamed(args);
  if (!roleFields.some((field) => args.value(field))) {
    throw new CommandError('BadValue', 'Must specify at least one field to update in updateRole');
  }
  const privileges = privilegesIn(args);
  const roles = namedRoles(args, 'roles', args.db);
  readRestrictions(args, 'authenticationRestrictions');
  const restrictions = args.value('authenticationRestrictions');
  const before = existing(changes, name);
  checkContents(changes, name, privileges ?? [], roles ?? []);
  return replace(changes, name, before, {
    ...(privileges && { privileges: privileges.map(privilegeDocument) }),
    ...(roles && { roles: storedNames(roles) }),
    ...(restrictions && {
      authenticationRestrictions: elementsOf(restrictions).length > 0 ? new RawValue(restrictions) : undefined,
    }),
  });
}

type PrivilegeChange = (before: readonly Privilege[], given: readonly Privilege[]) => readonly Privilege[];

function granted(before: readonly Privilege[], given: readonly Privilege[]): readonly Privilege[] {
  return united([...before, ...given]);
}

function revoked(before: readonly Privilege[], given: readonly Privilege[]): readonly Privilege[] {
  const taken = new Map(given.map(({ resource, actions }) => [patternKey(resource), actions]));
  return before
    .map(({ resource, actions }) => {
      const gone = taken.get(patternKey(resource));
      return { resource, actions: new Set([...actions].filter((action) => !gone?.has(action))) };
    })
    .filter(({ actions }) => actions.size > 0);
}

function changePrivileges(change: PrivilegeChange): Change {
  return (args, changes) => {
    args.allow(privilegesFields);
    const name = roleNamed(args);
    const given = privilegesIn(args) ?? args.missing('privileges');
    if (given.length === 0) throw emptyArray(args, 'privileges');
    const before = existing(changes, name);
    if (change === granted) checkContents(changes, name, given, []);
    const privileges = change(storedPrivileges(before), given);
    return replace(changes, name, before, { privileges: privileges.map(privilegeDocument) });
  };
}

function grantRolesToRole(args: CommandArguments, changes: AccessChanges): Reply {
  const roles = rolesGiven(args);
  const name = roleNamed(args);
  const before = existing(changes, name);
  checkContents(changes, name, [], roles);
  const had = storedRoles(before);
  const added = roles.filter((role) => !had.some((each) => sameRole(each, role)));
  return replace(changes, name, before, { roles: storedNames([...had, ...added]) });
}

function revokeRolesFromRole(args: CommandArguments, changes: AccessChanges): Reply {
  const roles = rolesGiven(args);
  const name = roleNamed(args);
  const before = existing(changes, name);
  checkRolesExist(changes, roles);
  return replace(changes, name, before, { roles: storedNames(without(storedRoles(before), roles)) });
}

function dropRole(args: CommandArguments, changes: AccessChanges): Reply {
  args.allow(noFields);
  const name = roleNamed(args);
  existing(changes, name);
  changes.together(() => removeRoles(changes, [name]));
  return {};
}

function dropAllRolesFromDatabase(args: CommandArguments, changes: AccessChanges): Reply {
  args.allow(noFields);
  const names = changes.all('roles').flatMap((document) => {
    const name = nameIn(document);
    return name.db === args.db ? [name] : [];
  });
  changes.together(() => removeRoles(changes, names));
  return { n: names.length };
}

function nameIn(document: Uint8Array): RoleName {
  const fields = new Fields(document, 'role');
  return { role: fields.string('role') ?? '', db: fields.string('db') ?? '' };
}

/** Nobody has them any more. Upstream: user_management_commands.cpp, UMCTransaction. */
function removeRoles(changes: AccessChanges, gone: readonly RoleName[]): void {
  for (const collection of ['users', 'roles'] as const) {
    for (const document of changes.all(collection)) {
      const fields = new Fields(document, collection);
      const roles = storedRoles(fields);
      const kept = without(roles, gone);
      if (kept.length === roles.length) continue;
      const name = fields.requiredString(collection === 'users' ? 'user' : 'role');
      changes.replace(collection, name, fields.requiredString('db'), withFields(fields, { roles: storedNames(kept) }));
    }
  }
  for (const { role, db } of gone) changes.delete('roles', role, db);
}
