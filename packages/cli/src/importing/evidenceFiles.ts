import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { type Evidence, EvidenceReader, IncidentError } from '@replsim/incident';
import { InvalidScenario } from '@replsim/scenario';
import { isPassedOver, unreadable } from '../files.ts';
import { InputError } from '../io.ts';

/** A line of a log may be long; what is longer is none. Unit: characters. */
const MAX_LINE = 16 * 1024 * 1024;

/** The files that paths name; of folders, all in them. `-` is what is piped in. @throws InputError */
export function evidencePaths(paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => (path === '-' ? [path] : expand(path)));
  return [...new Set(found)];
}

function expand(path: string): readonly string[] {
  if (!existsSync(path)) throw new InputError(`${path || '""'}: no such file or folder`);
  if (!statSync(path).isDirectory()) return [path];
  let names: readonly string[];
  try {
    names = readdirSync(path);
  } catch (error) {
    throw new InputError(`${path}: this folder cannot be read: ${unreadable(error as NodeJS.ErrnoException)}`);
  }
  const inside = names.filter((name) => !isPassedOver(name)).sort();
  if (inside.length === 0)
    throw new InputError(`${path}: this folder is empty; name one with logs, or with what rs.conf() prints`);
  return inside.flatMap((name) => expand(join(path, name)));
}

/** Reads a file a piece at a time, unpacked if it is packed. @throws InputError that names the file and the line */
export async function readEvidence(path: string): Promise<Evidence> {
  const name = path === '-' ? 'stdin' : path;
  const reader = new EvidenceReader(name.replace(/\.gz$/, ''));
  try {
    for await (const line of linesIn(path, name)) reader.line(line);
    return reader.end();
  } catch (error) {
    if (error instanceof IncidentError || error instanceof InvalidScenario) throw new InputError(error.message);
    throw error;
  }
}

async function* linesIn(path: string, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let number = 0;
  try {
    for await (const chunk of bytesOf(path)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      number += lines.length;
      if (rest.length > MAX_LINE)
        throw new InputError(`${name}:${number + 1}: this line is longer than any of a log or a config`);
      yield* lines;
    }
  } catch (error) {
    if (error instanceof InputError || error instanceof IncidentError || error instanceof InvalidScenario) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith('Z_'))
      throw new InputError(`${name}:${number + 1}: this is not a complete gzip file; unpack it, or copy it again`);
    throw new InputError(`${name}: this file cannot be read: ${unreadable(error as NodeJS.ErrnoException)}`);
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

function bytesOf(path: string): AsyncIterable<Uint8Array> {
  const file = path === '-' ? process.stdin : createReadStream(path);
  if (!path.endsWith('.gz')) return file;
  const unpacked = createGunzip();
  file.on('error', (error: Error) => unpacked.destroy(error));
  return file.pipe(unpacked);
}
