import { BsonType, type BsonValue, CommandError, ElementCursor, InvariantError, readString } from '@replsim/protocol';
import { bytesOf, int64Of, isNumeric, numberOf, truthOf, typeName, wholeNumberOf } from './values.ts';

/** How many fields are looked through one by one: nearly all commands have fewer. */
const LOOKED_THROUGH = 24;

/**
 * Typed access to the fields of one document that a client sent: the command itself, or a statement inside it.
 * A reader gives undefined for a field that is absent or null, and throws TypeMismatch 14 for a wrong type; the
 * `required…` ones throw IDLFailedToParse 40414 for an absent field. Upstream: the parsers generated from IDL (idl_parser.cpp).
 */
export class Fields {
  readonly bytes: Uint8Array;
  /** How messages call the document: `insert`, `update.updates`. */
  readonly path: string;
  readonly #names: string[] = [];
  readonly #values: BsonValue[] = [];
  /** Where each name is, once there are so many that looking them through would take long. */
  #places: Map<string, number> | undefined;
  /** Of arrays that were asked for: several ask for a command's statements, of which there may be 100,000. */
  #documents: Map<string, readonly Uint8Array[]> | undefined;

  /** @param bytes a well-formed document. Throws IDLDuplicateField 40413 if a field is there twice. */
  constructor(bytes: Uint8Array, path: string) {
    this.bytes = bytes;
    this.path = path;
    const cursor = new ElementCursor(bytes);
    while (cursor.next()) {
      const { name } = cursor;
      if (this.#placeOf(name) >= 0) throw new CommandError(40413, `BSON field '${path}.${name}' is a duplicate field`);
      this.#add(name, cursor.value());
    }
  }

  #add(name: string, value: BsonValue): void {
    const place = this.#names.push(name) - 1;
    this.#values.push(value);
    if (this.#places) this.#places.set(name, place);
    else if (place === LOOKED_THROUGH) this.#places = new Map(this.#names.map((each, i) => [each, i]));
  }

  #placeOf(name: string): number {
    if (this.#places) return this.#places.get(name) ?? -1;
    const names = this.#names;
    for (let i = 0; i < names.length; i++) if (names[i] === name) return i;
    return -1;
  }

  /** The names of all fields, in order. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Whether the field is there, be it null. */
  has(name: string): boolean {
    return this.#placeOf(name) >= 0;
  }

  /** The field whatever its type; null and absent alike are undefined. */
  value(name: string): BsonValue | undefined {
    const value = this.rawValue(name);
    return value?.type === BsonType.null || value?.type === BsonType.undefined ? undefined : value;
  }

  /** The field whatever its type, null included. */
  rawValue(name: string): BsonValue | undefined {
    const place = this.#placeOf(name);
    return place < 0 ? undefined : this.#values[place];
  }

  /** The field of a name that is known to be there, such as one of `names`: InvariantError says which one is not. */
  presentValue(name: string): BsonValue {
    const value = this.rawValue(name);
    if (!value) throw new InvariantError(`${this.path} has no field "${name}"`);
    return value;
  }

  string(name: string): string | undefined {
    const value = this.#typed(name, BsonType.string);
    return value && readString(value);
  }

  /** A boolean, or a number standing for one. Upstream: safeBool. */
  bool(name: string, absent = false): boolean {
    const value = this.value(name);
    if (!value) return absent;
    if (value.type !== BsonType.bool && !isNumeric(value.type)) {
      this.#wrongType(name, value, '[bool, long, int, decimal, double]');
    }
    return truthOf(value);
  }

  /** A boolean and nothing else. */
  strictBool(name: string): boolean | undefined {
    const value = this.#typed(name, BsonType.bool);
    return value && truthOf(value);
  }

  /** Whether the field is there and is true, whatever its type. */
  truth(name: string): boolean {
    const value = this.value(name);
    return value !== undefined && truthOf(value);
  }

  /** A whole number of any numeric type, its fraction cut off. */
  number(name: string): number | undefined {
    const value = this.numeric(name);
    return value && wholeNumberOf(value);
  }

  /** A number that may not be negative: Location51024. */
  count(name: string): number | undefined {
    const number = this.number(name);
    if (number !== undefined && number < 0) {
      throw new CommandError(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`);
    }
    return number;
  }

  /** Mongod wants an int32 here; other numeric types pass if they hold one. */
  int32(name: string): number | undefined {
    const value = this.value(name);
    return value && this.#int32Of(name, value);
  }

  /** The int32s of an array. */
  int32s(name: string): readonly number[] | undefined {
    return this.array(name)?.map((value, index) => this.#int32Of(`${name}.${index}`, value));
  }

  /** Mongod wants an int64 here; other numeric types pass, because JavaScript clients can hardly tell them apart. */
  int64(name: string): bigint | undefined {
    const value = this.value(name);
    if (value && !isNumeric(value.type)) this.#wrongType(name, value, "'long'");
    return value && int64Of(value);
  }

  /** An int64 and nothing else. */
  long(name: string): bigint | undefined {
    const value = this.#typed(name, BsonType.long);
    return value && int64Of(value);
  }

  /** A value of any numeric type, as it lies. */
  numeric(name: string): BsonValue | undefined {
    const value = this.value(name);
    if (value && !isNumeric(value.type)) this.#wrongType(name, value, '[long, int, decimal, double]');
    return value;
  }

  timestamp(name: string): BsonValue | undefined {
    return this.#typed(name, BsonType.timestamp);
  }

  document(name: string): Uint8Array | undefined {
    const value = this.#typed(name, BsonType.object);
    return value && bytesOf(value);
  }

  array(name: string): readonly BsonValue[] | undefined {
    const value = this.#typed(name, BsonType.array);
    return value && elementsOf(value);
  }

  /** The documents of an array; a document sequence of OP_MSG has been attached as one. */
  documents(name: string): readonly Uint8Array[] | undefined {
    const known = this.#documents?.get(name);
    if (known) return known;
    const documents = this.array(name)?.map((value, index) => {
      if (value.type !== BsonType.object) this.#wrongType(`${name}.${index}`, value, "'object'");
      return bytesOf(value);
    });
    if (!documents) return undefined;
    this.#documents ??= new Map();
    this.#documents.set(name, documents);
    return documents;
  }

  /** The strings of an array. */
  strings(name: string): readonly string[] | undefined {
    return this.array(name)?.map((value, index) => {
      if (value.type !== BsonType.string) this.#wrongType(`${name}.${index}`, value, "'string'");
      return readString(value);
    });
  }

  requiredString(name: string): string {
    return this.string(name) ?? this.missing(name);
  }

  requiredDocument(name: string): Uint8Array {
    return this.document(name) ?? this.missing(name);
  }

  requiredDocuments(name: string): readonly Uint8Array[] {
    return this.documents(name) ?? this.missing(name);
  }

  /** Throws IDLUnknownField 40415 if there is a field that is neither among `known` nor called `besides`. */
  allow(known: ReadonlySet<string>, besides?: string): void {
    for (const name of this.#names) {
      if (!known.has(name) && name !== besides)
        throw new CommandError(40415, `BSON field '${this.path}.${name}' is an unknown field.`);
    }
  }

  missing(name: string): never {
    throw new CommandError(40414, `BSON field '${this.path}.${name}' is missing but a required field`);
  }

  #typed(name: string, type: number): BsonValue | undefined {
    const value = this.value(name);
    if (value && value.type !== type) this.#wrongType(name, value, `'${typeName(type)}'`);
    return value;
  }

  #int32Of(name: string, value: BsonValue): number {
    const number = numberOf(value);
    if ((number | 0) !== number) this.#wrongType(name, value, "'int'");
    return number;
  }

  #wrongType(name: string, value: BsonValue, expected: string): never {
    const types = expected.startsWith('[') ? 'types' : 'type';
    throw new CommandError(
      'TypeMismatch',
      `BSON field '${this.path}.${name}' is the wrong type '${typeName(value.type)}', expected ${types} ${expected}`,
    );
  }
}

/** The elements of an array value. */
export function elementsOf(value: BsonValue): BsonValue[] {
  const elements: BsonValue[] = [];
  const cursor = new ElementCursor(value.bytes, value.offset);
  while (cursor.next()) elements.push(cursor.value());
  return elements;
}
