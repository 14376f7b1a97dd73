import type { Document } from 'bson';

/** The fields of a document in order, each with its BSON type: `term long`. */
export function shapeOf(document: Document): string[] {
  return Object.entries(document).map(([name, value]) => `${name} ${typeOf(value)}`);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (typeof value !== 'object') return typeof value === 'boolean' ? 'bool' : typeof value;
  const { _bsontype } = value as { _bsontype?: string };
  const names: Record<string, string> = { Int32: 'int', Long: 'long', Double: 'double', ObjectId: 'objectId' };
  return _bsontype === undefined ? 'object' : (names[_bsontype] ?? _bsontype.toLowerCase());
}
