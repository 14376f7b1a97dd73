import { type Located, nearestOf } from '@replsim/geo';
import { type PathSegment, parsePath, valuesAtPath } from '@replsim/query';
import type { NearSearch } from './indexPlan.ts';

/** A document that a search met, before it is known in which place it comes. */
interface Candidate {
  readonly recordId: number;
  readonly distance: number;
}

/**
 * Puts what is near in its order: all documents of the bounds are taken in, then they are given, the nearest first and equally
 * near ones in the order of their record ids. Simplification: upstream goes from the point outwards, ring by ring, so that a limit
 * spares it what is far. Upstream: geo_near.cpp and near.cpp.
 */
export class NearOrder {
  readonly #search: NearSearch;
  readonly #path: readonly PathSegment[];
  #found: Candidate[] = [];
  #next: number | undefined;

  constructor(search: NearSearch) {
    this.#search = search;
    this.#path = parsePath(search.path);
  }

  /** All are taken in, and the first may be asked for. */
  get isComplete(): boolean {
    return this.#next !== undefined;
  }

  /** Where the document is; undefined if it is too far, or too near. */
  locate(document: Uint8Array): Located | undefined {
    return nearestOf(this.#search.query, valuesAtPath(document, this.#path, false));
  }

  /** Takes in a document of the bounds. */
  add(recordId: number, document: Uint8Array): void {
    const located = this.locate(document);
    if (located) this.#found.push({ recordId, distance: located.distance });
  }

  complete(): void {
    this.#found.sort((a, b) => a.distance - b.distance || a.recordId - b.recordId);
    this.#next = 0;
  }

  /** The record that comes next; undefined behind the last. */
  next(): number | undefined {
    const candidate = this.#found[this.#next ?? 0];
    this.#next = (this.#next ?? 0) + 1;
    return candidate?.recordId;
  }
}
