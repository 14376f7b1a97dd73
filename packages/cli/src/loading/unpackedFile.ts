import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { shown, unreadable } from '../files.ts';
import { InputError } from '../io.ts';

/** A file's bytes, unpacked if they are packed by gzip. @throws InputError with what is wrong and what to do */
export function unpackedFile(path: string, maxOutputLength?: number): Uint8Array {
  try {
    const bytes = readFileSync(path);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return isPacked ? gunzipSync(bytes, maxOutputLength === undefined ? {} : { maxOutputLength }) : bytes;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const why =
      code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE'
        ? `it cannot be unpacked: ${message}; pack it again with gzip, or not at all`
        : `it cannot be read: ${unreadable(error as NodeJS.ErrnoException)}`;
    throw new InputError(`${shown(path)}: ${why}`, { cause: error });
  }
}
