import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  readString,
  type VersionTraits,
} from '@replsim/protocol';
import { Fields } from './fields.ts';
import { bytesOf, typeName } from './values.ts';

/** Upstream: apply_ops_cmd.cpp, maxApplyOpsDepth. */
const MAX_DEPTH = 10;
/** From this release on an update upserts only where its own entry says so. */
const NO_UPSERT_WIRE_VERSION = 25;
/** How entries may be applied, by the names that mongod has for it. Upstream: OplogApplication::parseMode. */
const MODES = ['InitialSync', 'UnstableRecovery', 'StableRecovery', 'Secondary', 'ApplyOps'];

/**
 * Whether the array, and each `applyOps` inside it, is one of entries. @returns the entries
 * Errors: TypeMismatch 14, NoSuchKey 4, FailedToParse 9 where they are nested too deeply, Location9585500 and 6275900 for a
 * `dropDatabase` beside others, IllegalOperation 20, BadValue 2 for a command that no oplog has.
 * Upstream: apply_ops_cmd.cpp, validateApplyOpsCommand; oplog_application_checks.cpp, checkOperationArray.
 */
export function checkOperations(command: Fields): readonly Uint8Array[] {
  const operations = operationsOf(command);
  checkNesting(operations, 0);
  operations.forEach(checkOperation);
  return operations;
}

/**
 * What may stand beside the array. Errors: BadValue 2, TypeMismatch 14, Location31056, 31240, 6711600 and 6711601 for what is no
 * longer supported, FailedToParse 9, CommandNotSupported 115. Upstream: apply_ops_command_info.cpp; apply_ops.cpp, applyOps.
 */
export function checkOptions(command: Fields, { maxWireVersion }: VersionTraits): void {
  command.strictBool('allowAtomic');
  const always = command.strictBool('alwaysUpsert');
  if (command.value('preCondition')) {
    throw new CommandError(6711600, "applyOps no longer supports the 'preCondition' option");
  }
  if (always && maxWireVersion >= NO_UPSERT_WIRE_VERSION) {
    throw new CommandError(6711601, "applyOps no longer supports the 'alwaysUpsert' option");
  }
  if (command.strictBool('prepare') !== undefined) {
    throw new CommandError('BadValue', "applyOps command can't have 'prepare' field");
  }
  if (command.strictBool('partialTxn') !== undefined) {
    throw new CommandError(31056, "applyOps command can't have 'partialTxn' field.");
  }
  if (command.int64('count') !== undefined) throw new CommandError(31240, "applyOps command can't have 'count' field.");
  checkMode(command);
}

/** Whether updates insert what they do not find, whatever their entries say. */
export function upsertsAlways(command: Fields, { maxWireVersion }: VersionTraits): boolean {
  return maxWireVersion < NO_UPSERT_WIRE_VERSION && (command.strictBool('alwaysUpsert') ?? true);
}

/** Never throws: what is malformed is told when it runs. Upstream: apply_ops_command_info.cpp, _parseAreOpsCrudOnly. */
export function isCrudOnly(command: Fields): boolean {
  const value = command.rawValue('applyOps');
  if (value?.type !== BsonType.array) return true;
  return elementsOf(value).every(({ type, bytes, offset }) => {
    if (type !== BsonType.object) return true;
    const cursor = new ElementCursor(bytes, offset);
    while (cursor.next()) {
      if (cursor.name === 'op' && cursor.type === BsonType.string) return readString(cursor) !== 'c';
    }
    return true;
  });
}

function checkMode(command: Fields): void {
  const mode = command.string('oplogApplicationMode') ?? 'ApplyOps';
  if (!MODES.includes(mode)) throw new CommandError('FailedToParse', `Unknown oplog application mode: ${mode}`);
  if (mode === 'ApplyOps') return;
  throw new CommandError(
    'CommandNotSupported',
    `replsim does not support applyOps in the mode ${mode}, only in ApplyOps`,
  );
}

function operationsOf(command: Fields): readonly Uint8Array[] {
  const value = typed(command, 'applyOps', BsonType.array);
  return elementsOf(value).map(({ type, bytes, offset, size }) => {
    if (type === BsonType.object) return bytes.subarray(offset, offset + size);
    throw new CommandError('TypeMismatch', `an operation has to be an object, not ${typeName(type)}`);
  });
}

function checkNesting(operations: readonly Uint8Array[], depth: number): void {
  for (const bytes of operations) {
    const operation = new Fields(bytes, 'applyOps');
    if (readString(typed(operation, 'op', BsonType.string)) !== 'c') continue;
    const o = new Fields(bytesOf(typed(operation, 'o', BsonType.object)), 'applyOps.o');
    const [name] = o.names;
    if (name === 'dropDatabase') {
      if (depth > 0) throw new CommandError(9585500, 'dropDatabase is not allowed inside nested applyOps');
      if (operations.length > 1) throw new CommandError(6275900, 'dropDatabase in an applyOps must be the only entry');
    }
    if (name !== 'applyOps') continue;
    if (depth >= MAX_DEPTH) throw new CommandError('FailedToParse', 'Too many nested applyOps');
    checkNesting(operationsOf(o), depth + 1);
  }
}

/** Upstream: oplog_application_checks.cpp, checkOperation. */
function checkOperation(bytes: Uint8Array, index: number): void {
  const operation = new Fields(bytes, 'applyOps');
  const op = operation.string('op');
  if (!op) throw new CommandError('IllegalOperation', `"op" field value cannot be empty: ${index}`);
  const ns = operation.rawValue('ns');
  if (!ns) throw new CommandError('IllegalOperation', `op does not contain required "ns" field: ${index}`);
  if (ns.type !== BsonType.string) throw new CommandError('IllegalOperation', `"ns" field is not a string: ${index}`);
  if (readString(ns).includes('\0')) {
    throw new CommandError('IllegalOperation', 'namespaces cannot have embedded null characters');
  }
  if (readString(ns) === '' && !op.startsWith('n')) {
    throw new CommandError('IllegalOperation', `"ns" field value cannot be empty when op type is not 'n': ${index}`);
  }
}

/** Upstream: bson_check.cpp, checkBSONType. Errors: NoSuchKey 4, TypeMismatch 14. */
function typed(fields: Fields, name: string, type: number): BsonValue {
  const value = fields.rawValue(name);
  if (!value) throw new CommandError('NoSuchKey', `Missing expected field "${name}"`);
  if (value.type === type) return value;
  throw new CommandError(
    'TypeMismatch',
    `"${name}" had the wrong type. Expected ${typeName(type)}, found ${typeName(value.type)}`,
  );
}

function elementsOf({ bytes, offset }: BsonValue): readonly BsonValue[] {
  const cursor = new ElementCursor(bytes, offset);
  const values: BsonValue[] = [];
  while (cursor.next()) values.push(cursor.value());
  return values;
}
