import { readSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024;

/**
 * A file's lines from its beginning on, of which a chunk at a time is held.
 * @param start null: of one that nothing was read from or written to, which may be a pipe; that has no places
 */
export function* linesOf(file: number, start: 0 | null = 0): Generator<string, undefined> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  for (let position: number | null = start; ; ) {
    const read = readSync(file, chunk, 0, CHUNK_BYTES, position);
    if (read === 0) break;
    if (position !== null) position += read;
    rest = Buffer.concat([rest, chunk.subarray(0, read)]);
    let from = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, from)) {
      yield rest.toString('utf8', from, end);
      from = end + 1;
    }
    rest = rest.subarray(from);
  }
  if (rest.length > 0) yield rest.toString('utf8');
  return undefined;
}
