/** Turning `$`, `$[]` and `$[x]` into the indexes that they mean in one document. Upstream: update_array_node.cpp. */
import { BsonType, CommandError } from '@replsim/protocol';
import { formatField } from '../format.ts';
import type { ElementFilter } from './arrayFilters.ts';
import type { MutableNode } from './mutable.ts';
import { badValue } from './operator.ts';
import type { ConcretePath, UpdatePath } from './updatePath.ts';

export interface Positions {
  /** The index that `$` stands for in the array at a path. */
  readonly matched: (arrayPath: string) => number | undefined;
  readonly arrayFilters: ReadonlyMap<string, ElementFilter>;
}

/** The paths that a positional path stands for in the document; none if no element is meant. Throws CommandError BadValue. */
export function concretePaths(path: UpdatePath, root: MutableNode, positions: Positions): ConcretePath[] {
  let found: { readonly names: string[]; readonly node: MutableNode | undefined }[] = [{ names: [], node: root }];
  for (const segment of path.segments) {
    found = found.flatMap(({ names, node }) => {
      if (segment.kind === 'name') return [{ names: [...names, segment.name], node: node?.child(segment.name) }];
      if (segment.kind === 'matched') {
        const index = positions.matched(names.join('.'));
        if (index === undefined) {
          throw badValue('The positional operator did not find the match needed from the query.');
        }
        return [{ names: [...names, String(index)], node: node?.child(String(index)) }];
      }
      const wanted = segment.kind === 'all' ? () => true : filterFor(segment.identifier, path, positions);
      return elements(names, node)
        .map((child, index) => ({ names: [...names, String(index)], node: child }))
        .filter(({ node: child }) => wanted(child.value()));
    });
  }
  return found.map(({ names }) => names);
}

function filterFor(identifier: string, path: UpdatePath, { arrayFilters }: Positions): ElementFilter {
  const filter = arrayFilters.get(identifier);
  if (filter !== undefined) return filter;
  throw badValue(`No array filter found for identifier '${identifier}' in path '${path.text}'`);
}

function elements(names: ConcretePath, node: MutableNode | undefined): MutableNode[] {
  if (node === undefined) {
    const path = names.join('.');
    throw new CommandError(
      'BadValue',
      `The path '${path}' must exist in the document in order to apply array updates.`,
    );
  }
  if (node.type !== BsonType.array) {
    const field = formatField(names.at(-1)!, node.value());
    throw new CommandError('BadValue', `Cannot apply array updates to non-array element ${field}`);
  }
  return node.children().map((child) => child.node);
}
