import { useEffect, useMemo, useRef, useState } from 'react';
import type { ComparedRun, Comparison } from '../../core/compare/comparison.ts';
import { type Ended, endedPlayer } from '../../core/compare/endedPlayer.ts';
import type { Difference } from '../../core/edit/difference.ts';
import { secondOf } from '../../core/edit/differing.ts';
import type { SharedSecond } from '../../core/edit/fragment.ts';
import { WorkerPlayer } from '../../core/run/inWorker.ts';
import type { Player } from '../../core/run/player.ts';
import { type Run, useRun } from '../useRun.ts';

/** What the page shows, of which a second run is to be made. */
interface First {
  readonly text: string;
  /** Instead of the text's own. */
  readonly seed: number | undefined;
  /** Its last run that is over, of whatever text. */
  readonly traced: Ended | undefined;
}

/** The second run, and how far it is like the first. */
export interface Second {
  /** What a link says of it. */
  readonly shared: SharedSecond;
  readonly run: Run;
  /** Knows the reasons of what happened in it. */
  readonly player: Pick<Player, 'why'>;
  /** Both runs, and how far they are alike; undefined while one of them is not yet what its text says. */
  readonly compared: Compared | undefined;
  /** Why the second text is still what it was. */
  readonly cannot: string | undefined;
  readonly note: string | undefined;
  /** In what it is to differ. */
  readonly difference: Difference;
  readonly choose: (difference: Difference) => void;
}

export interface Compared {
  readonly one: Ended;
  readonly other: Ended;
  readonly comparison: Comparison;
}

/** Plays the second scenario as often as it changes, in a worker of its own, so that neither run waits for the other. */
export function useSecond(first: First, given: SharedSecond | undefined): Second {
  const [difference, choose] = useState<Difference>(() =>
    given ? sharedDifference(first, given) : { kind: 'seed', seed: (first.seed ?? first.traced?.played.seed ?? 1) + 1 },
  );
  const made = useMemo(() => secondOf(first.text, first.seed, difference), [first.text, first.seed, difference]);
  const last = useRef(given?.text ?? first.text);
  if ('text' in made) last.current = made.text;
  const text = last.current;
  const [other, setOther] = useState<Ended>();
  const player = useOwnPlayer(setOther);
  const run = useRun(player, text, undefined);
  const one = isOf(first.traced, first) ? first.traced : undefined;
  const compared = useCompared(player, one, other?.text === text ? other : undefined);
  const cannot = 'cannot' in made ? made.cannot : undefined;
  const note = 'note' in made ? made.note : undefined;
  return useMemo(() => {
    const shared = difference.kind === 'text' ? { text } : { text, by: difference };
    return { shared, run, player, compared, cannot, note, difference, choose };
  }, [text, difference, run, player, compared, cannot, note]);
}

/** Whether it is the run that is to be compared: one that has stopped at a failed check is played once more. */
function isOf(traced: Ended | undefined, { text, seed }: First): boolean {
  return traced?.text === text && traced.seed === seed && (traced.playsOn || traced.played.ok);
}

/** Has the worker of the second run compare both: it has that one, and is warm. */
function useCompared(player: Plays, one: Ended | undefined, other: Ended | undefined): Compared | undefined {
  const [compared, setCompared] = useState<Compared>();
  useEffect(() => {
    if (!one || !other) return;
    player
      .compare(comparedRun(one), comparedRun(other))
      .then((comparison) => comparison && setCompared({ one, other, comparison }))
      .catch(() => {});
  }, [player, one, other]);
  return compared?.one === one && compared?.other === other ? compared : undefined;
}

const comparedRun = ({ text, played: { seed } }: Ended): ComparedRun => ({ text, seed });

/** What differs, as a link says it: if its second text is no longer what that makes of the first, it is a text of its own. */
function sharedDifference({ text, seed }: First, { text: second, by }: SharedSecond): Difference {
  const made = by && secondOf(text, seed, by);
  return by && made && 'text' in made && made.text === second ? by : { kind: 'text', text: second };
}

type Plays = Pick<WorkerPlayer, 'play' | 'why' | 'compare'>;

/** Until there is one. */
const NOBODY: Plays = { play: async () => undefined, why: async () => [], compare: async () => undefined };

/** A worker that is there as long as somebody compares. */
function useOwnPlayer(told: (traced: Ended) => void): Plays {
  const [player, setPlayer] = useState(NOBODY);
  useEffect(() => {
    const hired = new WorkerPlayer();
    // What it is compared for may come behind a check that only the first run passes.
    setPlayer({
      ...endedPlayer(hired, told, true),
      why: (question) => hired.why(question),
      compare: (one, other) => hired.compare(one, other),
    });
    return () => hired.close();
  }, [told]);
  return player;
}
