import { encodeName, findField, splitNamespace } from '@replsim/protocol';
import { compareValues } from '@replsim/query';
import { showDocument, showValue } from '@replsim/scenario';
import { idKey } from './documentId.ts';
import { expiredOf, whyStillThere } from './expired.ts';
import type { Ask, Glance } from './glance.ts';
import type { DataCell, DataColumn, DataRow, DataSeen, IndexSeen } from './look.ts';
import { batchOf, collectionsOf, countOf } from './replies.ts';

/** So many documents are shown. */
const MOST_ROWS = 200;
/** So many characters of each. */
const WIDTH = 300;
const ID = encodeName('_id');

/** What one member has of a collection. */
interface Part {
  readonly column: DataColumn;
  /** The first of them by `_id`; undefined where nothing can be shown. */
  readonly documents: readonly Uint8Array[] | undefined;
  readonly indexes: readonly string[];
  /** By `_id`: since when those of its documents that have expired are due, and by which index. */
  readonly expired: ReadonlyMap<string, string>;
}

/** A collection as each member has it, side by side. @param ns the first one of users where it is undefined, or nobody has it */
export async function seeData(glance: Glance, asked: string | undefined): Promise<DataSeen> {
  const { nowMicros: atMicros, memberNames } = glance.set;
  const found = new Set<string>();
  for (const member of memberNames) {
    const own = await glance.reading(member, collectionsOf);
    if (Array.isArray(own)) for (const ns of own) found.add(ns);
  }
  const collections = [...found].sort(byUse);
  const ns = asked !== undefined && found.has(asked) ? asked : collections[0];
  if (ns === undefined) return { ...NOTHING, atMicros };
  const parts: Part[] = [];
  for (const member of memberNames) parts.push(await partOf(glance, member, ns));
  const columns = parts.map(({ column }) => column);
  const beside = besideOf(parts, glance, ns);
  const rows = alignedOf(parts).map((documents) => rowOf(documents, beside));
  const shown = columns.map((_, i) => rows.filter(({ cells }) => cells[i]?.text !== undefined).length);
  const more = Math.max(0, ...columns.map(({ count = 0 }, i) => count - shown[i]!));
  return { kind: 'data', atMicros, collections, ns, columns, rows, more, indexes: indexesOf(parts) };
}

const NOTHING = { kind: 'data', collections: [], ns: undefined, columns: [], rows: [], more: 0, indexes: [] } as const;

/** Those that a set has for itself come last. */
function byUse(a: string, b: string): number {
  const own = (ns: string) => Number(/^(config|admin)\./.test(ns));
  return own(a) - own(b) || (a < b ? -1 : 1);
}

async function partOf(glance: Glance, member: string, ns: string): Promise<Part> {
  const presence = glance.presence(member);
  const read = await glance.reading(member, (ask) => readPart(ask, glance, ns));
  if ('silence' in read)
    return {
      column: { member, presence, silence: read.silence },
      documents: undefined,
      indexes: [],
      expired: new Map(),
    };
  const { count, ...rest } = read;
  return { column: { member, presence, count }, ...rest };
}

function readPart(
  ask: Ask,
  glance: Glance,
  ns: string,
): (Omit<Part, 'column'> & { readonly count: number }) | { readonly silence: string } {
  const [db, collection] = splitNamespace(ns);
  // By the plain order of values, whatever the collection's own is, so that members can be laid side by side.
  const collation = { locale: 'simple' };
  const many = { limit: MOST_ROWS, batchSize: MOST_ROWS, singleBatch: true };
  const reply = ask(db, { find: collection, sort: { _id: 1 }, collation, ...many });
  if (!reply.ok) return reply;
  const documents = batchOf(reply.bytes);
  const indexes = ask(db, { listIndexes: collection });
  return {
    documents,
    count: countOf(ask(db, { count: collection })),
    indexes: indexes.ok ? batchOf(indexes.bytes).map((spec) => showDocument(spec, WIDTH)) : [],
    expired: expiredOf(ask, ns, documents, glance.set),
  };
}

/** Lays the documents of all members side by side by their `_id`. */
function alignedOf(parts: readonly Part[]): (Uint8Array | undefined)[][] {
  const found = parts.flatMap(({ documents }, part) =>
    (documents ?? []).map((bytes) => ({ part, bytes, id: findField(bytes, ID)! })),
  );
  found.sort((a, b) => compareValues(a.id, b.id));
  // Beyond the last of a member that has more, nothing is known of it: a batch ends at 16 MB, too.
  const ends = parts.flatMap(({ documents, column: { count = 0 } }) => {
    const last = documents?.at(-1);
    return last && count > documents!.length ? [findField(last, ID)!] : [];
  });
  const known = found.filter(({ id }) => ends.every((end) => compareValues(id, end) <= 0));
  const rows: (Uint8Array | undefined)[][] = [];
  for (const [i, { part, bytes, id }] of known.entries()) {
    if (i === 0 || compareValues(known[i - 1]!.id, id) !== 0) rows.push(parts.map(() => undefined));
    rows.at(-1)![part] = bytes;
  }
  return rows.slice(0, MOST_ROWS);
}

/** What is the same in all rows. */
interface Beside {
  readonly parts: readonly Part[];
  /** The number of the member that the others are compared with: the primary, or else the first that can be read. */
  readonly first: number;
  /** Of an expired document on a member; its sentence takes a walk through what was written. */
  readonly whyThere: (member: string, primaryHasIt: boolean) => string;
}

function besideOf(parts: readonly Part[], glance: Glance, ns: string): Beside {
  const primary = glance.members.primary();
  const readable = (part: Part) => part.documents !== undefined;
  const leading = parts.findIndex((part) => readable(part) && part.column.member === primary);
  const told = new Map<string, string>();
  const whyThere = (member: string, primaryHasIt: boolean): string => {
    const key = `${member} ${primaryHasIt}`;
    const text = told.get(key) ?? whyStillThere(glance, ns, member, primaryHasIt);
    told.set(key, text);
    return text;
  };
  return { parts, first: leading >= 0 ? leading : parts.findIndex(readable), whyThere };
}

function rowOf(documents: readonly (Uint8Array | undefined)[], { parts, first, whyThere }: Beside): DataRow {
  const some = documents.find((document) => document !== undefined)!;
  const id = idKey(some);
  const compared = documents[first];
  const cells = parts.map(({ column: { member }, documents: all, expired }, i): DataCell | undefined => {
    if (!all) return undefined;
    const own = documents[i];
    const unlike = i === first ? undefined : unlikeness(own, compared, parts[first]!.column.member);
    const since = own && expired.get(id);
    return {
      ...(own && { text: showDocument(own, WIDTH) }),
      ...(unlike !== undefined && { unlike }),
      ...(since !== undefined && { expired: `${since}: ${whyThere(member, compared !== undefined)}` }),
    };
  });
  return { idText: showValue(findField(some, ID)!, WIDTH), id, cells };
}

/** How a document differs from another member's; undefined where it does not. */
function unlikeness(own: Uint8Array | undefined, other: Uint8Array | undefined, member: string): string | undefined {
  if (!own) return other && `${member} has it`;
  if (!other) return `${member} does not have it`;
  return own.length === other.length && own.every((byte, i) => byte === other[i]) ? undefined : `not as on ${member}`;
}

function indexesOf(parts: readonly Part[]): IndexSeen[] {
  const members = new Map<string, string[]>();
  for (const { indexes, column } of parts)
    for (const text of indexes) members.set(text, [...(members.get(text) ?? []), column.member]);
  return [...members].map(([text, own]) => ({ text, members: own }));
}
