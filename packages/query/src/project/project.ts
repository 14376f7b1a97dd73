/** Projections compiled to functions from document to document. Upstream: projection_executor_builder.cpp, find_projection_executor.cpp. */
import { BsonType, type BsonValue, CommandError, findField } from '@replsim/protocol';
import { compilePositional, type Positional } from '../filter/positional.ts';
import { type PathSegment, parsePath } from '../paths.ts';
import { elementsOf } from '../values.ts';
import { parseAdditions } from './additions.ts';
import { applyProjection, type KeptElement } from './applyProjection.ts';
import { type ExpressionContext, type FindFeatures, parseProjection } from './parse.ts';

export interface ProjectionOptions extends ExpressionContext {
  /** The filter by which the documents were found, for positional `a.$`. */
  readonly query?: Uint8Array;
}

/** What a projection makes of a document. */
export type Projection = (document: Uint8Array) => Uint8Array;

/** An empty projection leaves documents as they are. */
const EMPTY_SIZE = 5;

/**
 * Compiles the projection of a find or a findAndModify, an inclusion or an exclusion. Fields keep the order of the document; what is
 * computed follows an inclusion, in the order of the specification.
 * Throws CommandError with upstream's location codes if it is malformed; the result throws 51246 where `a.$` finds no element.
 */
export function compileProjection(projection: Uint8Array, options: ProjectionOptions = {}): Projection {
  return compile(projection, 'allowed', options);
}

/** Compiles what `$project` and `$unset` ask for: a projection without what only a find knows. Errors: as a find's, and 31324 for `a.$`. */
export function compileStageProjection(projection: Uint8Array, context: ExpressionContext = {}): Projection {
  return compile(projection, 'refused', context);
}

/** Compiles what `$addFields` asks for. Errors: those of `parseAdditions`. */
export function compileAdditions(additions: Uint8Array, context: ExpressionContext = {}): Projection {
  const tree = parseAdditions(additions, context);
  return (document) => applyProjection(tree, document, true);
}

function compile(projection: Uint8Array, findFeatures: FindFeatures, options: ProjectionOptions): Projection {
  if (projection.length === EMPTY_SIZE) return (document) => document;
  const { root, inclusion, positionalPath } = parseProjection(projection, findFeatures, options);
  const findElement = positionalPath === undefined ? undefined : positionalElement(positionalPath, options);
  return (document) => applyProjection(root, document, !inclusion, findElement?.(document));
}

/** Finds the array that `a.$` is about, the first on the path, and the element of it that the query matched. */
function positionalElement(
  path: string,
  { query, variables, collator }: ProjectionOptions,
): (document: Uint8Array) => KeptElement | undefined {
  const segments = parsePath(path);
  const positional: Positional =
    query === undefined ? () => undefined : compilePositional(query, { variables, collator });
  return (document) => {
    const found = firstArray(document, segments);
    if (found === undefined) return undefined;
    const index = positional(document, found.path);
    const problem = "positional operator '.$'";
    if (index === undefined) throw new CommandError(51246, `${problem} couldn't find a matching element in the array`);
    if (index >= elementsOf(found.array).length) throw new CommandError(51247, `${problem} element mismatch`);
    return { offset: found.array.offset, index };
  };
}

function firstArray(
  document: Uint8Array,
  path: readonly PathSegment[],
): { array: BsonValue; path: string } | undefined {
  let start = 0;
  for (const [depth, { encoded }] of path.entries()) {
    const value = findField(document, encoded, start);
    if (value?.type === BsonType.array) {
      const names = path.slice(0, depth + 1).map(({ name }) => name);
      return { array: value, path: names.join('.') };
    }
    if (value?.type !== BsonType.object) return undefined;
    start = value.offset;
  }
  return undefined;
}
