import { type Collator, compileProjection, type Variables } from '@replsim/query';
import { isEmptyDocument } from '../fields/documents.ts';
import { expressionOf } from './filterExpressions.ts';

/** What a projection makes of a document; undefined for no projection or an empty one. */
export function projectorOf(
  projection: Uint8Array | undefined,
  query: Uint8Array,
  variables: Variables,
  collator: Collator | undefined,
): ((document: Uint8Array) => Uint8Array) | undefined {
  if (!projection || isEmptyDocument(projection)) return undefined;
  return compileProjection(projection, { query, variables, expressions: expressionOf, collator });
}
