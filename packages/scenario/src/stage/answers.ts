import {
  BsonType,
  type BsonValue,
  codeNameOf,
  decodeFields,
  ElementCursor,
  encodeDocument,
  encodeName,
  findField,
  RawValue,
  requiredField,
} from '@replsim/protocol';
import { compileFilter, equalValues } from '@replsim/query';
import type { Filling, Template } from '../file/placeholder.ts';
import { shorten, showDocument, showValue } from '../file/show.ts';
import type { NumberTest, Wants } from '../scenario.ts';
import { adviceOnMatch } from './advice.ts';

/** What was asked for and did not come, and what may be done about it; undefined when all is well. */
export type Complaint =
  | { readonly asked: string; readonly got: string; readonly advice?: string | undefined }
  | undefined;

/** How a command ended, from its reply. */
export interface Ending {
  /** A success as drivers see it: `ok: 1` and no write errors. */
  readonly ok: boolean;
  /** Every error in the reply: its own, those of single writes, the write concern's. */
  readonly errors: readonly ReplyError[];
}

export interface ReplyError {
  readonly code: number;
  readonly codeName: string;
  readonly errmsg: string;
  readonly where: 'command' | 'write' | 'writeConcern';
}

/** What says how a command ended. */
const ENDING = new Set(['ok', 'code', 'codeName', 'errmsg', 'writeErrors', 'writeConcernError']);

/** Reads a reply's errors. */
export function endingOf(reply: Uint8Array): Ending {
  const { ok, code, codeName, errmsg, writeErrors, writeConcernError } = decodeFields(reply, ENDING);
  const errors: ReplyError[] = [];
  const add = (where: ReplyError['where'], error: { code?: number; codeName?: string; errmsg?: string }) =>
    errors.push({
      code: Number(error.code ?? 0),
      codeName: error.codeName ?? codeNameOf(Number(error.code ?? 0)),
      errmsg: error.errmsg ?? '',
      where,
    });
  if (ok !== 1) add('command', { code, codeName, errmsg });
  for (const error of writeErrors ?? []) add('write', error);
  if (writeConcernError) add('writeConcern', writeConcernError);
  return { ok: !errors.some(({ where }) => where !== 'writeConcern'), errors };
}

/**
 * Holds an answer against what the scenario wants of it.
 * @param tookMicros undefined where it was not measured
 */
export function complaintAbout(reply: Uint8Array, wants: Wants, filling: Filling, tookMicros?: number): Complaint {
  const { ok, errors } = endingOf(reply);
  const got = () => showDocument(reply);
  if (wants.error) {
    const { code, text } = wants.error;
    if (!errors.some((error) => code === undefined || error.code === code))
      return { asked: `error: ${text}`, got: got() };
  } else if (!ok) return { asked: 'success', got: showErrors(errors) };
  else if (errors.length > 0 && !(wants.matches && mentions(wants.matches.bytes(filling), WRITE_CONCERN_ERROR)))
    return { asked: 'success, to the write concern', got: showErrors(errors) };
  if (wants.matches && !matches(wants.matches, reply, filling))
    return {
      asked: `matches: ${showTemplate(wants.matches, filling)}`,
      got: explainMismatch(wants.matches, reply, filling),
      advice: adviceOnMatch(wants.matches.bytes(filling), reply),
    };
  if (wants.documents) {
    const complaint = compareDocuments(firstBatch(reply), wants.documents.list, wants.documents.ordered, filling);
    if (complaint) return complaint;
  }
  const took = tookMicros === undefined ? undefined : tookMicros / 1000;
  if (wants.took && took !== undefined && !matches(wants.took, encodeDocument({ v: took }), filling))
    return { asked: `took: ${showField(wants.took, filling)}`, got: `it took ${took} ms` };
  return undefined;
}

/** Done but not to its write concern: nobody may count on it, and drivers throw. */
export const WRITE_CONCERN_ERROR = 'writeConcernError';

/** Whether a filter says something of a field of the reply, or of one inside it. */
function mentions(filter: Uint8Array, field: string, start = 0): boolean {
  const cursor = new ElementCursor(filter, start);
  while (cursor.next()) {
    if (cursor.name === field || cursor.name.startsWith(`${field}.`)) return true;
    const isNested = cursor.type === BsonType.object || cursor.type === BsonType.array;
    if (isNested && mentions(filter, field, cursor.offset)) return true;
  }
  return false;
}

/** What a failed command said. */
export function showErrors(errors: readonly ReplyError[]): string {
  return errors.map(({ code, codeName, errmsg }) => `${codeName} (${code}): ${errmsg}`).join('; ');
}

/** Whether a document matches a filter of the scenario. */
export function matches(filter: Template, document: Uint8Array, filling: Filling): boolean {
  return matcher(filter, filling)(document);
}

const compiled = new WeakMap<Template, (document: Uint8Array) => boolean>();

/** A filter without placeholders is compiled once. */
export function matcher(filter: Template, filling: Filling): (document: Uint8Array) => boolean {
  if (filter.dynamic) return compileFilter(filter.bytes(filling));
  const test = compiled.get(filter) ?? compileFilter(filter.bytes(filling));
  compiled.set(filter, test);
  return test;
}

/** Whether a number is as the scenario says. */
export function isNumber(test: NumberTest, value: number, filling: Filling): boolean {
  return matches(test.filter, encodeDocument({ v: value }), filling);
}

/** The documents of a find's first batch, each with bytes of its own. */
export function firstBatch(reply: Uint8Array): Uint8Array[] {
  const cursor = findField(reply, encodeName('cursor'));
  const batch = cursor && findField(reply, encodeName('firstBatch'), cursor.offset);
  return batch ? elements(batch).map(({ bytes, offset, size }) => bytes.slice(offset, offset + size)) : [];
}

/** Equal documents by MongoDB's comparison: 5 equals 5.0, and fields have an order. */
export function compareDocuments(
  found: readonly Uint8Array[],
  list: Template,
  ordered: boolean,
  filling: Filling,
): Complaint {
  const wanted = elements(requiredField(list.bytes(filling), encodeName('list')));
  const rest = [...found];
  const missing = wanted.filter((document, index) => {
    const at = ordered ? index : rest.findIndex((each) => equalValues(asValue(each), document));
    if (ordered) return !(found[at] && equalValues(asValue(found[at]), document));
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  if (missing.length === 0 && found.length === wanted.length) return undefined;
  return {
    asked: `exactly ${wanted.length} ${ordered ? 'in this order' : 'in any order'}: ${showAll(wanted.map((each) => showValue(each)))}`,
    got: `${found.length}: ${showAll(found.map((each) => showDocument(each)))}`,
  };
}

/** The `_id`s of documents, as mongosh writes them. */
export function idsOf(documents: readonly Uint8Array[]): string[] {
  return documents.flatMap((document) => {
    const id = findField(document, ID);
    return id ? [showValue(id)] : [];
  });
}
const ID = encodeName('_id');

/** Some documents, and how many more there are. */
export function showAll(texts: readonly string[]): string {
  const shown = texts.slice(0, 10).join(', ');
  return shorten(texts.length > 10 ? `${shown}, and ${texts.length - 10} more` : shown, 600);
}

/** A template as the scenario's reader knows it, with its placeholders filled. */
export function showTemplate(template: Template, filling: Filling): string {
  return showDocument(template.bytes(filling));
}

/** What `{v: …}` holds. */
function showField(template: Template, filling: Filling): string {
  const value = findField(template.bytes(filling), encodeName('v'));
  return value ? showValue(value) : '';
}

/** The fields that the filter speaks of, as the reply has them; the whole reply would hide them. */
export function explainMismatch(filter: Template, reply: Uint8Array, filling: Filling): string {
  const parts: string[] = [];
  const cursor = new ElementCursor(filter.bytes(filling));
  while (cursor.next()) {
    const { name } = cursor;
    if (name.startsWith('$')) return showDocument(reply);
    const value = valueAt(reply, name);
    parts.push(`${name}: ${value ? showValue(value) : 'missing'}`);
  }
  return `{${parts.join(', ')}}`;
}

/** The value at a dotted path; array elements by their index. */
export function valueAt(document: Uint8Array, path: string): BsonValue | undefined {
  let value: BsonValue | undefined;
  let start = 0;
  for (const name of path.split('.')) {
    if (value && value.type !== BsonType.object && value.type !== BsonType.array) return undefined;
    value = findField(document, encodeName(name), start);
    if (!value) return undefined;
    start = value.offset;
  }
  return value;
}

/** A value that outlives the reply it was found in. */
export function kept(value: BsonValue): RawValue {
  return new RawValue({
    type: value.type,
    bytes: value.bytes.slice(value.offset, value.offset + value.size),
    offset: 0,
    size: value.size,
  });
}

function elements(array: BsonValue): BsonValue[] {
  const cursor = new ElementCursor(array.bytes, array.offset);
  const values: BsonValue[] = [];
  while (cursor.next()) values.push(cursor.value());
  return values;
}

function asValue(bytes: Uint8Array): BsonValue {
  return { type: BsonType.object, bytes, offset: 0, size: bytes.length };
}
