import { didYouMean } from '@replsim/kernel';
import { BsonType, type BsonValue, ElementCursor, encodeName, findField } from '@replsim/protocol';

// What somebody may do about an answer that is not as the scenario says; a line of its own in the report of a failure.

/** By the name of an error. */
const ADVICE: Readonly<Record<string, string>> = {
  NamespaceNotFound: 'an insert or a createIndex creates the collection',
  DuplicateKey: 'leave "_id" out, or give each document its own: with "count", $i does',
  NotWritablePrimary: 'use "on: primary", the member that accepts writes',
  NotPrimaryNoSecondaryOk: 'readPreference: secondaryPreferred reads from a secondary, too',
  NewReplicaSetConfigurationIncompatible: 'a member that joins later is one of "spares" until then',
  UnsatisfiableWriteConcern: 'w: majority can be met while most members run',
  ExceededTimeLimit: 'let an electable secondary catch up before this step, or add force: true',
};

/** Whether a primary would step down, and nobody could follow it. */
export function isWithoutHeir([first]: readonly { readonly codeName: string; readonly errmsg: string }[]): boolean {
  return first?.codeName === 'ExceededTimeLimit' && first.errmsg.startsWith('No electable secondaries');
}

/** @param commands what the member knows */
export function adviceOnErrors(
  errors: readonly { readonly codeName: string; readonly errmsg: string }[],
  commands: () => readonly string[],
): string | undefined {
  const [first] = errors;
  if (first?.codeName !== 'CommandNotFound') return ADVICE[first?.codeName ?? ''];
  const name = /'([^']+)'/.exec(first.errmsg)?.[1] ?? '';
  return didYouMean(name, commands()) ?? 'run: { on: n1, command: { listCommands: 1 } } says which there are';
}

/** Where a filter asks for a path that a reply has not, or for a whole document where a field was meant. */
export function adviceOnMatch(filter: Uint8Array, reply: Uint8Array): string | undefined {
  const cursor = new ElementCursor(filter);
  while (cursor.next()) {
    const { name } = cursor;
    if (name.startsWith('$')) continue;
    const advice = adviceOnPath(name, reply) ?? adviceOnDocument(name, cursor.value());
    if (advice !== undefined) return advice;
  }
  return undefined;
}

/** A field that is missing, beside one of nearly that name. */
export function adviceOnPath(path: string, document: Uint8Array): string | undefined {
  let start = 0;
  const parts = path.split('.');
  for (const [index, part] of parts.entries()) {
    const value = findField(document, encodeName(part), start);
    if (value === undefined) {
      const meant = didYouMean(part, namesIn(document, start))?.replace(/"(.*)"/, (_, name) =>
        JSON.stringify([...parts.slice(0, index), name, ...parts.slice(index + 1)].join('.')),
      );
      return meant && `there is no "${part}": ${meant}`;
    }
    if (value.type !== BsonType.object && value.type !== BsonType.array) return undefined;
    start = value.offset;
  }
  return undefined;
}

function adviceOnDocument(path: string, value: BsonValue): string | undefined {
  let field: string | undefined;
  for (let inside: BsonValue | undefined = value; inside?.type === BsonType.object; ) {
    const [first, second] = namesIn(inside.bytes, inside.offset);
    if (first === undefined || first.startsWith('$')) break;
    field = `${field ?? path}.${first}`;
    inside = second === undefined ? findField(inside.bytes, encodeName(first), inside.offset) : undefined;
  }
  return field && `documents are compared as a whole; to compare some fields, write their paths: "${field}"`;
}

function namesIn(document: Uint8Array, start: number): string[] {
  const cursor = new ElementCursor(document, start);
  const names: string[] = [];
  while (cursor.next()) names.push(cursor.name);
  return names;
}
