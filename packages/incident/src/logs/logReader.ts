import { IncidentError } from '../incidentError.ts';
import { fieldsOf, type LogLine, OLD_LOG_LINE, parseLogLine } from './logLine.ts';
import type { Fact, Life, MemberLog, Seen } from './memberLog.ts';
import { sayingOf } from './sayings.ts';

/** A process that says nothing for longer has nothing to say, or stands still. Unit: ms. */
const SILENCE_MS = 5000;
/** A process begins, or goes on writing to a log that is there. */
const STARTING = 4615611;
const RESTARTED = 20698;
const BUILD_INFO = 23403;
const OPTIONS = 21951;
const FOUND_SELF = 21393;
const SLOW_QUERY = 51803;
/** Two phases of a shutdown, hand-over and quiesce mode. Both lines say how much time is left. */
const STEPPING_DOWN = 4784900;
const QUIESCING = 4695102;
/** The first of these that a life says is where it began to end: a signal, the command, or what follows on them. */
const ENDINGS: ReadonlySet<number> = new Set([23377, STEPPING_DOWN, 4784901, QUIESCING, 23138, 20565]);

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Reads the log of one member line by line, and keeps only what counts; the whole may be of any size. */
export class LogReader {
  readonly #file: string;
  readonly #facts: Fact[] = [];
  readonly #lives: Mutable<Life>[] = [];
  readonly #silences: [number, number][] = [];
  readonly #slow = new Map<string, { count: number; writeConcern: unknown; readonly seen: Seen }>();
  readonly #about: { host?: string; release?: string; setName?: string; oplogSizeMB?: number; isMongos?: boolean } = {};
  #firstMs: number | undefined;
  #lastMs = 0;
  #lines = 0;
  #lastId = 0;
  #unreadable: { count: number; first: Seen } | undefined;

  /** @param file the name that messages and comments show */
  constructor(file: string) {
    this.#file = file;
  }

  /** Takes the next line, without its end. @throws IncidentError for a log of another form */
  line(text: string): void {
    this.#lines += 1;
    if (text.trim() === '') return;
    const seen = { file: this.#file, line: this.#lines };
    const line = parseLogLine(text);
    if (line !== undefined) return this.#take(line, seen);
    if (OLD_LOG_LINE.test(text))
      throw new IncidentError(
        this.#file,
        this.#lines,
        'this is a log of a release before 4.4, in plain text; only structured logs (a document of JSON in each line) can be read',
      );
    // The last may be cut off, and programs beside a mongod may write to its output.
    this.#unreadable ??= { count: 0, first: seen };
    this.#unreadable.count += 1;
  }

  /** @throws IncidentError if none of the lines was one of a structured log */
  end(): MemberLog {
    const firstMs = this.#firstMs;
    if (firstMs === undefined)
      throw new IncidentError(this.#file, 1, 'no line of this is one of a structured log of a mongod');
    const { host, release, setName, oplogSizeMB, isMongos = false } = this.#about;
    return {
      file: this.#file,
      host,
      release,
      setName,
      oplogSizeMB,
      isMongos,
      lives: this.#lives,
      facts: this.#facts,
      firstMs,
      lastMs: this.#lastMs,
      silences: this.#silences,
      slow: this.#slow,
      lines: this.#lines,
      unreadable: this.#unreadable,
    };
  }

  #take(line: LogLine, seen: Seen): void {
    const { atMs, id, attr } = line;
    if (this.#firstMs !== undefined && atMs - this.#lastMs > SILENCE_MS) this.#silences.push([this.#lastMs, atMs]);
    this.#firstMs ??= atMs;
    this.#lastMs = Math.max(this.#lastMs, atMs);
    this.#live(line, seen);
    this.#lastId = id;
    if (id === FOUND_SELF && typeof attr.hostAndPort === 'string') this.#about.host = attr.hostAndPort;
    if (id === BUILD_INFO) {
      const { version } = fieldsOf(attr.buildInfo);
      if (typeof version === 'string') this.#about.release = version;
    }
    if (id === OPTIONS) this.#options(fieldsOf(attr.options));
    if (id === SLOW_QUERY) this.#slowQuery(attr, seen);
    const saying = sayingOf(line);
    if (saying !== undefined) this.#facts.push({ ...saying, atMs, seen });
  }

  #live({ atMs, id, attr }: LogLine, seen: Seen): void {
    const current = this.#lives.at(-1);
    // A process that goes on with a log says so first, and then that it begins.
    const begins = id === RESTARTED || (id === STARTING && this.#lastId !== RESTARTED);
    if (current === undefined || begins) {
      const started = begins || id === STARTING ? { atMs, seen } : undefined;
      this.#lives.push({ started, lastMs: atMs, last: seen, shutdown: undefined, isStandalone: false });
      return;
    }
    current.lastMs = Math.max(current.lastMs, atMs);
    current.last = seen;
    if (ENDINGS.has(id)) current.shutdown ??= { atMs, seen, timeoutMs: 0 };
    const left = Number(id === STEPPING_DOWN ? attr.waitTimeMillis : id === QUIESCING && attr.quiesceTimeMillis);
    if (current.shutdown?.timeoutMs === 0 && left > 0) current.shutdown = { ...current.shutdown, timeoutMs: left };
  }

  #options({ replication, sharding }: Readonly<Record<string, unknown>>): void {
    // A mongod of a shard has a role there.
    if (fieldsOf(sharding).configDB !== undefined) this.#about.isMongos = true;
    const { replSet, replSetName, oplogSizeMB } = fieldsOf(replication);
    const name = replSet ?? replSetName;
    const life = this.#lives.at(-1);
    if (typeof name === 'string') this.#about.setName = name;
    else if (life !== undefined) life.isStandalone = true;
    if (typeof oplogSizeMB === 'number') this.#about.oplogSizeMB = oplogSizeMB;
  }

  #slowQuery({ ns, command, type }: LogLine['attr'], seen: Seen): void {
    if (typeof ns !== 'string' || /^(admin|local|config)\b/.test(ns)) return;
    const fields = fieldsOf(command);
    const name = ['insert', 'update', 'delete', 'find', 'aggregate', 'findAndModify'].find((key) => key in fields);
    const what = name ?? (typeof type === 'string' ? type : undefined);
    // Each of a batch is logged as an update or remove of its own, besides the command.
    if (what === undefined || (what !== name && type !== 'command')) return;
    const key = `${what} ${ns.replace(/\.\$cmd$/, `.${String(fields[what])}`)}`;
    const known = this.#slow.get(key);
    if (known === undefined) this.#slow.set(key, { count: 1, writeConcern: fields.writeConcern, seen });
    else known.count += 1;
  }
}

/** A whole log. @throws IncidentError */
export function readLogs(lines: Iterable<string>, file: string): MemberLog {
  const reader = new LogReader(file);
  for (const line of lines) reader.line(line);
  return reader.end();
}
