import type { TraceEvent } from '@replsim/protocol';
import { type Tally, TraceTally } from './tally.ts';

type EventOf<Type> = Extract<TraceEvent, { type: Type }>;

/** What a command that failed has met. */
const MET: ReadonlyMap<number, string> = new Map([
  [24, 'command met a lock timeout'],
  [112, 'command met a write conflict'],
  [239, 'snapshot too old'],
  [246, 'snapshot unavailable'],
  [251, 'transaction: gone'],
]);
/** Of a command that was carried out there is nothing else to see in a trace, or not what it was. */
const COUNTED: ReadonlySet<string> = new Set([
  'findAndModify',
  'bulkWrite',
  'drop',
  'dropDatabase',
  'renameCollection',
  'convertToCapped',
  'collMod',
  'commitTransaction',
  'abortTransaction',
  'replSetMaintenance',
  'replSetSyncFrom',
  'replSetFreeze',
  'replSetAbortPrimaryCatchUp',
  'distinct',
  'aggregate',
]);
/** Beyond what members and heartbeats let pass without a word. */
const FAR_MS = 3000;

/** Reads the trace of one run of a drawn scenario, and counts what came about in it. */
export class Reached {
  readonly #tally: Tally;
  readonly #members: TraceTally;
  readonly #voters = new Map<string, number>();
  /** Where each stream was last. */
  readonly #streams = new Map<string, string>();

  constructor(tally: Tally) {
    this.#tally = tally;
    this.#members = new TraceTally(tally);
  }

  observe(event: TraceEvent): void {
    this.#members.observe(event);
    for (const kind of this.#kindsOf(event)) this.#tally.add(kind);
  }

  #kindsOf(event: TraceEvent): readonly string[] {
    switch (event.type) {
      case 'step':
        return event.index < 0 && event.text === 'kill: all' ? ['power failure of all'] : [];
      case 'stepEnded':
        return event.index < 0 && event.outcome === 'failed' ? ['act or fault that could not be done'] : [];
      case 'streamOpened':
        return this.#ofStream(event);
      case 'streamShowed':
        this.#tally.add('stream event', event.events.length);
        return [];
      case 'streamEnded':
        return event.code === 0 ? [] : ['stream ended by an error'];
      case 'clientSent':
        return event.attempt > 1 ? [`${event.again ?? 'write or read'} sent again`] : [];
      case 'clientTold':
        return [`client of ${event.workload.replace(/\d+$/, '')}: ${event.outcome}`];
      case 'clientReturned':
        return event.outcome === 'ok' ? ['history: done'] : [`history: ${event.outcome}`];
      case 'snapshotRead':
        return ['snapshot read'];
      case 'commandEnded':
        return ofCommand(event);
      case 'clockChanged':
        return Math.abs(event.jumpMs ?? 0) > FAR_MS ? ['clock jumped far'] : [];
      case 'configInstalled':
        return this.#ofConfig(event);
      case 'partitioned':
        return ['partition'];
      default:
        return [];
    }
  }

  #ofStream({ stream, server, ns, resumed }: EventOf<'streamOpened'>): readonly string[] {
    const isElsewhere = resumed && this.#streams.get(stream) !== server;
    this.#streams.set(stream, server);
    if (!resumed)
      return [`stream opened on ${ns.includes(' ') ? ns : ns.includes('.') ? 'a collection' : 'a database'}`];
    return isElsewhere ? ['stream resumed', 'stream resumed on another member'] : ['stream resumed'];
  }

  /** One member tells enough: whoever installs a config with other voters than it had. */
  #ofConfig({ member, config }: EventOf<'configInstalled'>): readonly string[] {
    const now = config.members.filter(({ votes }) => votes > 0).length;
    const before = this.#voters.get(member);
    this.#voters.set(member, now);
    return before !== undefined && before !== now ? ['config with other voters'] : [];
  }
}

function ofCommand({ name, code, retriedStatements, writeConcernError }: EventOf<'commandEnded'>): readonly string[] {
  const met = MET.get(code);
  return [
    ...(met ? [met] : []),
    ...(code === 0 && COUNTED.has(name) ? [`command: ${name}`] : []),
    ...(retriedStatements ? ['write answered from the oplog'] : []),
    ...(writeConcernError ? ['write concern missed'] : []),
  ];
}
