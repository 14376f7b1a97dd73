import { CommandError, invariant } from './errors.ts';

/**
 * The parts of a mongod that write log lines: the name in the line, the name in parameters, the parent that lends its
 * verbosity. Parents come first. Upstream: logv2/log_component.h.
 */
const COMPONENTS = [
  ['-', 'default', undefined],
  ['ACCESS', 'accessControl', '-'],
  ['ASSERT', 'assert', '-'],
  ['COMMAND', 'command', '-'],
  ['CONTROL', 'control', '-'],
  ['EXECUTOR', 'executor', '-'],
  ['GEO', 'geo', '-'],
  ['GBL_IDX', 'globalIndex', '-'],
  ['INDEX', 'index', '-'],
  ['NETWORK', 'network', '-'],
  ['HEALTH', 'processHealth', '-'],
  ['QUERY', 'query', '-'],
  ['REPL', 'replication', '-'],
  ['ELECTION', 'election', 'REPL'],
  ['REPL_HB', 'heartbeats', 'REPL'],
  ['INITSYNC', 'initialSync', 'REPL'],
  ['ROLLBACK', 'rollback', 'REPL'],
  ['SHARDING', 'sharding', '-'],
  ['STORAGE', 'storage', '-'],
  ['RECOVERY', 'recovery', 'STORAGE'],
  ['JOURNAL', 'journal', 'STORAGE'],
  ['WT', 'wt', 'STORAGE'],
  ['WTCHKPT', 'wtCheckpoint', 'WT'],
  ['WTRECOV', 'wtRecovery', 'WT'],
  ['WTRTS', 'wtRTS', 'WT'],
  ['WRITE', 'write', '-'],
  ['FTDC', 'ftdc', '-'],
  ['ASIO', 'asio', 'NETWORK'],
  ['BRIDGE', 'bridge', 'NETWORK'],
  ['TXN', 'transaction', '-'],
  ['CONNPOOL', 'connectionPool', 'NETWORK'],
  ['TEST', 'test', '-'],
] as const satisfies readonly (readonly [logName: string, shortName: string, parent: string | undefined])[];

/** A component as the field `c` of a log line shows it. */
export type LogComponent = (typeof COMPONENTS)[number][0];

/** Levels as somebody set them; a component that is not in it takes its parent's. */
export type ComponentLevels = ReadonlyMap<LogComponent, number>;

/** Upstream: LogSeverity::kMaxDebugLevel. */
export const MAX_DEBUG_LEVEL = 5;

/**
 * How much each component of one process says: lines of debug level N are kept where the verbosity is N or more.
 * Upstream: logv2/log_component_settings.cpp.
 */
export class LogVerbosity {
  readonly #set = new Map<LogComponent, number>();
  /** The level of every component, inherited ones too: what log calls ask. */
  readonly #effective = new Map<LogComponent, number>();

  constructor() {
    this.change(new Map());
  }

  of(component: LogComponent): number {
    return this.#effective.get(component)!;
  }

  /** The levels in force, as parameters hand them on. */
  get levels(): ComponentLevels {
    return this.#set;
  }

  /** Takes levels over; a negative one makes the component follow its parent again, and the root quiet. */
  change(levels: ComponentLevels): void {
    for (const [component, level] of levels) {
      if (level < 0) this.#set.delete(component);
      else this.#set.set(component, Math.min(level, MAX_DEBUG_LEVEL));
    }
    for (const [component, , parent] of COMPONENTS) {
      const inherited = parent === undefined ? 0 : this.of(parent);
      this.#effective.set(component, this.#set.get(component) ?? inherited);
    }
  }

  /** `logComponentVerbosity` as `getParameter` shows it: -1 where the parent decides. */
  toDocument(): Record<string, unknown> {
    const root: Record<string, unknown> = { verbosity: this.of('-') };
    const documents = new Map<LogComponent, Record<string, unknown>>([['-', root]]);
    for (const [component, shortName, parent] of COMPONENTS) {
      if (parent === undefined) continue;
      const document = { verbosity: this.#set.get(component) ?? -1 };
      documents.set(component, document);
      const above = documents.get(parent);
      invariant(above, 'parents come first');
      above[shortName] = document;
    }
    return root;
  }
}

/**
 * Reads what `setParameter: { logComponentVerbosity }` takes: `{ verbosity: 1, replication: { verbosity: 2, election: 3 } }`.
 * Throws BadValue 2 for an unknown component or a level that is no number. Upstream: parse_log_component_settings.cpp.
 */
export function parseComponentLevels(value: unknown): ComponentLevels {
  const levels = new Map<LogComponent, number>();
  readLevels(documentOf(value), '-', levels);
  return levels;
}

function readLevels(
  document: Readonly<Record<string, unknown>>,
  parent: LogComponent,
  levels: Map<LogComponent, number>,
): void {
  for (const [name, value] of Object.entries(document)) {
    if (name === 'verbosity') {
      if (!isNumber(value)) throw badValue(`Expected ${shortNameOf(parent)}.verbosity to be a number`);
      levels.set(parent, Math.trunc(Number(value)));
      continue;
    }
    const component = COMPONENTS.find(([, shortName, of]) => shortName === name && of === parent)?.[0];
    if (!component) throw badValue(`Invalid component name ${shortNameOf(parent)}.${name}`);
    if (isNumber(value)) levels.set(component, Math.trunc(Number(value)));
    else if (isDocument(value)) readLevels(value, component, levels);
    else throw badValue(`Invalid type for component ${shortNameOf(parent)}.${name}`);
  }
}

/** A command line has it as JSON text. */
function documentOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isDocument(value)) return value;
  if (typeof value === 'string') {
    const parsed = parseJson(value);
    if (isDocument(parsed)) return parsed;
  }
  throw new CommandError('TypeMismatch', 'log component verbosity is not a BSON object');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isDocument(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('_bsontype' in value);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function shortNameOf(component: LogComponent): string {
  return COMPONENTS.find(([logName]) => logName === component)![1];
}

function badValue(errmsg: string): CommandError {
  return new CommandError('BadValue', errmsg);
}
