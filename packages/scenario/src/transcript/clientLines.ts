import { durationText, formatInstant } from '@replsim/kernel';
import type { ClientTrace, WriteLosses } from '@replsim/protocol';
import { forcedText } from '@replsim/why';
import { shorten } from '../file/show.ts';

type EventOf<T extends ClientTrace['type']> = Extract<ClientTrace, { type: T }>;

/** Longer messages of a driver repeat what it knows of every server. */
const MESSAGE_WIDTH = 200;

/** Tells what the clients of workloads live through: not each answer, but where one is of another kind than the one before. */
export class ClientLines {
  readonly #last = new Map<string, string>();

  /** The event in words, or undefined for what a reader can do without. */
  tell(event: ClientTrace): string | undefined {
    const { workload } = event;
    switch (event.type) {
      case 'workloadStarted': {
        const { operation, ns, concern, near } = event;
        const where = near === undefined ? '' : `, near ${near}`;
        return `client ${workload} begins: ${operation} ${ns}${concern === undefined ? '' : ` with ${concern}`}${where}`;
      }
      case 'workloadStopped':
        return `client ${workload} stops`;
      case 'clientSent':
        return sentText(event);
      case 'clientTold': {
        const lines = [tornText(event), this.#told(event)].filter((line) => line !== undefined);
        return lines.length > 0 ? lines.join('\n') : undefined;
      }
      case 'clientCalled':
      case 'clientReturned':
        return undefined;
      case 'workloadEnded':
        return accountOf(event);
    }
  }

  #told({ workload, outcome, server, error }: EventOf<'clientTold'>): string | undefined {
    const news = error ? `${outcome} ${error.name} ${error.code ?? ''}` : 'answered';
    const before = this.#last.get(workload);
    this.#last.set(workload, news);
    if (news === before) return undefined;
    const who = server === undefined ? '' : `, from ${server}`;
    if (!error && outcome === 'unknown')
      return `client ${workload} gets no answer, because it asked for none (w: 0)${who}`;
    if (!error) return `client ${workload} ${before === undefined ? 'is answered' : 'is answered again'}${who}`;
    const doubt = outcome === 'unknown' ? ', and cannot know whether it was done' : '';
    return `client ${workload} gets ${error.name}: ${shorten(error.message, MESSAGE_WIDTH)}${who}${doubt}`;
  }
}

function sentText({ workload, attempt, server, again }: EventOf<'clientSent'>): string | undefined {
  if (attempt === 1) return undefined;
  if (again === 'commit') return `client ${workload} sends its commit again, to ${server}`;
  if (again === 'transaction') return `client ${workload} begins its transaction again, with ${server}`;
  return `client ${workload} sends it again, to ${server}`;
}

/** What can be of no single state. */
function tornText({ workload, torn = [], server }: EventOf<'clientTold'>): string | undefined {
  if (torn.length === 0) return undefined;
  const who = server === undefined ? '' : `, from ${server}`;
  return `client ${workload} reads a torn snapshot: its sum is ${torn.join(' and ')}${who}`;
}

/** One line of numbers, and one for each way in which acknowledged writes were lost. */
function accountOf({ workload, operation, counts, losses }: EventOf<'workloadEnded'>): string {
  const {
    sent = 0,
    acknowledged = 0,
    lost = 0,
    errors = 0,
    unknown = 0,
    reads = 0,
    dirtyReads = 0,
    staleReads = 0,
    aborted = 0,
    sums = 0,
    tornSums = 0,
    unservedMs = 0,
    longestUnservedMs = 0,
    withoutPrimaryMs = 0,
    longestWithoutPrimaryMs = 0,
  } = counts;
  const failed = `${errors} ${errors === 1 ? 'error' : 'errors'}`;
  const added = `${sums} ${sums === 1 ? 'sum' : 'sums'}, ${tornSums} of them torn`;
  const numbers = {
    insert: `${acknowledged} acknowledged, ${lost} of them lost, ${failed}, ${unknown} unknown`,
    update: `${acknowledged} acknowledged, ${lost} of them lost, ${failed}, ${unknown} unknown`,
    find: `${reads} answered, ${dirtyReads} of them dirty, ${staleReads} stale, ${failed}`,
    transfer: `${acknowledged} committed, ${lost} of them lost, ${aborted} aborted, ${failed}, ${unknown} in doubt; ${added}`,
    sum: `${reads} answered, ${added}, ${failed}`,
    append: `${acknowledged} committed, ${lost} of them lost, ${aborted} aborted, ${failed}, ${unknown} in doubt`,
  }[operation];
  const what = operation === 'find' || operation === 'sum' ? 'an answer' : 'an acknowledgement';
  const outages = [
    outageText(what, unservedMs, longestUnservedMs),
    outageText('a primary', withoutPrimaryMs, longestWithoutPrimaryMs),
  ].filter((text) => text !== undefined);
  return [
    `ledger of ${workload}: ${sent} ${operation === 'transfer' || operation === 'append' ? 'begun' : 'sent'}, ${numbers}`,
    ...(outages.length > 0 ? [`outages of ${workload}: ${outages.join('; ')}`] : []),
    ...losses.map(lossText),
  ].join('\n');
}

function outageText(what: string, totalMs: number, longestMs: number): string | undefined {
  if (totalMs === 0) return undefined;
  const longest = longestMs < totalMs ? `, the longest ${durationText(longestMs * 1000)}` : '';
  return `${durationText(totalMs * 1000)} without ${what}${longest}`;
}

function lossText(losses: WriteLosses): string {
  const { writes, server, fromMicros, toMicros, heldBy, term, primary, electedMicros, forced, keptBy } = losses;
  const when =
    writes === 1
      ? `at ${formatInstant(fromMicros)}`
      : `from ${formatInstant(fromMicros)} to ${formatInstant(toMicros)}`;
  const them = writes === 1 ? 'it' : 'them';
  const held = forced ? `, when ${heldText(heldBy)} had ${them}` : '';
  const how = forced ? `, ${forcedText(forced)}` : '';
  const election = `${primary}, elected in term ${term} at ${formatInstant(electedMicros)}, did not hold ${them}${how}`;
  return `lost: ${writes} acknowledged by ${server} ${when}${held}; ${election}; ${keptBy} would have kept ${them}`;
}

function heldText([least, most]: WriteLosses['heldBy']): string {
  if (least < most) return `${least} to ${most} members`;
  return least === 1 ? '1 member' : `${least} members`;
}
