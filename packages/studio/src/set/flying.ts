import type { Happening } from '../core/history/happenings.ts';
import type { History } from '../core/history/history.ts';
import { type Flight, refusalOf } from '../core/history/traffic.ts';
import type { Eye } from './eye.ts';
import { short } from './portrait.ts';

/** What a message is about, by which it has its shape. */
export type MessageKind = 'heartbeat' | 'vote' | 'entries' | 'position' | 'other';

/** By the command, or the kind of reply, that the trace has. */
export function kindOf(what: string): MessageKind {
  if (/heartbeat/i.test(what)) return 'heartbeat';
  if (/vote/i.test(what)) return 'vote';
  if (/^(fetch|getMore|find)\b/.test(what)) return 'entries';
  return /^(replSetUpdatePosition|progress)\b/.test(what) ? 'position' : 'other';
}

/** A message as the eye sees it. */
export interface Flying {
  readonly flight: Flight;
  readonly kind: MessageKind;
  readonly isReply: boolean;
  /** Nobody is there who could answer. */
  readonly refusal: string | undefined;
  /** What a vote says: the question, the answer, or that none comes. */
  readonly word: string;
  readonly answer: 'yes' | 'no' | undefined;
  /** It asks who would vote, or answers that: nothing is decided by it. */
  readonly isDryRun: boolean;
  /** How far it is on its way: from 0 to 1. */
  readonly part: number;
  /** It was stopped on its way: how far it has fallen since, from 0 to 1. */
  readonly fallen: number;
}

/** A message is seen for so long at least, however fast it was. Unit: ms of film. */
const LEAST = 420;
/** What has not come to its end yet, as far as the run is played, is on its way for so long. Unit: ms of film. */
const UNENDED = 5000;
/** What a wall has stopped flies up to it, and falls. */
const STOPPED = 900;
/** More than these nobody can tell apart. */
const MOST = 120;

/** What is in the air, heartbeats too unless they are not wanted. */
export function flyingAt(history: History, eye: Eye, showHeartbeats: boolean): readonly Flying[] {
  const from = Math.min(eye.microsBefore(STOPPED), eye.atMicros - 2e6);
  const hurried = new Set<string>();
  return history.traffic
    .sentBetween(from, eye.atMicros, 4 * MOST)
    .toReversed()
    .flatMap((flight) => {
      const kind = kindOf(flight.what);
      if (kind === 'heartbeat' && !showHeartbeats) return [];
      const way = wayOf(flight, eye);
      if (!way) return [];
      // While time flies, the newest heartbeat of a way stands for all.
      const lane = `${flight.from} ${flight.to}`;
      if (kind === 'heartbeat' && hurried.has(lane)) return [];
      if (kind === 'heartbeat') hurried.add(lane);
      return [{ ...way, ...saidBy(history, flight, kind), kind, flight }];
    })
    .slice(0, MOST)
    .toReversed();
}

function wayOf(flight: Flight, eye: Eye): Pick<Flying, 'part' | 'fallen'> | undefined {
  const { sentMicros, endedMicros, lost } = flight;
  // A message that a wall stops is given up where it starts; one that finds nobody comes back as a refusal.
  if (lost && endedMicros === sentMicros) {
    const into = eye.millisInto(sentMicros, STOPPED);
    if (into >= STOPPED) return undefined;
    const part = eye.isStill ? 1 : into / STOPPED;
    return { part: Math.min(0.5, part), fallen: Math.max(0, 2 * part - 1) };
  }
  const isUnderWay = endedMicros === undefined || eye.atMicros < endedMicros;
  const into = eye.millisInto(sentMicros, LEAST);
  if (!isUnderWay && into >= LEAST) return undefined;
  if (eye.isStill) return { part: 0.5, fallen: 0 };
  if (endedMicros === undefined) return { part: Math.min(1, eye.millisSince(sentMicros) / UNENDED), fallen: 0 };
  const took = eye.millisSince(sentMicros) - eye.millisSince(endedMicros);
  const isSlow = took >= LEAST || endedMicros - sentMicros >= 1e6;
  const part = isSlow ? (eye.atMicros - sentMicros) / (endedMicros - sentMicros) : into / LEAST;
  return { part: Math.min(1, part), fallen: 0 };
}

type Words = Pick<Flying, 'isReply' | 'refusal' | 'word' | 'answer' | 'isDryRun'>;

function saidBy(history: History, flight: Flight, kind: MessageKind): Words {
  const refusal = refusalOf(flight);
  const isReply = /\breply\b/.test(flight.what);
  const none = { isReply, refusal, word: '', answer: undefined, isDryRun: false };
  if (kind !== 'vote') return none;
  if (refusal !== undefined) return { ...none, word: 'no answer' };
  const { from, to, sentMicros } = flight;
  const asked = (event: Happening) => event.type === 'votesRequested' && event.member === (isReply ? to : from);
  if (!isReply) {
    const request = history.happenings.last(sentMicros, asked);
    const isDryRun = request?.type !== 'votesRequested' || request.dryRun;
    return { ...none, word: isDryRun ? 'would you?' : 'vote!', isDryRun };
  }
  const answered = history.happenings.last(
    sentMicros,
    (event) => event.type === 'voteAnswered' && event.member === from && short(event.candidate) === to,
  );
  if (answered?.type !== 'voteAnswered') return none;
  const answer = answered.granted ? 'yes' : 'no';
  return { ...none, word: answer, answer, isDryRun: answered.dryRun };
}
