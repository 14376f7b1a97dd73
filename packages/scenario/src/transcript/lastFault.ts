import { durationText, HOUR_MICROS } from '@replsim/kernel';
import type { TraceEvent } from '@replsim/protocol';

/** Longer after a fault nobody thinks of it any more. */
const REMEMBERED_MICROS = 120_000_000;

/** Why a primary steps down that a client asks to. */
const STEP_DOWN_REQUESTED = 'it was asked to';

/** What befell the set last, in the words that complete "3 s after …". */
interface Fault {
  readonly atMicros: number;
  readonly says: (members: readonly string[]) => string;
  readonly members: readonly string[];
  readonly kind: string;
}

/** How long ago the last fault was, for what a reader may hold against it: `10.06 s after n1 was killed`. */
export class LastFault {
  #fault: Fault | undefined;
  readonly #told = new Set<string>();
  #toldMicros = -1;

  /** Faults at the same instant and of the same kind are one. */
  observe(event: TraceEvent): void {
    const fault = faultOf(event);
    if (!fault) return;
    const before = this.#fault;
    const goesOn = before && before.kind === fault.kind && before.atMicros === fault.atMicros;
    this.#fault = goesOn ? { ...fault, members: [...new Set([...before.members, ...fault.members])] } : fault;
    this.#told.clear();
    this.#toldMicros = -1;
  }

  /**
   * What stands behind a line, in brackets.
   * @param what of a kind that is told once after each fault; undefined: always
   * @param sinceMicros when that began which is over now
   */
  after(atMicros: number, what: string | undefined, sinceMicros = atMicros): string {
    const took = spanText(atMicros - sinceMicros);
    const ago = this.#ago(atMicros, what);
    // It began with the fault: once is enough.
    const saysBoth = ago?.startsWith(`${took} `) ?? false;
    const parts = [saysBoth ? undefined : took && `after ${took}`, ago].filter((part) => part !== undefined);
    return parts.length > 0 ? ` (${parts.join(', ')})` : '';
  }

  #ago(atMicros: number, what: string | undefined): string | undefined {
    const fault = this.#fault;
    if (!fault || atMicros - fault.atMicros > REMEMBERED_MICROS) return undefined;
    const span = spanText(atMicros - fault.atMicros);
    // Several things often happen at once, and a step or check is over because of them.
    const isSaid = what === undefined ? this.#toldMicros === atMicros : this.#told.has(what);
    if (span === undefined || isSaid) return undefined;
    if (what !== undefined) this.#told.add(what);
    this.#toldMicros = atMicros;
    return `${span} after ${fault.says(fault.members)}`;
  }
}

/** As people say it; undefined for less than a millisecond. */
function spanText(micros: number): string | undefined {
  if (micros < 1000) return undefined;
  if (micros >= HOUR_MICROS) return durationText(Math.round(micros / 10_000) * 10_000);
  return micros < 999_500 ? `${Math.round(micros / 1000)} ms` : `${Number((micros / 1e6).toFixed(2))} s`;
}

const list = (members: readonly string[]) => members.join(', ');
const many = (members: readonly string[], one: string, several: string) =>
  `${list(members)} ${members.length > 1 ? several : one}`;

/** What is made with the set, at time zero, is no fault. */
function faultOf(event: TraceEvent): Fault | undefined {
  const { atMicros, type } = event;
  if (atMicros === 0) return undefined;
  const fault = (says: Fault['says'], members: readonly string[] = [], kind: string = type) => ({
    atMicros,
    kind,
    members,
    says,
  });
  switch (event.type) {
    case 'processStopped': {
      const { how } = event;
      const says = {
        killed: (members: readonly string[]) => many(members, 'was killed', 'were killed'),
        shutdown: (members: readonly string[]) => `${list(members)} shut down`,
        fatal: (members: readonly string[]) => `${list(members)} died`,
      };
      return fault(says[how], [event.member], how);
    }
    case 'steppedDown':
      // Of its own accord it does so because of something else.
      return event.reason === STEP_DOWN_REQUESTED
        ? fault((members) => `${list(members)} stepped down`, [event.member])
        : undefined;
    case 'processStarted':
      return fault((members) => `${list(members)} started`, [event.member]);
    case 'processPaused':
      return fault((members) => many(members, 'was paused', 'were paused'), [event.member]);
    case 'processResumed':
      return fault((members) => `${list(members)} resumed`, [event.member]);
    case 'partitioned':
      return fault(() => 'the network split');
    case 'cut':
      return fault(() => 'the cut');
    case 'healed':
      return fault(() => 'the network was healed');
    case 'linkChanged':
      return fault(() => 'the change of the network');
    case 'clockChanged':
      return fault((members) => `the change of ${list(members)}’s clock`, [event.member]);
    case 'diskChanged':
      return fault((members) => `the change of ${list(members)}’s disk`, [event.member]);
    case 'processorChanged':
      return fault((members) => `the change of ${list(members)}’s processor`, [event.member]);
    case 'clientsChanged':
      return fault((members) => `the change of ${list(members)}’s clients`, [event.member]);
    case 'oplogTruncated':
      return event.asked && fault((members) => `the oplog of ${list(members)} was cut`, [event.member]);
    case 'partHeld':
      return fault((members) => `${event.part} was held on ${list(members)}`, [event.member], `${type} ${event.part}`);
    case 'partReleased':
      return fault((members) => `${event.part} resumed on ${list(members)}`, [event.member], `${type} ${event.part}`);
    default:
      return undefined;
  }
}
