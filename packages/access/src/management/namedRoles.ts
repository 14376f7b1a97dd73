import { bytesOf, type CommandArguments, elementsOf, Fields, fieldSet } from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { type RoleName, sameRole, shownName } from '../names.ts';
import { isBuiltInRole } from '../roles/builtInRoles.ts';
import type { AccessDocuments } from './accessDocuments.ts';

/**
 * The roles that a field names, each once: `NAME` of the command's own database, or `{ role, db }`. Undefined if it is absent.
 * Errors: TypeMismatch 14, BadValue 2. Upstream: umc_info_command_arg.h; user_management_commands_common.cpp.
 */
export function namedRoles(args: Fields, name: string, db: string): readonly RoleName[] | undefined {
  const values = args.array(name);
  if (!values) return undefined;
  const roles: RoleName[] = [];
  for (const [i, value] of values.entries()) {
    const role = namedRole(value, `${args.path}.${name}.${i}`, db);
    if (!roles.some((each) => sameRole(each, role))) roles.push(role);
  }
  return roles;
}

const rolesFields = fieldSet('roles');
const roleFields = new Set(['role', 'db']);

export function namedRole(value: BsonValue, path: string, db: string): RoleName {
  if (value.type === BsonType.string) return { role: readString(value), db };
  if (value.type !== BsonType.object) {
    throw new CommandError('BadValue', `${path} must be the name of a role, or a document {role, db}`);
  }
  const fields = new Fields(bytesOf(value), path);
  fields.allow(roleFields);
  return { role: fields.requiredString('role'), db: fields.requiredString('db') };
}

/** What names users or roles to be shown: one, or several. */
export function listed<T>(value: BsonValue, read: (value: BsonValue) => T): readonly T[] {
  return value.type === BsonType.array ? elementsOf(value).map(read) : [read(value)];
}

/** Errors: RoleNotFound 31. */
export function checkRolesExist(documents: AccessDocuments, roles: readonly RoleName[], why = ''): void {
  const missing = roles.filter((role) => !isBuiltInRole(role) && !documents.role(role)).map(shownName);
  if (missing.length === 0) return;
  throw new CommandError(
    'RoleNotFound',
    `${why}Could not find role${missing.length > 1 ? 's' : ''}: ${missing.join(', ')}`,
  );
}

export function without(roles: readonly RoleName[], gone: readonly RoleName[]): readonly RoleName[] {
  return roles.filter((role) => !gone.some((each) => sameRole(each, role)));
}

/** As documents hold them. */
export function storedNames(roles: readonly RoleName[]): readonly RoleName[] {
  return roles.map(({ role, db }) => ({ role, db }));
}

/** The roles that a command gives or takes. Errors: BadValue 2 for none. */
export function rolesGiven(args: CommandArguments): readonly RoleName[] {
  args.allow(rolesFields);
  const roles = namedRoles(args, 'roles', args.db) ?? args.missing('roles');
  if (roles.length === 0) throw emptyArray(args, 'roles');
  return roles;
}

export function emptyArray(args: CommandArguments, field: string): CommandError {
  return new CommandError('BadValue', `${args.name} command requires a non-empty "${field}" array`);
}
