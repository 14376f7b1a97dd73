import { bucketsNs, type ViewDefinition, viewDefinition } from '@replsim/pipeline';
import { CommandError, ElementCursor, toHex } from '@replsim/protocol';
import { sameCollation } from '@replsim/query';
import type { ReadView } from '@replsim/storage';
import type { CommandContext } from '../definition.ts';
import type { MemberFacts } from '../member.ts';

/** What a `create` asks for, as it would be stored. */
export type Wanted =
  | { readonly type: 'collection'; readonly options: Uint8Array }
  | { readonly type: 'timeseries'; readonly buckets: Uint8Array }
  | { readonly type: 'view'; readonly definition: ViewDefinition };

/**
 * Whether a `create` has nothing to do, as just what it asks for is there already; before 7.0 that too was a mistake.
 * Errors: NamespaceExists 48 for anything else of this name.
 * Upstream: create_command.cpp, checkCollectionOptions; SERVER-60064.
 */
export function createdBefore({ data, member }: CommandContext<MemberFacts>, ns: string, wanted: Wanted): boolean {
  const { traits } = member;
  const collection = data.collection(ns);
  if (!collection && !viewDefinition(data, ns)) return false;
  const same = traits.ddlTwiceSucceeds && isThere(data, ns, wanted);
  if (same) return true;
  const kind = collection ? 'Collection' : 'View';
  const found = traits.ddlTwiceSucceeds ? `namespace ${ns} already exists, but with different options.` : '';
  throw new CommandError('NamespaceExists', `${found || `${kind} already exists.`} NS: ${ns}`);
}

function isThere(data: ReadView, ns: string, wanted: Wanted): boolean {
  const collection = data.collection(ns);
  const buckets = data.collection(bucketsNs(ns));
  switch (wanted.type) {
    case 'collection':
      return collection !== undefined && haveSameFields(collection.options, wanted.options);
    case 'timeseries':
      return buckets !== undefined && haveSameFields(buckets.options, wanted.buckets);
    case 'view':
      return !buckets && isSameView(viewDefinition(data, ns), wanted.definition);
  }
}

function isSameView(a: ViewDefinition | undefined, b: ViewDefinition): boolean {
  if (a?.viewOn !== b.viewOn || a.pipeline.length !== b.pipeline.length) return false;
  if (!sameCollation(a.collation, b.collation)) return false;
  return a.pipeline.every((stage, i) => sameStage(stage, b.pipeline[i]));
}

function sameStage(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && toHex(a) === toHex(b);
}

/** In any order: collMod puts what it changes last. */
function haveSameFields(a: Uint8Array, b: Uint8Array): boolean {
  const [ofA, ofB] = [fieldsOf(a), fieldsOf(b)];
  if (ofA.size !== ofB.size) return false;
  return [...ofA].every(([name, value]) => ofB.get(name) === value);
}

/** Values in hex, by name. */
function fieldsOf(document: Uint8Array): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const cursor = new ElementCursor(document);
  while (cursor.next()) fields.set(cursor.name, toHex(document.subarray(cursor.offset, cursor.offset + cursor.size)));
  return fields;
}
