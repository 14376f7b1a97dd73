import { bytesOf, elementsOf, Fields, typeName } from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError } from '@replsim/protocol';
import { type ActionType, inOrder, isAction } from './actionType.ts';
import type { Privilege } from './privilege.ts';
import type { ResourcePattern } from './resourcePattern.ts';

/** A privilege as clients write it and roles keep it. Upstream: parsed_privilege.idl. */
export interface PrivilegeDocument {
  readonly resource: Readonly<Record<string, string | boolean>>;
  readonly actions: readonly string[];
}

const privilegeFields = new Set(['resource', 'actions']);
const resourceFields = new Set(['anyResource', 'cluster', 'db', 'collection', 'system_buckets']);

/**
 * Reads `{ resource, actions }`. Errors: TypeMismatch 14, those of `Fields`, FailedToParse 9 for actions that there are not,
 * BadValue 2 for a malformed resource, or for no actions. Upstream: privilege.cpp, resolvePrivilegeWithTenant.
 */
export function parsePrivilege(value: BsonValue, path: string): Privilege {
  if (value.type !== BsonType.object) {
    throw new CommandError('TypeMismatch', `${path} must be a document, not of type ${typeName(value.type)}`);
  }
  const fields = new Fields(bytesOf(value), path);
  fields.allow(privilegeFields);
  const resource = fields.document('resource') ?? fields.missing('resource');
  const names = fields.strings('actions') ?? fields.missing('actions');
  const pattern = parseResource(new Fields(resource, `${path}.resource`));
  if (names.length === 0) throw new CommandError('BadValue', `${path}.actions must name at least one action`);
  const unknown = names.filter((name) => !isAction(name));
  if (unknown.length > 0) {
    throw new CommandError('FailedToParse', `Unrecognized action privilege strings: ${unknown.join(',')}`);
  }
  return { resource: pattern, actions: new Set(names as ActionType[]) };
}

/** Reads an array of privileges. */
export function parsePrivileges(values: readonly BsonValue[], path: string): readonly Privilege[] {
  return values.map((value, index) => parsePrivilege(value, `${path}.${index}`));
}

function parseResource(fields: Fields): ResourcePattern {
  fields.allow(resourceFields);
  const [first] = fields.names;
  if ((first === 'cluster' || first === 'anyResource') && fields.names.length === 1) {
    if (fields.strictBool(first)) return { kind: first };
    throw new CommandError('BadValue', `${fields.path}: ${first} must be true`);
  }
  const db = fields.string('db');
  const collection = fields.string('collection');
  const buckets = fields.string('system_buckets');
  const isWhole = fields.names.length === (db === undefined ? 1 : 2);
  if (buckets !== undefined && isWhole) return bucketsPattern(db ?? '', buckets);
  if (db === undefined || collection === undefined || !isWhole) {
    throw new CommandError(
      'BadValue',
      `${fields.path} must have db and collection, db and system_buckets, or one of cluster and anyResource`,
    );
  }
  if (db === '') return collection === '' ? { kind: 'anyNormal' } : { kind: 'collection', collection };
  return collection === '' ? { kind: 'database', db } : { kind: 'exact', db, collection };
}

function bucketsPattern(db: string, collection: string): ResourcePattern {
  if (db === '') return collection === '' ? { kind: 'anyBuckets' } : { kind: 'bucketsNamed', collection };
  return collection === '' ? { kind: 'bucketsOfDatabase', db } : { kind: 'exactBuckets', db, collection };
}

/** The same privilege as roles keep it: its actions in the order of the enum. */
export function privilegeDocument({ resource, actions }: Privilege): PrivilegeDocument {
  return { resource: resourceDocument(resource), actions: inOrder(actions) };
}

function resourceDocument(pattern: ResourcePattern): PrivilegeDocument['resource'] {
  switch (pattern.kind) {
    case 'cluster':
      return { cluster: true };
    case 'anyResource':
      return { anyResource: true };
    case 'anyNormal':
      return { db: '', collection: '' };
    case 'database':
      return { db: pattern.db, collection: '' };
    case 'collection':
      return { db: '', collection: pattern.collection };
    case 'exact':
      return { db: pattern.db, collection: pattern.collection };
    case 'anyBuckets':
      return { db: '', system_buckets: '' };
    case 'bucketsOfDatabase':
      return { db: pattern.db, system_buckets: '' };
    case 'bucketsNamed':
      return { db: '', system_buckets: pattern.collection };
    case 'exactBuckets':
      return { db: pattern.db, system_buckets: pattern.collection };
  }
}

/** What a document of a role or a user says of its roles. Errors: TypeMismatch 14, those of `Fields`. */
export function storedRoles(fields: Fields): readonly { readonly role: string; readonly db: string }[] {
  return (fields.documents('roles') ?? []).map((bytes) => {
    const each = new Fields(bytes, `${fields.path}.roles`);
    return { role: each.requiredString('role'), db: each.requiredString('db') };
  });
}

/** The privileges that a document of a role keeps. */
export function storedPrivileges(fields: Fields): readonly Privilege[] {
  const value = fields.value('privileges');
  return value?.type === BsonType.array ? parsePrivileges(elementsOf(value), `${fields.path}.privileges`) : [];
}
