import { EJSON } from 'bson';
import type { Doc } from './caller.ts';

/** An event of a change stream, as far as copies of a collection are made of it. */
export interface ChangeEvent {
  readonly operationType: string;
  readonly documentKey?: Doc;
  readonly fullDocument?: Doc | null;
  readonly fullDocumentBeforeChange?: Doc | null;
  readonly updateDescription?: {
    readonly updatedFields: Doc;
    readonly removedFields: readonly string[];
  };
  readonly txnNumber?: unknown;
}

/** What a client knows of a collection from nothing but a stream's events: each must fit to those before it. */
export class Copy {
  /** By `documentKey`; null for a document that is gone. One that is not here was not seen yet. */
  readonly #documents = new Map<string, Doc | null>();
  /** Whether `fullDocument` of an update is that of the event, and not a later one. */
  readonly #hasPostImages: boolean;

  constructor(hasPostImages: boolean) {
    this.#hasPostImages = hasPostImages;
  }

  /** @returns what does not fit */
  take(event: ChangeEvent): string | undefined {
    const { operationType, documentKey, fullDocument, fullDocumentBeforeChange: before } = event;
    if (!documentKey) {
      if (/^(drop|rename|dropDatabase)$/.test(operationType)) this.#documents.clear();
      return undefined;
    }
    const key = textOf(documentKey);
    const known = this.#documents.get(key);
    const at = `${operationType} of ${key}`;
    if (operationType === 'insert' && known) return `${at}, which is there: ${textOf(known)}`;
    if (operationType !== 'insert' && known === null) return `${at}, which is not there`;
    if (before && known && textOf(before) !== textOf(known))
      return `${at} has ${textOf(before)} before it, and should have ${textOf(known)}`;
    const after = afterOf(event, known ?? before ?? undefined);
    if (operationType === 'update' && this.#hasPostImages && fullDocument && after && !isSame(fullDocument, after))
      return `${at} has ${textOf(fullDocument)} after it, and should have ${textOf(after)}`;
    if (after !== undefined) this.#documents.set(key, after);
    return undefined;
  }

  /** What is not as the collection has it. @param documents all of it */
  differs(documents: readonly Doc[]): string | undefined {
    const there = new Map(documents.map((document) => [textOf({ _id: document._id }), document]));
    for (const [key, known] of this.#documents) {
      const real = there.get(key) ?? null;
      if (known === null ? real !== null : real === null || !isSame(known, real))
        return `by its events ${key} is ${textOf(known)}, and the collection has ${textOf(real)}`;
    }
    return undefined;
  }
}

/** What is there afterwards: null for nothing, undefined where it cannot be known. */
function afterOf({ operationType, fullDocument, updateDescription }: ChangeEvent, before: Doc | undefined) {
  if (operationType === 'delete') return null;
  if (operationType === 'insert' || operationType === 'replace') return fullDocument ?? undefined;
  if (!before || !updateDescription) return undefined;
  // No client here writes anything but fields at the top.
  const after: Doc = { ...before, ...updateDescription.updatedFields };
  for (const field of updateDescription.removedFields) delete after[field];
  return after;
}

function textOf(value: unknown): string {
  return EJSON.stringify(value);
}

/** With whichever order of fields: an update's description does not tell it. */
function isSame(a: Doc, b: Doc): boolean {
  const sorted = (document: Doc) => Object.entries(document).sort(([x], [y]) => (x < y ? -1 : 1));
  return textOf(sorted(a)) === textOf(sorted(b));
}
