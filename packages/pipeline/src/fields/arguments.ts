import { BsonType, CommandError, ElementCursor, encodeName, findField, readString } from '@replsim/protocol';
import { Fields } from './fields.ts';
import { checkCollectionName, checkDbName } from './namespaces.ts';
import { allowsSecondary } from './readPreference.ts';
import { knownSession, NOBODY, sessionIdOf } from './sessionId.ts';
import { bytesOf, INT32_MAX, int64Of, isNumeric, numberOf, typeName } from './values.ts';

/** Fields that may come with any command. Upstream: generic_argument.idl. */
const genericFields = [
  '$db',
  '$readPreference',
  '$clusterTime',
  '$audit',
  '$client',
  '$configTime',
  '$topologyTime',
  '$oplogQueryData',
  '$replData',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
  'autocommit',
  'comment',
  'help',
  'lsid',
  'maxTimeMS',
  'maxTimeMSOpOnly',
  'mayBypassWriteBlocking',
  'rawData',
  'readConcern',
  'startTransaction',
  'stmtId',
  'stmtIds',
  'txnNumber',
  'writeConcern',
];

const ID = encodeName('id');

/** A client's command: its name is the first key, and everything is read from its bytes. */
export class CommandArguments extends Fields {
  readonly name: string;
  /** `$db`. */
  readonly db: string;
  /** The digest of who sent it, whose its session is; always the same array for the same user. */
  uid: Uint8Array = NOBODY;
  #collection: string | undefined;
  #ns: string | undefined;
  #label: string | undefined;

  /**
   * @param bytes a well-formed document
   * Throws FailedToParse 9 for an empty document, Location40571 without `$db`, InvalidNamespace 73 for a wrong one.
   */
  constructor(bytes: Uint8Array) {
    const name = firstFieldName(bytes);
    super(bytes, name);
    this.name = name;
    const db = this.string('$db');
    if (db === undefined) throw new CommandError(40571, 'OP_MSG requests require a $db argument');
    checkDbName(db);
    this.db = db;
  }

  /** The collection that the first field names. Throws InvalidNamespace 73. */
  get collection(): string {
    this.#collection ??= this.#readCollection();
    return this.#collection;
  }

  /** `db.collection`. Throws InvalidNamespace 73. */
  get ns(): string {
    this.#ns ??= `${this.db}.${this.collection}`;
    return this.#ns;
  }

  /** What the command works on, for `currentOp` and the trace; never throws. */
  get label(): string {
    this.#label ??= this.#readLabel();
    return this.#label;
  }

  #readCollection(): string {
    const value = this.presentValue(this.name);
    if (value.type !== BsonType.string) {
      throw new CommandError('InvalidNamespace', `collection name has invalid type ${typeName(value.type)}`);
    }
    const collection = readString(value);
    checkCollectionName(this.db, collection);
    return collection;
  }

  #readLabel(): string {
    // A getMore has the cursor's id in that place.
    const value = this.rawValue(this.name === 'getMore' ? 'collection' : this.name);
    if (value?.type === BsonType.string && this.db !== 'admin') return `${this.db}.${readString(value)}`;
    // A pipeline that starts from no collection has a place of its own. Upstream: makeCollectionlessAggregateNSS.
    const isPipeline = this.name === 'aggregate' && value?.type !== BsonType.string;
    return isPipeline ? `${this.db}.$cmd.aggregate` : `${this.db}.$cmd`;
  }

  /** Whether the client is content with a member that is not primary. Errors: those of `allowsSecondary`, TypeMismatch 14. */
  get secondaryOk(): boolean {
    const value = this.value('$readPreference');
    if (!value) return false;
    if (value.type !== BsonType.object) {
      throw new CommandError('TypeMismatch', '$readPreference has to be a document');
    }
    return allowsSecondary(bytesOf(value));
  }

  /** How long the command may take. Throws TypeMismatch 14, BadValue 2. Upstream: parseMaxTimeMS. */
  get maxTimeMS(): number | undefined {
    const value = this.numeric('maxTimeMS');
    const millis = value && numberOf(value);
    if (millis !== undefined && !Number.isInteger(millis)) {
      throw new CommandError('BadValue', 'maxTimeMS has non-integral value');
    }
    if (millis === undefined || (millis >= 0 && millis <= INT32_MAX)) return millis;
    throw new CommandError('BadValue', `${millis} value for maxTimeMS is out of range [0, ${INT32_MAX}]`);
  }

  /** The session's key, for those who kill sessions; never throws. */
  get sessionKey(): string | undefined {
    const lsid = this.rawValue('lsid');
    if (lsid?.type !== BsonType.object) return undefined;
    const known = knownSession(bytesOf(lsid), this.uid);
    if (known) return known.key;
    const id = findField(lsid.bytes, ID, lsid.offset);
    if (id?.type !== BsonType.binData) return undefined;
    return sessionIdOf(id.bytes.subarray(id.offset + 5, id.offset + id.size), this.uid).key;
  }

  get inTransaction(): boolean {
    return this.has('autocommit');
  }

  /** Of the transaction that it is a statement of, or of the retryable write that it is; never throws. */
  get transactionNumber(): bigint | undefined {
    const number = this.value('txnNumber');
    return number && isNumeric(number.type) ? int64Of(number) : undefined;
  }

  /** Throws IDLUnknownField 40415 for a field that is neither generic nor among `known` nor the command's own name. */
  override allow(known: ReadonlySet<string>): void {
    super.allow(known, this.name);
  }
}

/** The fields that a command takes, together with the generic ones, for `allow`. */
export function fieldSet(...names: string[]): ReadonlySet<string> {
  return new Set([...genericFields, ...names]);
}

function firstFieldName(bytes: Uint8Array): string {
  const cursor = new ElementCursor(bytes);
  if (cursor.next()) return cursor.name;
  throw new CommandError('FailedToParse', 'an empty document is no command');
}
