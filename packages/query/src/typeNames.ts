/** The names and numbers by which `$type` knows the BSON types. Upstream: bsontypes.cpp, typeName and findBSONTypeAlias. */
import { BsonType, type BsonValue, CommandError, ElementCursor, readString } from '@replsim/protocol';
import { isNumeric, readInteger } from './values.ts';

const typeByName = new Map<string, number>(Object.entries(BsonType));
const nameByType = new Map<number, string>(Object.entries(BsonType).map(([name, type]) => [type, name]));

/** The name that error messages and `$type` use for a type byte; `missing` for 0. */
export function typeName(type: number): string {
  return type === 0 ? 'missing' : (nameByType.get(type) ?? 'unknown');
}

/** The type byte of a name that is no alias for several. Errors: BadValue 2. */
export function typeNamed(name: string): number {
  const type = typeByName.get(name);
  if (type === undefined) throw new CommandError('BadValue', `Unknown type name: ${name}`);
  return type;
}

/** The type byte of a number, by which minKey is -1 and 0 is what is missing; undefined for other numbers. */
export function typeNumbered(code: bigint): number | undefined {
  const type = code === -1n ? BsonType.minKey : Number(code);
  return type === 0 || (code !== 255n && nameByType.has(type)) ? type : undefined;
}

const numericTypes = [BsonType.double, BsonType.int, BsonType.long, BsonType.decimal];

/** The type bytes that an operand of `$type` names: an alias, `"number"`, a code, or an array of these. */
export function parseTypes(operand: BsonValue): Set<number> {
  const types = new Set<number>();
  if (operand.type !== BsonType.array) {
    addTypes(operand, types);
    return types;
  }
  const cursor = new ElementCursor(operand.bytes, operand.offset);
  while (cursor.next()) addTypes(cursor, types);
  if (types.size === 0) throw new CommandError('FailedToParse', '$type must match at least one type');
  return types;
}

function addTypes(operand: BsonValue, types: Set<number>): void {
  if (operand.type === BsonType.string) {
    const name = readString(operand);
    if (name === 'number') {
      for (const type of numericTypes) types.add(type);
      return;
    }
    const type = typeByName.get(name);
    if (type === undefined) throw new CommandError('BadValue', `Unknown type name alias: ${name}`);
    types.add(type);
    return;
  }
  if (!isNumeric(operand.type))
    throw new CommandError('TypeMismatch', 'type must be represented as a number or a string');
  const code = Number(readInteger(operand) ?? Number.NaN);
  const type = code === -1 ? BsonType.minKey : code;
  if (code === 0xff || !nameByType.has(type))
    throw new CommandError('BadValue', `Invalid numerical type code: ${code}`);
  types.add(type);
}
