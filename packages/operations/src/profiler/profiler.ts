import { shownName } from '@replsim/access';
import { excessRecords, type Reply } from '@replsim/pipeline';
import {
  databaseOf,
  decodePromoted,
  encodeDocument,
  type IdSource,
  type LogComponent,
  type LogLine,
  type Now,
  type VersionTraits,
} from '@replsim/protocol';
import { type StorageEngine, StoredDocument } from '@replsim/storage';
import { NO_ADDRESS } from '../connections/connections.ts';
import type { AskedConcerns } from '../operations/operationDebug.ts';
import type { EndedOperation } from './endedOperation.ts';
import { operationName } from './operationName.ts';
import { outcomeOf } from './outcome.ts';
import { ProfilerSettings } from './profilerSettings.ts';
import { shownCommand, statementOf, withoutStatements } from './shownCommand.ts';

/** Unit: bytes. Upstream: profile_collection.cpp, createProfileCollection. */
const PROFILE_COLLECTION_BYTES = 1024 * 1024;

/** Of a command in a document of the profiler. Upstream: op_debug.cpp, kMaxElementSize of OpDebug::append. */
const MOST_COMMAND_BYTES = 50 * 1024;

/** Of a statement in a log line. Upstream: maxLogSizeKB. */
const MOST_LOGGED_BYTES = 10 * 1024;

/** What the profiler needs of its member. */
export interface ProfilerHost {
  readonly engine: StorageEngine;
  readonly ids: IdSource;
  readonly now: Now;
  readonly traits: VersionTraits;
  verbosity(component: LogComponent): number;
  log(severity: LogLine['severity'], component: string, id: number, msg: string, attr: Reply, ctx: string): void;
  wake(): void;
}

/**
 * Logs operations of clients that are slow, and keeps them in `DB.system.profile` where that is asked for. Simplification: a
 * command is one operation, where upstream has one for each statement of an update or delete too; `execStats` and the figures of
 * locks and storage are left out. Upstream: service_entry_point and curop.cpp, CurOp::completeAndLogOperation.
 */
export class Profiler {
  readonly settings = new ProfilerSettings();
  readonly #host: ProfilerHost;
  readonly #shownConcerns: (concerns: AskedConcerns) => Reply;

  /** @param shownConcerns the `readConcern` and `writeConcern` of a command, with the defaults of the set */
  constructor(host: ProfilerHost, shownConcerns: (concerns: AskedConcerns) => Reply) {
    this.#host = host;
    this.#shownConcerns = shownConcerns;
  }

  /** A command has been answered. */
  ended(operation: EndedOperation): void {
    const db = databaseOf(operation.ns);
    const { level, filter } = this.settings.of(db);
    const isTalkative = this.#host.verbosity('COMMAND') >= 1;
    if (filter) {
      const document = this.#document(operation);
      const matches = filter.matches(encodeDocument(document));
      if (matches || isTalkative) this.#logSlow(operation);
      if (matches && level > 0) this.keep(db, document);
      return;
    }
    const isSlow = this.#isSlow(operation) && this.#isSampled();
    if (isSlow || isTalkative) this.#logSlow(operation);
    if (level === 2 || (level === 1 && isSlow)) this.keep(db, this.#document(operation));
  }

  /** The TTL monitor has deleted, in a release that keeps this as an operation like any other. */
  expired(ns: string, ndeleted: number, tookMicros: number): void {
    const db = databaseOf(ns);
    const { level } = this.settings.of(db);
    const isKept = level === 2 || (level === 1 && tookMicros >= this.settings.slowMs * 1000);
    if (!isKept) return;
    const ts = new Date(this.#host.now.wallMs);
    this.keep(db, {
      op: 'remove',
      ns,
      ndeleted,
      numYield: 0,
      millis: millis(tookMicros),
      ts,
      client: '',
      allUsers: [],
      user: '',
    });
  }

  /**
   * Makes `system.profile` before there is anything to put into it.
   * @param options a document of those of `create`; capped at one megabyte if absent
   */
  prepare(db: string, options = encodeDocument({ capped: true, size: PROFILE_COLLECTION_BYTES })): void {
    const ns = `${db}.system.profile`;
    const { engine, ids } = this.#host;
    if (engine.collection(ns)) return;
    engine.createCollection(ns, { uuid: ids.uuid(), options, withoutIdIndex: true });
  }

  /**
   * Puts a document into `system.profile`, whatever the member's state: no other member hears of it. Simplification: it is
   * not journalled, so that a crash loses what came after the last checkpoint.
   */
  keep(db: string, document: Reply): void {
    this.prepare(db);
    const { engine } = this.#host;
    const ns = `${db}.system.profile`;
    engine.insert(ns, new StoredDocument(encodeDocument(document)));
    for (const recordId of excessRecords(engine.collection(ns)!)) engine.delete(ns, recordId);
    this.#host.wake();
  }

  /** Whether what took so long is for the log if it is not a client's. Upstream: log_with_sampling.h, shouldLogSlowOpWithSampling. */
  isLogged(tookMicros: number): boolean {
    return tookMicros >= this.settings.slowMs * 1000 && this.#isSampled();
  }

  /** From 8.0 on waiting for others makes nobody slow. */
  #isSlow(operation: EndedOperation): boolean {
    const micros = this.#host.traits.slowByWorkingMillis ? workingMicros(operation) : durationMicros(operation);
    return micros >= this.settings.slowMs * 1000;
  }

  /** Nothing is drawn while all of them are wanted. */
  #isSampled(): boolean {
    const { sampleRate } = this.settings;
    return sampleRate >= 1 || this.#host.ids.below(2 ** 32) < sampleRate * 2 ** 32;
  }

  #logSlow(operation: EndedOperation): void {
    const { traits } = this.#host;
    const statement = statementOf(operation);
    const { readsOn } = operation.debug;
    const attr = {
      type: statement ? operationName(operation.name) : 'command',
      ns: operation.ns,
      ...appNameOf(operation),
      command: statement ? loggedStatement(statement) : decodePromoted(withoutStatements(operation)),
      ...(readsOn && { originatingCommand: decodePromoted(readsOn.originatingCommand) }),
      ...figures(operation, traits, 'numYields'),
      ...(!statement && { reslen: operation.reply.length }),
      ...this.#concernsOf(operation, statement !== undefined),
      remote: operation.connection?.remote ?? NO_ADDRESS,
      ...(!statement && { protocol: 'op_msg' }),
      ...(traits.slowByWorkingMillis && { workingMillis: millis(workingMicros(operation)) }),
      durationMillis: millis(durationMicros(operation)),
    };
    const component = statement ? 'WRITE' : 'COMMAND';
    this.#host.log('I', component, 51803, 'Slow query', attr, operation.connection?.desc ?? 'conn');
  }

  /** A statement reads, and its command waits for the write concern. */
  #concernsOf({ debug: { concerns } }: EndedOperation, isStatement: boolean): Reply {
    if (!concerns) return {};
    return this.#shownConcerns(isStatement ? { read: concerns.read } : concerns);
  }

  /** Upstream: op_debug.cpp, OpDebug::append; curop.cpp, profile. */
  #document(operation: EndedOperation): Reply {
    const { traits, now } = this.#host;
    const statement = statementOf(operation);
    const { readsOn } = operation.debug;
    return {
      op: operationName(operation.name),
      ns: operation.ns,
      command: shownCommand(statement ?? withoutStatements(operation), MOST_COMMAND_BYTES),
      ...(readsOn && { originatingCommand: shownCommand(readsOn.originatingCommand, MOST_COMMAND_BYTES) }),
      ...figures(operation, traits, 'numYield'),
      ...this.#concernsOf(operation, statement !== undefined),
      ...(!statement && { responseLength: operation.reply.length, protocol: 'op_msg' }),
      millis: millis(durationMicros(operation)),
      ...(traits.slowByWorkingMillis && { workingMillis: millis(workingMicros(operation)) }),
      ...planSummaryOf(operation, traits),
      ts: new Date(now.wallMs),
      client: addressOf(operation),
      ...appNameOf(operation),
      ...usersOf(operation),
    };
  }
}

function loggedStatement(statement: Uint8Array): Reply {
  return decodePromoted(encodeDocument({ command: shownCommand(statement, MOST_LOGGED_BYTES) })).command as Reply;
}

/** Who is logged in. Upstream: curop.cpp, OpDebug::appendUserInfo. */
function usersOf({ connection }: EndedOperation): Reply {
  const user = connection?.user;
  return { allUsers: user ? [{ ...user }] : [], user: user ? shownName(user) : '' };
}

function figures(operation: EndedOperation, traits: VersionTraits, yields: 'numYield' | 'numYields'): Reply {
  const { debug, name, reply } = operation;
  const { cursorid, cursorExhausted, nreturned, ...outcome } = outcomeOf(name, reply);
  return {
    ...(yields === 'numYields' && planSummaryOf(operation, traits)),
    ...(cursorid !== undefined && { cursorid }),
    ...(debug.hasLooked && { keysExamined: debug.keysExamined, docsExamined: debug.docsExamined }),
    ...(debug.hasSortStage && { hasSortStage: true }),
    ...(cursorExhausted !== undefined && { cursorExhausted }),
    ...debug.wrote,
    ...outcome,
    ...upsertedNone({ ...debug.wrote, ...outcome }, traits),
    [yields]: debug.numYields,
    ...(nreturned !== undefined && { nreturned }),
  };
}

/** From 5.0 on an update that has put nothing in says so. */
function upsertedNone({ nMatched, nUpserted }: Reply, { maxWireVersion }: VersionTraits): Reply {
  return nMatched !== undefined && nUpserted === undefined && maxWireVersion >= 13 ? { nUpserted: 0 } : {};
}

function planSummaryOf({ debug }: EndedOperation, traits: VersionTraits): Reply {
  const planSummary = debug.planSummary(traits);
  return planSummary === undefined ? {} : { planSummary };
}

/** Without the port, as `client` is shown in a profile. */
function addressOf({ connection }: EndedOperation): string {
  return connection ? connection.remote.replace(/:\d+$/, '') : NO_ADDRESS;
}

function appNameOf({ connection }: EndedOperation): Reply {
  const appName = connection?.metadata?.appName;
  return appName === undefined ? {} : { appName };
}

/** Waiting for data that are to come is no work, and no time that the client did not ask for. Upstream: CurOp::pauseTimer. */
function durationMicros({ tookMicros, debug }: EndedOperation): number {
  return tookMicros - debug.pausedMicros;
}

function workingMicros({ tookMicros, debug }: EndedOperation): number {
  return tookMicros - debug.pausedMicros - debug.waitedMicros;
}

function millis(micros: number): number {
  return Math.floor(micros / 1000);
}
