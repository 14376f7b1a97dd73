import { isScalar, type Node, type Scalar } from 'yaml';
import { carriedName } from '../dataFile/carryFiles.ts';
import { shorten } from '../file/show.ts';
import type { Source } from '../file/source.ts';
import { isListNode, isMapNode } from '../file/yamlTree.ts';

const STEP_WIDTH = 150;

/** A step or check as it stands in the file, on one line: `kill: n1`, `insert: {into: app.a, documents: [{_id: 1}]}`. */
export function flowText(source: Source, node: Node | undefined): string {
  if (node === undefined) return '';
  const target = source.follow(node);
  if (!isMapNode(target)) return shorten(flow(source, target), STEP_WIDTH);
  return shorten(
    source
      .entries(target)
      .map(([key, value]) => `${key}: ${flow(source, value)}`)
      .join(', '),
    STEP_WIDTH,
  );
}

function flow(source: Source, node: Node | null): string {
  if (node === null) return '';
  const target = source.follow(node);
  if (isScalar(target)) return scalar(target);
  if (isListNode(target)) return `[${target.items.map((item) => flow(source, item)).join(', ')}]`;
  if (!isMapNode(target)) return '';
  const carried = carriedName(source, target);
  if (carried !== undefined) return carried;
  return `{${source
    .entries(target)
    .map(([key, value]) => `${key}: ${flow(source, value)}`)
    .join(', ')}}`;
}

function scalar({ type, source, value }: Scalar): string {
  const text = String(source ?? value)
    .replace(/\s+/g, ' ')
    .trim();
  return type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE' ? JSON.stringify(text) : text;
}
