import { BsonType, CommandError, readString } from '@replsim/protocol';
import type { Fields } from '../fields/fields.ts';
import { INT32_MAX, isNumeric, numberOf, typeName } from '../fields/values.ts';

/** A whole number of any numeric type within bounds; unless they say otherwise it has to fit into the int32 that is stored. Throws BadValue 2, TypeMismatch 14. Upstream: IDL validators. */
export function intField(
  fields: Fields,
  name: string,
  absent: number,
  { from, to = INT32_MAX }: { from: number; to?: number },
): number {
  const value = fields.number(name) ?? absent;
  if (value < from || value > to) {
    const bound = value < from ? `>= ${from}` : `<= ${to}`;
    throw new CommandError('BadValue', `BSON field '${fields.path}.${name}' must be ${bound}, actual value '${value}'`);
  }
  return value;
}

/** As `intField`, with its fraction. NaN is out of bounds. */
export function doubleField(fields: Fields, name: string, absent: number, from: number, to: number): number {
  const raw = fields.numeric(name);
  const value = raw ? numberOf(raw) : absent;
  if (value >= from && value <= to) return value + 0;
  throw new CommandError(
    'BadValue',
    `BSON field '${fields.path}.${name}' must be between ${from} and ${to}, actual value '${value}'`,
  );
}

/** A document of strings, such as tags. Throws TypeMismatch 14. Upstream: MemberConfig::addTagInfo. */
export function stringsOf(fields: Fields): Record<string, string> {
  const strings: Record<string, string> = {};
  for (const name of fields.names) {
    const value = fields.rawValue(name)!;
    if (value.type !== BsonType.string) {
      throw new CommandError(
        'TypeMismatch',
        `${fields.path}.${name} field has non-string value of type ${typeName(value.type)}`,
      );
    }
    strings[name] = readString(value);
  }
  return strings;
}

/** A document of positive whole numbers. Throws TypeMismatch 14, BadValue 2. Upstream: ReplSetWriteConcernModeDefinitions. */
export function countsOf(fields: Fields): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of fields.names) {
    const value = fields.rawValue(name)!;
    if (!isNumeric(value.type)) {
      throw new CommandError(
        'TypeMismatch',
        `Expected ${fields.path}.${name} to be a number, not ${typeName(value.type)}`,
      );
    }
    const count = Math.trunc(numberOf(value));
    if (!(count > 0)) {
      throw new CommandError('BadValue', `Value for ${fields.path}.${name} is ${count}, but must be positive`);
    }
    counts[name] = count;
  }
  return counts;
}

/**
 * `name:port` with the port made explicit. Throws FailedToParse 9.
 * Upstream: hostandport.cpp, HostAndPort::initialize.
 */
export function hostAndPort(text: string): string {
  const { host, port } = splitHostAndPort(text);
  const cannotParse = (why: string): CommandError => new CommandError('FailedToParse', `${why} "${text}"`);
  if (host === '') throw cannotParse('Empty host component parsing HostAndPort from');
  if (host.includes(':') && !/^\[[^[\]]+\]$/.test(host)) {
    throw cannotParse("More than one ':', so that an IPv6 address must be surrounded by '[' and ']':");
  }
  if (port === undefined) return `${host}:27017`;
  if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw cannotParse(`Port number ${port} out of range parsing HostAndPort from`);
  }
  return `${host}:${Number(port)}`;
}

/** IPv6 addresses with a port stand in brackets. */
export function splitHostAndPort(text: string): { readonly host: string; readonly port: string | undefined } {
  const bracket = text.startsWith('[') ? text.indexOf(']') : -1;
  const colon = bracket >= 0 ? text.indexOf(':', bracket) : text.lastIndexOf(':');
  if (colon < 0) return { host: text, port: undefined };
  return { host: text.slice(0, colon), port: text.slice(colon + 1) };
}
