import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { carryFiles, type DataFile, filesNamedIn, InvalidScenario } from '@replsim/scenario';
import { readText, type ScenarioFile, scenarioPaths, shown } from './files.ts';
import { InputError } from './io.ts';
import { unpackedFile } from './loading/unpackedFile.ts';

/** Most texts name no file of documents, and the reader of scenarios, which is large, is loaded for those alone that do. */
const NAMES_A_FILE = /\bfile["']?\s*:/;
/** More than a scenario can carry, packed or not. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The scenario files at these paths, with their texts. @throws InputError */
export function findScenarios(paths: readonly string[]): ScenarioFile[] {
  return scenarioPaths(paths).map((path) => ({ path, text: readScenario(path) }));
}

/** A scenario's text with the documents of the files that it names. @throws InputError if one of them cannot be read */
export function readScenario(path: string): string {
  const text = readText(path);
  try {
    return withDocuments(text, path);
  } catch (error) {
    if (error instanceof InvalidScenario) throw new InputError(error.message, { cause: error });
    throw error;
  }
}

/** The same for a text that has been read. @param path where it lies: files are named as seen from there @throws InvalidScenario */
export function withDocuments(text: string, path: string): string {
  if (!NAMES_A_FILE.test(text)) return text;
  // What comes from a pipe has no folder.
  const folder = statSync(path, { throwIfNoEntry: false })?.isFile() ? dirname(path) : '.';
  return carryFiles(text, shown(path), (name) => dataFile(resolve(folder, name)));
}

/** The files of documents that the scenario at a path names, wherever they lie; none if it cannot be read. */
export function filesBeside(path: string): readonly string[] {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
  return NAMES_A_FILE.test(text) ? filesNamedIn(text).map((name) => resolve(dirname(path), name)) : [];
}

/** A file of documents, unpacked. */
function dataFile(path: string): DataFile {
  try {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES)
      return { obstacle: `this file is too large: ${size} bytes; fill a served set: replsim serve --load FOLDER` };
    return { bytes: unpackedFile(path, MAX_BYTES) };
  } catch (error) {
    // The caller names the file.
    if (error instanceof InputError) return { obstacle: error.message.replace(`${shown(path)}: `, '') };
    throw error;
  }
}
