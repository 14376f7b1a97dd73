import {
  FORCED_JUMP,
  formatOpTime,
  isNullOpTime,
  type MemberConfig,
  type Term,
  type TraceEvent,
} from '@replsim/protocol';
import { ClientLines } from './clientLines.ts';
import { commandText } from './commandText.ts';
import { entryText, makesTtlIndex, nameOf } from './entryText.ts';
import { LastFault } from './lastFault.ts';
import { streamText } from './streamText.ts';

type EventOf<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

const ELECTION_REASONS: Readonly<Record<string, string>> = {
  electionTimeout: 'it heard from no primary within the election timeout',
  priorityTakeover: 'its priority is higher than the primary’s',
  stepUpRequest: 'it was asked to',
  stepUpRequestSkipDryRun: 'the old primary hands over to it',
  catchupTakeover: 'it is ahead of the new primary',
  singleNodePromptElection: 'it is the only member, and may stand again',
};

const CATCH_UP_ENDS: Readonly<Record<string, string>> = {
  Succeeded: 'has caught up with the newest member',
  AlreadyCaughtUp: 'has nothing to catch up with',
  Skipped: 'does not need to catch up with anybody',
  TimedOut: 'gives up catching up: its time is up',
  FailedWithError: 'gives up catching up: it steps down, or cannot follow any member',
  FailedWithNewTerm: 'gives up catching up: another term has begun',
  FailedWithReplSetAbortPrimaryCatchUpCmd: 'gives up catching up: it was told to',
};

/** A step that ends sooner, with nothing to say, has been over at once to a reader. */
const WORTH_TELLING_MICROS = 100_000;

/** Tells single events; remembers only what keeps it from saying the same thing again and again. */
export class Narrator {
  readonly #clients = new ClientLines();
  readonly #lastFault = new LastFault();
  /** Those that are under way: a repetition, and what it repeats. */
  readonly #steps: string[] = [];
  /** Questions whose answers do not stand right below them. */
  readonly #later = new Set<number>();
  #epochSecs = 0;
  #members: readonly string[] = [];
  #ttlIndexSeen = false;
  readonly #lastPass = new Map<string, string>();
  readonly #lastRefusal = new Map<string, string>();
  readonly #accepts = new Map<string, { readonly value: boolean; readonly term: Term }>();
  readonly #configVersion = new Map<string, string>();

  /** The event in words, or undefined for what a reader can do without. */
  tell(event: TraceEvent): string | undefined {
    this.#lastFault.observe(event);
    const text = this.#text(event);
    if (text === undefined) return undefined;
    const milestone = milestoneOf(event);
    return milestone === undefined ? text : `${text}${this.#lastFault.after(event.atMicros, milestone)}`;
  }

  /** What a step returned that nothing else was told of: behind its own line. */
  returned({ atMicros, sinceMicros, returned, outcome }: EventOf<'stepEnded'>): string {
    this.#steps.pop();
    if (returned === undefined) return '';
    const what = outcome === 'done' ? `→ ${returned}` : `! ${returned}`;
    return ` ${what}${this.#lastFault.after(atMicros, undefined, sinceMicros)}`;
  }

  #text(event: TraceEvent): string | undefined {
    switch (event.type) {
      case 'runStarted':
        this.#epochSecs = Math.floor(event.epochMs / 1000);
        this.#members = event.members;
        return `${event.setName}: ${event.members.join(', ')}; mongod ${event.version}, seed ${event.seed}`;
      case 'note':
        return `# ${event.text}`;
      case 'act':
        return `## ${event.title}`;
      case 'asked':
        if (event.dueMicros !== undefined) this.#later.add(event.number);
        return `? ${event.question}`;
      case 'answered':
        return `? answer: ${event.answer}${this.#later.has(event.number) ? ` (${event.question})` : ''}`;
      case 'step':
        this.#steps.push(event.text);
        return `> ${event.text}`;
      case 'stepEnded':
        return this.#stepEnded(event);
      case 'checked':
        return this.#checked(event);
      case 'sometimes':
        return `${event.held ? '=' : '~'} ${event.text}${event.detail === undefined ? '' : `: not now: ${event.detail}`}`;
      case 'invariantBroken':
        return `! invariant ${event.name} is broken: ${event.detail}`;
      case 'partitioned':
        return this.#partition(event);
      case 'cut':
        return `network: ${event.from} no longer reaches ${event.to}`;
      case 'healed':
        return event.members === 'all'
          ? 'network is whole again'
          : `network: ${event.members.join(', ')} can be reached again`;
      case 'linkChanged':
        return this.#linkStep
          ? undefined
          : `network: from ${event.from} to ${event.to} now ${JSON.stringify(event.settings)}`;
      case 'processStarted':
      case 'processStopped':
      case 'processPaused':
      case 'processResumed':
      case 'clockChanged':
        return this.#process(event);
      case 'diskChanged':
        return diskText(event);
      case 'processorChanged':
        return processorText(event);
      case 'writeMisdirected':
        return misdirectedText(event);
      case 'clientsChanged':
        return clientsText(event);
      case 'quiesceBegan':
        return `quiesces for ${event.forMs / 1000}s: clients are told to look elsewhere`;
      case 'oplogTruncated':
        return (
          event.asked &&
          `drops its oldest oplog entries: its oplog now begins at ${formatOpTime(event.first, this.#epochSecs)}`
        );
      case 'partHeld':
        return `stops one of its parts: ${event.part}`;
      case 'partReleased':
        return `resumes that part: ${event.part}`;
      case 'configInstalled':
        return this.#config(event);
      case 'stateChanged':
      case 'memberSeen':
        return this.#state(event);
      case 'workloadStarted':
      case 'workloadStopped':
      case 'clientSent':
      case 'clientTold':
      case 'workloadEnded':
        return this.#clients.tell(event);
      case 'streamOpened':
      case 'streamShowed':
      case 'streamEnded':
        return streamText(event);
      case 'ttlPassEnded':
        return this.#ttlPass(event);
      case 'commandEnded':
        return commandText(event);
      case 'electionStarted':
      case 'electionNotStarted':
      case 'voteAnswered':
      case 'electionLost':
      case 'electionWon':
      case 'catchUpEnded':
      case 'acceptsWrites':
      case 'steppedDown':
        return this.#election(event);
      default:
        return this.#replication(event);
    }
  }

  /** A step that names the ends of its links has said all; whom a word means is told. */
  get #linkStep(): boolean {
    const step = this.#steps.at(-1) ?? '';
    return step.startsWith('link:') && !/\b(primary|secondaries|any)\b/.test(step);
  }

  /** Whoever stands in no group stands in one of their own, which is easily forgotten. */
  #partition({ groups }: EventOf<'partitioned'>): string {
    const named = new Set(groups.flat());
    const rest = this.#members.filter((member) => !named.has(member));
    const parts = groups.map((group) => group.join(' '));
    if (rest.length > 0) parts.push(`${rest.join(' ')} (the rest)`);
    return `network splits into ${parts.join(' | ')}`;
  }

  /** Of an advance its own line says how long it takes. */
  #stepEnded({ atMicros, sinceMicros, outcome, returned }: EventOf<'stepEnded'>): string | undefined {
    const took = atMicros - sinceMicros;
    const text = this.#steps.pop() ?? '';
    const times = () => this.#lastFault.after(atMicros, undefined, sinceMicros);
    if (outcome === 'failed') return `! it fails: ${returned}${times()}`;
    const isTold = returned === undefined ? took >= WORTH_TELLING_MICROS : took >= 1000;
    if (!isTold || text.startsWith('advance:')) return undefined;
    return `< ${returned ?? 'done'}${times()}`;
  }

  #checked({ atMicros, text, held, sinceMicros, detail }: EventOf<'checked'>): string {
    // How long it held always is what it asks for.
    const isTimed = sinceMicros !== undefined && !text.startsWith('always:');
    const times = isTimed ? this.#lastFault.after(atMicros, undefined, sinceMicros) : '';
    return held ? `= ${text}${times}` : `! ${text}${detail ? `: ${detail}` : ''}`;
  }

  #process(
    event: EventOf<'processStarted' | 'processStopped' | 'processPaused' | 'processResumed' | 'clockChanged'>,
  ): string | undefined {
    switch (event.type) {
      case 'processStarted':
        this.#configVersion.delete(event.member);
        this.#accepts.delete(event.member);
        if (event.mode === 'standalone') {
          return event.ttlMonitorStarted
            ? 'starts as a standalone'
            : 'starts as a standalone on a replica set’s data: its TTL monitor does not start';
        }
        if (event.atMicros === 0) return undefined;
        return isNullOpTime(event.lastApplied)
          ? 'starts with no data'
          : `starts with its data as of ${formatOpTime(event.lastApplied, this.#epochSecs)}, in term ${event.term}`;
      case 'processStopped':
        if (event.how === 'killed') return 'is killed';
        return event.how === 'shutdown' ? 'has shut down' : `dies: ${event.detail ?? 'a fatal error'}`;
      case 'processPaused':
        return 'is paused (SIGSTOP)';
      case 'processResumed':
        return 'resumes (SIGCONT)';
      case 'clockChanged':
        if (event.jumpMs !== undefined) return `clock jumps by ${event.jumpMs / 1000}s`;
        return `clock drifts by ${event.driftPpm} ppm`;
    }
  }

  /** A change of the term alone, which every election brings, is not worth a line. */
  #config({ member, config, forced }: EventOf<'configInstalled'>): string | undefined {
    const version = `${config.version}${forced && config.version > FORCED_JUMP ? ' (forced)' : ''}`;
    const known = this.#configVersion.get(member);
    this.#configVersion.set(member, version);
    return known === version || (known === undefined && config.version > 1)
      ? undefined
      : `has config version ${version}: ${config.members.map(placeOf).join(', ')}`;
  }

  #state(event: EventOf<'stateChanged' | 'memberSeen'>): string | undefined {
    if (event.type === 'memberSeen') {
      const other = nameOf(event.other);
      if (event.to === 'DOWN') return `no longer hears from ${other}${event.detail ? ` (${event.detail})` : ''}`;
      if (event.to === 'UNKNOWN') return `is refused by ${other}${event.detail ? ` (${event.detail})` : ''}`;
      return event.from === 'DOWN' ? `hears from ${other} again` : undefined;
    }
    // STARTUP2 and the RECOVERING after it pass in no time, or are told as initial sync.
    if (event.to === 'STARTUP2' || (event.to === 'RECOVERING' && event.from === 'STARTUP2')) return undefined;
    return event.to === 'PRIMARY' ? 'is PRIMARY, and does not accept writes yet' : `is ${event.to}`;
  }

  #election(
    event: EventOf<
      | 'electionStarted'
      | 'electionNotStarted'
      | 'voteAnswered'
      | 'electionLost'
      | 'electionWon'
      | 'catchUpEnded'
      | 'acceptsWrites'
      | 'steppedDown'
    >,
  ): string | undefined {
    switch (event.type) {
      case 'electionStarted': {
        const why = ELECTION_REASONS[event.reason] ?? event.reason;
        return event.dryRun
          ? `asks for votes in a dry run, in term ${event.term}: ${why}`
          : `stands for election: ${why}`;
      }
      case 'electionNotStarted':
        if (this.#lastRefusal.get(event.member) === event.detail) return undefined;
        this.#lastRefusal.set(event.member, event.detail);
        return `does not stand for election: ${event.detail}`;
      case 'voteAnswered': {
        const candidate = nameOf(event.candidate);
        if (event.granted)
          return event.dryRun ? `would vote for ${candidate}` : `votes for ${candidate} in term ${event.term}`;
        return `${event.dryRun ? 'would not vote' : 'does not vote'} for ${candidate}: ${event.reason}`;
      }
      case 'electionLost':
        return `${event.dryRun ? 'loses the dry run' : `loses the election of term ${event.term}`}: ${event.reason}`;
      case 'electionWon':
        this.#lastRefusal.clear();
        return `wins term ${event.term} with ${event.votes} ${event.votes === 1 ? 'vote' : 'votes'}`;
      case 'catchUpEnded':
        return CATCH_UP_ENDS[event.reason] ?? `ends catch-up: ${event.reason}`;
      case 'acceptsWrites':
        return this.#acceptsWrites(event);
      case 'steppedDown':
        return `steps down: ${event.reason}`;
    }
  }

  /** A primary that steps down stops before it knows whether it can, and is told so once more when it has. */
  #acceptsWrites({ member, value, term }: EventOf<'acceptsWrites'>): string | undefined {
    const before = this.#accepts.get(member);
    this.#accepts.set(member, { value, term });
    if (value && before?.term === term) return `accepts writes again, in term ${term}: its step-down failed`;
    if (value) return `accepts writes, in term ${term}`;
    return before?.value === false ? undefined : 'accepts no more writes';
  }

  #replication(event: TraceEvent): string | undefined {
    switch (event.type) {
      case 'fsyncLockChanged':
        return event.locked ? 'is locked by fsync: nothing is written' : 'is unlocked: writes continue';
      case 'indexBuild':
        return buildText(event);
      case 'syncSourceChanged':
        return event.to === undefined ? undefined : `fetches from ${nameOf(event.to)}`;
      case 'fetchFailed':
        // A source that is merely level is the everyday case of an idle set.
        return event.code === 119 ? undefined : `cannot fetch from ${nameOf(event.source)}: ${event.detail}`;
      case 'tooStale':
        return `is too stale: no member’s oplog reaches back to ${formatOpTime(event.lastFetched, this.#epochSecs)}`;
      case 'initialSync':
        if (event.phase === 'cloned') return undefined;
        return event.phase === 'started' ? 'begins initial sync' : `initial sync ${event.phase}: ${event.detail ?? ''}`;
      case 'rollbackStarted':
        return `rolls back: its oplog has diverged from that of ${nameOf(event.source)}`;
      case 'rollbackFile':
        return `saves ${event.documents === 1 ? 'a document' : `${event.documents} documents`} of ${event.ns} in ${event.path}, before it undoes the changes to ${event.documents === 1 ? 'it' : 'them'}`;
      case 'rolledBack': {
        const removed = summary(event.removedEntries.map((entry) => entryText(entry) ?? 'a periodic no-op'));
        return `is back at ${formatOpTime(event.commonPoint, this.#epochSecs)}, the newest entry that both have; undone: ${removed}`;
      }
      default:
        return undefined;
    }
  }

  /** Who writes an index entry is told by others; here it is only learned that TTL is of interest in this run. */
  sawEntries(event: EventOf<'oplogWritten'>): void {
    if (!this.#ttlIndexSeen) this.#ttlIndexSeen = event.entries.some((entry) => makesTtlIndex(entry));
  }

  /** Passes that delete are told; of those that do not, the first after something else. */
  #ttlPass(event: EventOf<'ttlPassEnded'>): string | undefined {
    const text = passText(event);
    if (event.deleted === 0 && event.error === undefined) {
      if (!this.#ttlIndexSeen || this.#lastPass.get(event.member) === text) return undefined;
    }
    this.#lastPass.set(event.member, text);
    return text;
  }
}

/** How far a member is with its own copy; what the set decides is told by the entries. */
function buildText({ phase, ns, indexes, documents, cause }: EventOf<'indexBuild'>): string | undefined {
  const what = `${indexes.join(', ')} of ${ns}`;
  if (phase === 'started') return `builds ${what}: ${documents} ${documents === 1 ? 'document' : 'documents'} to scan`;
  if (phase === 'scanned') return `has scanned ${ns} for ${indexes.join(', ')}`;
  if (phase === 'ready') return `has built ${what}`;
  return phase === 'left' ? `stops building ${what}` : `gives up building ${what}: ${cause}`;
}

/** A member as a config lists it; who has no vote yet is worth a word, since the next version gives it. */
function placeOf({ host, newlyAdded }: MemberConfig): string {
  return newlyAdded ? `${nameOf(host)} (newly added)` : nameOf(host);
}

function passText({ deleted, byIndex, error, acceptsWrites }: EventOf<'ttlPassEnded'>): string {
  const what = byIndex.map((index) => `${index.deleted} from ${index.ns}`).join(', ');
  if (error !== undefined) return `ttl pass interrupted${what && ` after ${what}`}: ${error}`;
  if (deleted > 0) return `ttl pass: deleted ${what}`;
  return acceptsWrites ? 'ttl pass: nothing was due' : 'ttl pass: deleted nothing, because it does not accept writes';
}

/** What readers hold against the time of the last fault; each of these once. */
function milestoneOf(event: TraceEvent): string | undefined {
  switch (event.type) {
    case 'electionWon':
    case 'steppedDown':
    case 'rolledBack':
      return `${event.type} ${event.member}`;
    case 'acceptsWrites':
      return event.value ? `${event.type} ${event.member}` : undefined;
    case 'initialSync':
      return event.phase === 'done' ? `${event.type} ${event.member}` : undefined;
    case 'ttlPassEnded':
      return event.deleted > 0 ? `${event.type} ${event.member}` : undefined;
    default:
      return undefined;
  }
}

function summary(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([text, count]) => (count > 1 ? `${count} × ${text}` : text)).join(', ');
}

function clientsText({ appName, except, cut, freeze, delayMs, heal }: EventOf<'clientsChanged'>): string {
  const but = except === undefined ? '' : `, except ${except.join(', ')}`;
  const whom = appName === undefined ? `all clients${but}` : `clients called ${appName}${but}`;
  if (heal) return `${whom}: their connections work normally again`;
  if (cut !== undefined) return `${whom} ${cut ? 'are cut off' : 'may connect again'}`;
  if (freeze !== undefined) return `${whom}: their connections ${freeze ? 'freeze' : 'resume'}`;
  const [least, most] = typeof delayMs === 'number' ? [delayMs, delayMs] : (delayMs ?? [0, 0]);
  if (most === 0) return `${whom} get replies at once again`;
  return `${whom} get replies ${least === most ? most : `${least} to ${most}`} ms later`;
}

function diskText({ latencyMs, full, corrupt, lost, torn, misdirected }: EventOf<'diskChanged'>): string {
  const changes = [
    latencyMs !== undefined && (latencyMs > 0 ? `takes ${latencyMs} ms longer for each write` : 'is as fast as before'),
    full !== undefined && (full ? 'is full' : 'has room again'),
    corrupt && 'has one damaged bit in what was written to it',
    lost !== undefined && (lost ? 'keeps writes in its cache, which a kill empties' : 'has written its cache'),
    torn !== undefined && (torn ? 'will cut its last write in half at the next kill' : 'keeps its last write whole'),
    misdirected !== undefined &&
      (misdirected
        ? 'will write the next record of the journal to a wrong place'
        : 'writes every record where it belongs'),
  ];
  return `disk ${changes.filter((change) => change).join(', ')}`;
}

function processorText({ slowdown, cores }: EventOf<'processorChanged'>): string {
  const changes = [
    slowdown !== undefined && (slowdown === 1 ? 'is as fast as usual' : `takes ${slowdown} times as long as usual`),
    cores !== undefined &&
      (cores === 0
        ? 'computes all operations at a time'
        : `computes ${cores} ${cores === 1 ? 'operation' : 'operations'} at a time`),
  ];
  return `processor ${changes.filter((change) => change).join(', ')}`;
}

function misdirectedText({ over }: EventOf<'writeMisdirected'>): string {
  const destroyed = {
    checkpoint: 'over the data of the checkpoint',
    journal: 'over an earlier record',
    nothing: 'where nothing was',
  };
  return `disk reports a record of the journal as written, and has written it ${destroyed[over]}`;
}
