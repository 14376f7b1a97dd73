import { BsonType, BsonWriter, CommandError, ElementCursor } from '@replsim/protocol';
import { extractIndexValues } from '@replsim/query';
import { isEmptyDocument } from '../fields/documents.ts';
import { isNumeric, truthOf } from '../fields/values.ts';
import { holdsValues } from './indexPlan.ts';
import type { Plan } from './plan.ts';

/** What a projection needs, as far as plans care. */
export interface ProjectionShape {
  /** Fields at the top that are kept or left out, and nothing computed. */
  readonly isSimple: boolean;
  /** The fields that it keeps; undefined where it leaves fields out or computes. */
  readonly kept: readonly string[] | undefined;
}

/** Looks at a well-formed projection; undefined for none. */
export function shapeOf(projection: Uint8Array | undefined): ProjectionShape | undefined {
  if (!projection || isEmptyDocument(projection)) return undefined;
  const kept = ['_id'];
  let isSimple = true;
  let excludes = false;
  const cursor = new ElementCursor(projection);
  while (cursor.next()) {
    const { name, type } = cursor;
    if (name.includes('.') || name.includes('$') || !(isNumeric(type) || type === BsonType.bool)) isSimple = false;
    else if (name === '_id') {
      if (!truthOf(cursor)) kept.shift();
    } else if (truthOf(cursor)) kept.push(name);
    else excludes = true;
  }
  // `{ _id: 0 }` alone leaves one field out.
  const includes = isSimple && !excludes && (kept.length > 1 || kept[0] !== '_id') && kept.length > 0;
  return { isSimple, kept: includes || isIdAlone(projection, kept) ? kept : undefined };
}

function isIdAlone(projection: Uint8Array, kept: readonly string[]): boolean {
  const cursor = new ElementCursor(projection);
  return kept.length === 1 && kept[0] === '_id' && cursor.next() && cursor.name === '_id' && !cursor.next();
}

/**
 * Whether the keys of an index hold all that is shown and asked for, so that no document is fetched. Simplification: fields
 * that may be missing are fetched, where upstream shows them as null.
 */
export function isCovered(plan: Plan, projection: Uint8Array | undefined): boolean {
  if (plan.stage === 'COLLSCAN' || plan.byId || plan.residual.length > 0 || !plan.sorted) return false;
  const kept = shapeOf(projection)?.kept;
  const { parts } = plan.index.spec;
  return (
    kept?.every((field) => {
      const part = parts.findIndex(({ path }) => path === field);
      return part >= 0 && holdsValues(plan, part);
    }) ?? false
  );
}

/**
 * What `returnKey` shows instead of a document: its key in the index, nothing without one.
 * Throws CommandNotSupported 115 for an index of which a document has several keys, or one that is none of its values.
 */
export function keyDocuments(plan: Plan): (document: Uint8Array) => Uint8Array {
  const index = plan.stage === 'IXSCAN' ? plan.index : undefined;
  if (index?.multikey || index?.spec.parts.some(({ plugin }) => plugin)) {
    const kind = index.spec.kind === 'text' ? 'text' : index.multikey ? 'multikey' : 'geographic';
    throw new CommandError('CommandNotSupported', `returnKey with a ${kind} index is not supported by replsim`);
  }
  return (document) => {
    const writer = new BsonWriter();
    for (const { path } of index?.spec.parts ?? []) {
      writer.rawValue(path, extractIndexValues(document, path).values[0]!);
    }
    return writer.finish();
  };
}
