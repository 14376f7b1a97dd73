import { type Collator, compileProjection, type Variables } from '@replsim/query';
import { isEmptyDocument } from '../fields/documents.ts';
import { documentValue } from './builtValues.ts';
import { projectStage } from './shapeStages.ts';

/** What a projection makes of a document; undefined for no projection or an empty one. */
export function projectorOf(
  projection: Uint8Array | undefined,
  query: Uint8Array,
  variables: Variables,
  collator: Collator | undefined,
): ((document: Uint8Array) => Uint8Array) | undefined {
  if (!projection || isEmptyDocument(projection)) return undefined;
  return compileProjection(projection, { query, variables, collator });
}

/** The same on a view, where a projection is a `$project`. Errors: those of the stage. */
export function projectorOnView(
  projection: Uint8Array | undefined,
  variables: Variables,
  collator: Collator | undefined,
): ((document: Uint8Array) => Uint8Array) | undefined {
  if (!projection || isEmptyDocument(projection)) return undefined;
  const stage = { name: '$project', spec: documentValue(projection) };
  return projectStage(stage, { filterVariables: variables, collator });
}
