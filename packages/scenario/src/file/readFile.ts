import { isMap } from 'yaml';
import { documentsFile, type ForeignFile, otherFile, shellFile, writtenFile } from './foreignFile.ts';
import { InvalidScenario, ScenarioError } from './scenarioError.ts';
import { type FileKind, Source, Unreadable } from './source.ts';

/**
 * Reads a YAML file by `read`, which leaves what it finds wrong in the source.
 * @param file the name that messages show
 * @throws InvalidScenario with all mistakes of the file
 */
export function readFile<Result>(text: string, file: string, kind: FileKind, read: (source: Source) => Result): Result {
  const written = writtenFile(text) ?? documentsFile(text);
  if (written !== undefined) throw new InvalidScenario([atTheBeginning(file, written)]);
  const mistakes: ScenarioError[] = [];
  let isRead = false;
  const result = attempt(() => {
    const source = new Source(text, file, mistakes, kind);
    isRead = true;
    const other = otherFile(source, kind.what);
    if (other !== undefined) {
      mistakes.push(atTheBeginning(file, other));
      return undefined;
    }
    if (isMap(source.root)) return read(source);
    source.mistakeAt(source.root, `a ${kind.what} is a map`, `begin with "name: …" and "${kind.needs}"`);
    return undefined;
  });
  if (result !== undefined && mistakes.length === 0) return result;
  const shell = isRead ? undefined : shellFile(text, kind.what);
  if (shell !== undefined) throw new InvalidScenario([atTheBeginning(file, shell)]);
  mistakes.sort((a, b) => a.line - b.line || a.column - b.column);
  throw new InvalidScenario(mistakes);
}

/** Which line it is does not matter: the whole file is another. */
function atTheBeginning(file: string, { message, suggestion }: ForeignFile): ScenarioError {
  return new ScenarioError(file, { line: 1, column: 1, length: 1, lineText: '' }, message, suggestion);
}

function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
