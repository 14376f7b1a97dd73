import { bytesOf, elementsOf, Fields } from '@replsim/pipeline';
import { BsonType, type BsonValue, encodeDocument, RawBson, RawValue, readString } from '@replsim/protocol';
import { Binary } from 'bson';
import type { RoleName, UserName } from '../names.ts';
import { type Restriction, readRestrictions } from '../restrictions/restriction.ts';
import { readCredentials, type ScramCredentials, type StoredCredentials } from '../scram/credentials.ts';
import type { ScramMechanism } from '../scram/mechanisms.ts';

/** Where users are defined who show who they are by other means than a password that the server knows. */
export const EXTERNAL_DB = '$external';

/** A document of `admin.system.users`. Upstream: user_document_parser.cpp. */
export interface StoredUser {
  readonly name: UserName;
  /** 16 bytes: a user that is dropped and made again is another one. */
  readonly userId: Uint8Array;
  readonly roles: readonly RoleName[];
  readonly restrictions: readonly Restriction[];
  /** The fields of `credentials`: mechanisms, or `external`. */
  readonly mechanisms: readonly string[];
  /** Undefined where there are none of the mechanism, `damaged` where they cannot be used. */
  credentials(mechanism: ScramMechanism): ScramCredentials | 'damaged' | undefined;
  /** Every field as it lies. */
  readonly fields: Fields;
}

/** Undefined for a document that is none: clients with the privilege may write what they like. */
export function readUser(document: Uint8Array): StoredUser | undefined {
  const fields = new Fields(document, 'user');
  try {
    const credentials = new Fields(fields.requiredDocument('credentials'), 'credentials');
    const userId = fields.value('userId');
    return {
      name: { user: fields.requiredString('user'), db: fields.requiredString('db') },
      userId: userId?.type === BsonType.binData ? binaryBytes(userId) : new Uint8Array(),
      roles: readRoleNames(fields, 'roles'),
      restrictions: readRestrictions(fields, 'authenticationRestrictions'),
      mechanisms: credentials.names,
      credentials: (mechanism) => credentialsIn(credentials, mechanism),
      fields,
    };
  } catch {
    return undefined;
  }
}

function binaryBytes({ bytes, offset, size }: BsonValue): Uint8Array {
  return bytes.subarray(offset + 5, offset + size);
}

function credentialsIn(credentials: Fields, mechanism: ScramMechanism): ScramCredentials | 'damaged' | undefined {
  const value = credentials.value(mechanism);
  if (!value) return undefined;
  if (value.type !== BsonType.object) return 'damaged';
  const stored = new Fields(bytesOf(value), mechanism);
  const text = (name: string) => {
    const field = stored.value(name);
    return field?.type === BsonType.string ? readString(field) : '';
  };
  const read = readCredentials(mechanism, {
    iterationCount: stored.value('iterationCount')?.type === BsonType.int ? stored.number('iterationCount') : 0,
    salt: text('salt'),
    storedKey: text('storedKey'),
    serverKey: text('serverKey'),
  });
  return read ?? 'damaged';
}

/** Errors: those of `Fields`. */
export function readRoleNames(fields: Fields, name: string): readonly RoleName[] {
  return (fields.array(name) ?? []).map((value) => {
    const role = new Fields(bytesOf(value), name);
    return { role: role.requiredString('role'), db: role.requiredString('db') };
  });
}

/** What a new user is made of. */
export interface NewUser {
  readonly name: UserName;
  readonly userId: Uint8Array;
  readonly credentials: Readonly<Record<string, StoredCredentials | true>>;
  readonly restrictions?: BsonValue | undefined;
  readonly customData?: Uint8Array | undefined;
  readonly roles: readonly RoleName[];
}

/** The document of a new user. Upstream: user_management_commands.cpp, CmdCreateUser. */
export function userDocument({ name, userId, credentials, restrictions, customData, roles }: NewUser): Uint8Array {
  const { user, db } = name;
  return encodeDocument({
    _id: documentId(user, db),
    userId: new Binary(userId, Binary.SUBTYPE_UUID),
    user,
    db,
    credentials,
    ...(restrictions &&
      elementsOf(restrictions).length > 0 && { authenticationRestrictions: new RawValue(restrictions) }),
    ...(customData && { customData: new RawBson(customData) }),
    roles: roles.map(({ role, db: of }) => ({ role, db: of })),
  });
}

/** The `_id` of a user's or a role's document. */
export function documentId(name: string, db: string): string {
  return `${db}.${name}`;
}

/** The document with fields replaced, or removed where a value is undefined. */
export function withFields(document: Fields, changes: Readonly<Record<string, unknown>>): Uint8Array {
  const kept = document.names.map((name) => [name, new RawValue(document.presentValue(name))] as const);
  const changed = { ...Object.fromEntries(kept), ...changes };
  return encodeDocument(Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)));
}
