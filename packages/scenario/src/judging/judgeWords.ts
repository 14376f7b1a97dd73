import { didYouMean } from '@replsim/kernel';
import { FailPoints } from '@replsim/pipeline';
import { CommandError, FAIL_POINTS, IdSource, type MongodVersion } from '@replsim/protocol';
import { wordsOf } from '@replsim/replset';
import type { Path, Source } from '../file/source.ts';
import { type Acknowledging, holdersIn, judgeConcerns, modesIn } from './judgeConcerns.ts';
import { judgeEntryFilter, judgeLogFilter, judgeTook } from './judgeFilters.ts';
import { judgeKept, judgeParameters } from './judgeParameters.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What of a file this looks at. */
export interface JudgedFile {
  /** By their names, those of spares too. */
  readonly versions: ReadonlyMap<string, MongodVersion>;
  /** The whole file, plain. */
  readonly input: unknown;
  /** Its steps, plain, those that stand in steps too. */
  readonly steps: readonly Fields[];
}

/** Commands whose first value is the name of a collection. */
// biome-ignore format: a list
const OF_COLLECTIONS = new Set(['insert', 'update', 'delete', 'find', 'findAndModify', 'count', 'distinct', 'aggregate', 'create', 'drop',
  'createIndexes', 'dropIndexes', 'listIndexes', 'collMod', 'collStats', 'validate', 'convertToCapped']);

/** What a step says itself of being refused; then the wrong word is what it is about. */
const ABOUT_REFUSAL = /^(ok|code|codeName|errmsg|writeErrors|writeConcernError)\b/;

/**
 * Tells of words in commands that the members would refuse: parameters, fail points, write concern modes, read concern levels.
 * A step or check that expects an error, or looks at its answer later, may say what it likes.
 */
export class WordJudge {
  readonly #source: Source;
  readonly #versions: ReadonlyMap<string, MongodVersion>;
  /** As which members are started somewhere in the file: from then on they are other releases than the head says. */
  readonly #later: readonly MongodVersion[];
  readonly #acknowledging: Acknowledging;
  readonly #head: unknown;

  constructor(source: Source, { versions, input, steps }: JudgedFile) {
    this.#source = source;
    this.#versions = versions;
    this.#later = releasesStarted(steps);
    this.#head = input;
    this.#acknowledging = { modes: modesIn(input), holders: holdersIn(input, [...versions.keys()]) };
  }

  /** @param kind the step's only key, at `path` @param input what stands there, which the schema has found right */
  step(path: Path, kind: string, input: unknown): void {
    if (!isFields(input)) return;
    switch (kind) {
      case 'expect':
      case 'eventually':
      case 'always':
      case 'sometimes':
        return this.#check(path, input);
      case 'ask':
        if (isFields(input.answer) && isFields(input.answer.holds))
          this.#check([...path, 'answer', 'holds'], input.answer.holds);
        return;
      case 'start':
      case 'restart':
        return this.#start(path, input, input.member);
      case 'rolling':
        return this.#start([...path, 'restart'], input.restart, input.on ?? 'all');
      case 'send':
        return;
      case 'transaction':
      case 'startTransaction':
        if (isFields(input.options))
          judgeConcerns(this.#source, [...path, 'options'], input.options, this.#acknowledging);
        return;
      case 'workload':
        if (isFields(input.reads)) judgeConcerns(this.#source, [...path, 'reads'], input.reads, this.#acknowledging);
        return judgeConcerns(this.#source, path, input, this.#acknowledging);
    }
    judgeTook(this.#source, [...path, 'took'], input.took);
    if (kind === 'run') this.#namespace([...path, 'command'], input.command, input.db);
    if (expectsRefusal(input)) return;
    judgeConcerns(this.#source, path, input, this.#acknowledging);
    if (kind === 'run') this.#command([...path, 'command'], input.command, input.on);
    if (kind === 'failPoint') this.#failPoint([...path, 'name'], input.name);
    if (kind === 'setParameter') this.#parameters([...path, 'parameters'], input.parameters, input.on, 'runtime');
  }

  #check(path: Path, input: Fields): void {
    if (isFields(input.not)) this.#check([...path, 'not'], input.not);
    judgeLogFilter(this.#source, [...path, 'log'], input.log);
    judgeEntryFilter(this.#source, [...path, 'oplog'], input.oplog);
    if (Array.isArray(input.entries))
      for (const [index, entry] of input.entries.entries())
        judgeEntryFilter(this.#source, [...path, 'entries', index], entry);
    judgeConcerns(this.#source, path, input, this.#acknowledging);
    this.#namespace([...path, 'command'], input.command, input.db);
    if (!expectsRefusal(input)) this.#command([...path, 'command'], input.command, input.on);
  }

  #command(path: Path, command: unknown, on: unknown): void {
    if (!isFields(command)) return;
    judgeConcerns(this.#source, path, command, this.#acknowledging);
    const [name] = Object.keys(command);
    if (name === 'create' || name === 'createIndexes') this.#engineOptions(path, command);
    if (name === 'configureFailPoint') this.#failPoint([...path, name], command[name]);
    if (name !== 'setParameter') return;
    const { setParameter: _, ...parameters } = command;
    this.#parameters(path, parameters, on, 'runtime');
  }

  /** Options of the storage engine, of a collection and of its indexes. */
  #engineOptions(path: Path, { storageEngine, indexes }: Fields): void {
    if (storageEngine !== undefined)
      this.#source.warnAtKey(
        path,
        'storageEngine',
        '"storageEngine" has no effect here: the storage engine has no such options',
        'leave it out',
      );
    for (const [index, each] of Array.isArray(indexes) ? indexes.entries() : [])
      if (isFields(each)) this.#engineOptions([...path, 'indexes', index], { storageEngine: each.storageEngine });
  }

  /** A command that names a collection, and is sent to a database that was hardly meant. */
  #namespace(path: Path, command: unknown, db: unknown): void {
    if (!isFields(command)) return;
    const [name = ''] = Object.keys(command);
    const collection = command[name];
    if (!OF_COLLECTIONS.has(name) || typeof collection !== 'string' || collection.startsWith('$')) return;
    const $db = db ?? command.$db;
    if ($db === undefined)
      this.#source.warnAtPath([...path, name], `without "db" this is admin.${collection}`, 'for example db: app');
    else if (collection.startsWith(`${$db}.`))
      this.#source.warnAtPath(
        [...path, name],
        `in the database ${$db} this is ${$db}.${collection}`,
        `did you mean "${collection.slice(`${$db}.`.length)}"?`,
      );
  }

  /** What a process is started with is for the release as which it starts. */
  #start(path: Path, input: unknown, on: unknown): void {
    if (!isFields(input) || input.error === true) return;
    const at = [...path, 'parameters'];
    if (input.version === undefined) return this.#parameters(at, input.parameters, on, 'startup');
    const version = input.version as MongodVersion;
    judgeParameters(this.#source, at, input.parameters, [version], 'startup');
    const parameters = isFields(input.parameters) ? input.parameters : {};
    judgeKept(this.#source, [...path, 'version'], parametersOfHead(this.#head, on), { version, parameters });
  }

  #parameters(path: Path, parameters: unknown, on: unknown, moment: 'startup' | 'runtime'): void {
    const named = wordsOf((on ?? 'primary') as string | string[]);
    const known = named.map((name) => this.#versions.get(name));
    const first = known.every((version) => version !== undefined) ? known : [...this.#versions.values()];
    const versions = [...first, ...this.#later];
    judgeParameters(this.#source, path, parameters, [...new Set(versions)], moment);
  }

  #failPoint(path: Path, name: unknown): void {
    if (typeof name !== 'string' || name.startsWith('$') || isFailPoint(name)) return;
    this.#source.mistakeAtPath(
      path,
      `no fail point is called "${name}"`,
      didYouMean(name, FAIL_POINTS) ?? 'docs/faults.md lists them',
    );
  }
}

function releasesStarted(steps: readonly Fields[]): MongodVersion[] {
  return steps.flatMap(({ start, restart, rolling }) =>
    [start, restart, isFields(rolling) ? rolling.restart : undefined].flatMap((each) =>
      isFields(each) && each.version !== undefined ? [each.version as MongodVersion] : [],
    ),
  );
}

/** What the head gives to those meant; of a word that only the run understands, what it gives to all. */
function parametersOfHead(head: unknown, on: unknown): Fields {
  if (!isFields(head)) return {};
  const names = wordsOf(on as string | string[]);
  const { members } = isFields(head.replicaSet) ? head.replicaSet : {};
  const meant = (Array.isArray(members) ? members : []).filter(
    (member) => isFields(member) && (names.includes('all') || names.includes(member.name as string)),
  );
  return Object.assign({}, ...[head, ...meant].map(({ parameters }) => (isFields(parameters) ? parameters : {})));
}

function isFailPoint(name: string): boolean {
  try {
    new FailPoints(new IdSource([0, 0])).timesEntered(name);
    return true;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/** Whether a step or check is content with being refused, or looks at the answer later. */
export function expectsRefusal(input: Fields): boolean {
  if (input.error !== undefined || input.as !== undefined) return true;
  return isFields(input.matches) && Object.keys(input.matches).some((key) => ABOUT_REFUSAL.test(key));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
