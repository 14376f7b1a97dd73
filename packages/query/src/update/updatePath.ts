/** The paths of an update: `a.b`, `a.$.b`, `a.$[].b`, `a.$[x].b`. Upstream: field_ref.cpp, update_object_node.cpp. */
import { CommandError } from '@replsim/protocol';

/** A path without positional parts. */
export type ConcretePath = readonly string[];

type UpdateSegment =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'matched' }
  | { readonly kind: 'all' }
  | { readonly kind: 'filtered'; readonly identifier: string };

export interface UpdatePath {
  readonly text: string;
  readonly segments: readonly UpdateSegment[];
  readonly isPositional: boolean;
}

/** No document is deeper. Upstream: bson_depth.h, kDefaultMaxAllowableDepth. */
const MAX_PATH_LENGTH = 200;

/** The names of a path, none empty. Throws CommandError EmptyFieldName or Overflow. */
export function namesOfPath(text: string): ConcretePath {
  if (text === '') throw new CommandError('EmptyFieldName', 'An empty update path is not valid.');
  const names = text.split('.');
  if (names.length > MAX_PATH_LENGTH) {
    throw new CommandError('Overflow', `an update path has more than ${MAX_PATH_LENGTH} parts`);
  }
  if (!names.includes('')) return names;
  const message = `The update path '${text}' contains an empty field name, which is not allowed.`;
  throw new CommandError('EmptyFieldName', message);
}

/** Throws CommandError BadValue, EmptyFieldName or Overflow on a path that no update may have. */
export function parseUpdatePath(text: string): UpdatePath {
  const segments = namesOfPath(text).map(parseSegment);
  if (segments[0]?.kind !== 'name') {
    throw new CommandError(
      'BadValue',
      `Cannot have positional (i.e. '$') element in the first position in path '${text}'`,
    );
  }
  if (segments.filter(({ kind }) => kind === 'matched').length > 1) {
    throw new CommandError('BadValue', `Too many positional (i.e. '$') elements found in path '${text}'`);
  }
  return { text, segments, isPositional: segments.some(({ kind }) => kind !== 'name') };
}

function parseSegment(name: string): UpdateSegment {
  if (name === '$') return { kind: 'matched' };
  if (name === '$[]') return { kind: 'all' };
  const identifier = /^\$\[(.+)\]$/.exec(name)?.[1];
  if (identifier !== undefined) return { kind: 'filtered', identifier };
  return { kind: 'name', name };
}

/** The order in which the names below one path are carried out: indexes by number, and before names. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) {
    const x = BigInt(a);
    const y = BigInt(b);
    if (x !== y) return x < y ? -1 : 1;
  }
  return a < b ? -1 : 1;
}
