import { isScalar, type Node } from 'yaml';
import { toBase64 } from '../file/extendedJson.ts';
import { InvalidScenario, type ScenarioError } from '../file/scenarioError.ts';
import { Source, Unreadable } from '../file/source.ts';
import { isListNode, isMapNode, keyOf } from '../file/yamlTree.ts';
import { DataFileError } from './dataFileError.ts';
import { documentsOf } from './documentsOf.ts';

/** A file's bytes, unpacked; or why it cannot be read, and what to do. */
export type DataFile = { readonly bytes: Uint8Array } | { readonly obstacle: string };

/** What a scenario can carry: its text holds the documents in Base64, and a text has bounds of its own. */
const MAX_CARRIED = 16 * 1024 * 1024;
const IN_QUOTES = ['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'];

/**
 * The text of a scenario with the documents of the files that its inserts name, at the same lines: `file: docs.jsonl` becomes
 * `file: { name: docs.jsonl, bson: "…" }`. So it can be played where no file can be read: by another process or machine, or in a page.
 * A text that is no YAML is given back as it is; whoever reads it reports why.
 * @param file the name that messages show @param read the files beside the scenario
 * @throws InvalidScenario for files that cannot be read
 */
export function carryFiles(text: string, file: string, read: (name: string) => DataFile): string {
  const mistakes: ScenarioError[] = [];
  const source = sourceOf(text, file, mistakes);
  if (source === undefined) return text;
  let carried = text;
  let size = 0;
  for (const { node, name } of [...namedIn(source, source.root)].reverse()) {
    const found = dataOf(name, read(name));
    if ('obstacle' in found) source.mistakeAt(node, `${name}: ${found.obstacle}`);
    else {
      size += found.bytes.length;
      if (size > MAX_CARRIED)
        source.mistakeAt(
          node,
          `${name}: a scenario takes 16 MiB of documents from files, and these are ${size} bytes`,
          'take fewer, or fill a served set: replsim serve --load FOLDER',
        );
      const [start, end] = node.range!;
      const written = `{ name: ${JSON.stringify(name)}, bson: "${toBase64(found.bytes)}" }`;
      carried = carried.slice(0, start) + written + carried.slice(end);
    }
  }
  if (mistakes.length > 0) throw new InvalidScenario(mistakes.reverse());
  return carried;
}

/** The files that the inserts of a scenario name, as they are written; none of a text that is no YAML. */
export function filesNamedIn(text: string): readonly string[] {
  const source = sourceOf(text, '', []);
  return source === undefined ? [] : Array.from(namedIn(source, source.root), ({ name }) => name);
}

/** A value that `carryFiles` has written: the name of the file. */
export function carriedName(source: Source, node: Node): string | undefined {
  if (!isMapNode(node) || node.items.map(keyOf).join() !== 'name,bson') return undefined;
  const name = source.child(node, 'name');
  return name && isScalar(name) ? String(name.value) : undefined;
}

function sourceOf(text: string, file: string, mistakes: ScenarioError[]): Source | undefined {
  try {
    return new Source(text, file, mistakes, { what: 'scenario', needs: 'steps:' });
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** The files that inserts name, wherever they stand, in the order of the text. What an alias stands for is found where it stands. */
function* namedIn(source: Source, node: Node): Generator<{ readonly node: Node; readonly name: string }> {
  if (isListNode(node)) for (const item of node.items) yield* namedIn(source, item);
  if (!isMapNode(node)) return;
  for (const [key, value] of source.entries(node)) {
    if (value === null) continue;
    const named = key === 'insert' && isMapNode(value) ? source.child(value, 'file') : undefined;
    if (named?.range && isScalar(named) && typeof named.value === 'string' && IN_QUOTES.includes(named.type ?? ''))
      yield { node: named, name: named.value };
    yield* namedIn(source, value);
  }
}

/** The documents of a file one after the other, as in a dump. */
function dataOf(name: string, file: DataFile): DataFile {
  if ('obstacle' in file) return file;
  try {
    const documents = [...documentsOf(name, file.bytes)];
    if (documents.length === 0) return { obstacle: 'the file has no documents; remove the step, or fill the file' };
    const bytes = new Uint8Array(documents.reduce((total, { length }) => total + length, 0));
    let at = 0;
    for (const document of documents) {
      bytes.set(document, at);
      at += document.length;
    }
    return { bytes };
  } catch (error) {
    if (error instanceof DataFileError) return { obstacle: error.message };
    throw error;
  }
}
