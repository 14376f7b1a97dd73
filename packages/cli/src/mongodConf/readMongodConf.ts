import { didYouMeanOneOf } from '@replsim/kernel';
import { type Around, type Fate, type FromConf, fateOfSetting, SETTINGS, whyIdle } from '@replsim/scenario';
import { isMap, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { InputError } from '../io.ts';

/** What a file asks for, and what of it has no effect here. */
export interface MongodConf {
  readonly conf: FromConf;
  /** `PATH: why`, in the order of the file. */
  readonly unused: readonly string[];
}

/** The first words of the paths. */
const SECTIONS = new Set([...Object.keys(SETTINGS).map((path) => path.split('.')[0] ?? path), 'setParameter']);
/** `port = 27017`: how files were written before 2.6. */
const INI_LINE = /^[a-zA-Z]\w*\s*=\s*\S/;

/** Whether a text is a mongod's config file rather than a scenario. */
export function isMongodConf(text: string): boolean {
  const keys = [...text.matchAll(/^["']?(\w+)["']?\s*:/gm)].map(([, key]) => key ?? '');
  if (keys.length > 0) return keys.some((key) => SECTIONS.has(key)) && !keys.includes('steps');
  return iniLine(text) !== undefined;
}

/**
 * Reads a `mongod.conf`: what has a meaning here is obeyed.
 * @param path as messages name it
 * @throws InputError for what cannot be read, what a mongod does not know, and what would change behaviour and is not there
 */
export function readMongodConf(text: string, path: string, around: Around): MongodConf {
  const ini = iniLine(text);
  if (ini !== undefined)
    throw new InputError(
      `${path}:${ini}: this is a config file of the old form (name = value), which is not supported; write it in YAML, for example "net: { port: 27017 }"`,
    );
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined)
    throw new InputError(`${path}:${lines.linePos(error.pos[0]).line}: this cannot be read as YAML: ${error.message}`);
  const reader = new Reader(path, lines, around);
  if (isMap(document.contents)) reader.section(document.contents, []);
  if (reader.mistakes.length > 0) throw new InputError(reader.mistakes.join('\n'));
  return { conf: reader.conf, unused: reader.unused };
}

/** The line of the first setting in the old form, if the file is in that form. */
function iniLine(text: string): number | undefined {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
  return first !== -1 && INI_LINE.test(lines[first] ?? '') ? first + 1 : undefined;
}

class Reader {
  readonly conf: FromConf = { parameters: {} };
  readonly unused: string[] = [];
  readonly mistakes: string[] = [];
  readonly #path: string;
  readonly #lines: LineCounter;
  readonly #around: Around;

  constructor(path: string, lines: LineCounter, around: Around) {
    this.#path = path;
    this.#lines = lines;
    this.#around = around;
  }

  section(map: YAMLMap, above: readonly string[]): void {
    for (const pair of map.items) {
      const words = [...above, ...String(isScalar(pair.key) ? pair.key.value : pair.key).split('.')];
      if (words[0] === 'setParameter' && words.length === 1) this.#parameters(pair);
      else if (isMap(pair.value)) this.section(pair.value, words);
      // A section without anything in it, as in the file that comes with the packages.
      else if (words.length > 1 || !isEmpty(pair) || !SECTIONS.has(words[0] ?? ''))
        this.#setting(pair, words.join('.'));
    }
  }

  #parameters({ key, value }: Pair): void {
    if (isMap(value)) for (const each of value.items) this.#parameter(String(each.key), each);
    else if (!(isScalar(value) && value.value === null)) this.#mistake(key, 'setParameter', 'must be a map of names');
  }

  #parameter(name: string, { key, value }: Pair): void {
    const idle = whyIdle(name, plainOf(value));
    if (idle === undefined) this.conf.parameters[name] = plainOf(value);
    else if (idle.refused) this.#mistake(key, `setParameter.${name}`, idle.why);
    else this.unused.push(`setParameter.${name}: ${idle.why}`);
  }

  #setting(pair: Pair, path: string): void {
    const fate = fateOf(path);
    if (fate === undefined) {
      const meant = didYouMeanOneOf(path, namesNear(path));
      return this.#mistake(pair.key, path, `mongod has no such setting${meant === undefined ? '' : `; ${meant}`}`);
    }
    const value = plainOf(pair.value);
    const wrong = isExpansion(path) ? EXPANSION : (fate.obey?.(this.conf, value) ?? fate.refuse?.(value, this.#around));
    if (wrong !== undefined) this.#mistake(pair.key, path, wrong);
    else if (fate.unused !== undefined) this.unused.push(`${path}: ${fate.unused}`);
  }

  #mistake(key: unknown, path: string, message: string): void {
    const at = (key as { range?: readonly number[] } | null)?.range?.[0] ?? 0;
    this.mistakes.push(`${this.#path}:${this.#lines.linePos(at).line}: ${path}: ${message}`);
  }
}

/** mongod would run a program, or ask a server, for the value. */
const EXPANSION = 'values from a program or a server (__exec, __rest) are not supported; write the value itself';
const isExpansion = (path: string) => /\.__(exec|rest)\b/.test(path);

function fateOf(path: string): Fate | undefined {
  return isExpansion(path) ? {} : fateOfSetting(path);
}

/** Full paths that end in the same word come first: `replset.oplogSizeMB` means `replication.oplogSizeMB`. */
function namesNear(path: string): readonly string[] {
  const last = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const all = Object.keys(SETTINGS).filter((name) => !name.endsWith('.*'));
  const same = all.filter((name) => name.toLowerCase().endsWith(`.${last}`));
  return same.length > 0 ? same : all;
}

function isEmpty({ value }: Pair): boolean {
  return value === null || (isScalar(value) && value.value === null);
}

function plainOf(node: unknown): unknown {
  return (node as { toJSON?: () => unknown } | null)?.toJSON?.() ?? null;
}
