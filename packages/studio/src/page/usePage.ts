import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { fromFragment, type Shared, toFragment } from '../core/edit/fragment.ts';
import type { Moment } from '../core/history/history.ts';
import type { LiveSet } from '../core/live/liveSet.ts';
import type { Player, Question } from '../core/run/player.ts';
import { type Comparing, useCompare } from './compare/useCompare.ts';
import type { DialogDoor } from './KeysDialog.tsx';
import { type Guide, useLesson } from './lesson/useLesson.ts';
import { type Edits, useEdits } from './text/useEdits.ts';
import type { TimelineDoor } from './time/Timeline.tsx';
import { type Instant, useInstant } from './time/useInstant.ts';
import { type Travel, useTravel } from './time/useTravel.ts';
import { useKeys } from './useKeys.ts';
import { type Run, useRun } from './useRun.ts';

export interface PageProps {
  readonly player: Player;
  /** What is shown where no link says otherwise. */
  readonly text: string;
  /** A set at work, in the place of a text: it plays, and what is clicked is done to it. */
  readonly live?: LiveSet;
  /** What leads away from here: to other scenarios, if there are any. */
  readonly wayOut?: WayOut;
}

interface WayOut {
  readonly back: ReactNode;
  /** Where to go on at the end of a lesson. */
  readonly next?: (text: string) => ReactNode;
  /** Somebody has come to the end of a lesson. */
  readonly done?: (text: string) => void;
}

/** What the page knows, and what can be done there: its panels show parts of it. */
export interface Page extends PageProps, Chosen {
  readonly seed: number | undefined;
  readonly setSeed: (seed: number | undefined) => void;
  readonly compare: Comparing;
  readonly canCompare: boolean;
  readonly run: Run;
  readonly instant: Instant;
  readonly guide: Guide;
  readonly travel: Travel;
  readonly edits: Edits;
  /** The set as it stood at the instant that is shown. */
  readonly moment: Moment;
  readonly timeline: RefObject<TimelineDoor | null>;
  readonly keys: RefObject<DialogDoor | null>;
}

export function usePage({ player, text: given, live, wayOut }: PageProps): Page {
  const shared = useMemo(() => (live ? undefined : fromFragment(location.hash.slice(1))), [live]);
  const [text, setText] = useState(shared?.text ?? given);
  const [seed, setSeed] = useState(shared?.seed);
  const chosen = useChosen(shared?.member);
  const timeline = useRef<TimelineDoor>(null);
  const keys = useRef<DialogDoor>(null);
  const compare = useCompare(player, live === undefined, shared?.second);
  const run = useRun(compare.player, text, seed);
  const instant = useInstant(run.history, live, shared?.atMicros ?? 0);
  const { atMicros } = instant;
  const guide = useLesson(run, instant, (shared?.second ? undefined : shared?.reading) ?? 'free');
  const { reading, seen } = guide;
  const { second } = compare;
  const travel = useTravel(guide, instant, second?.run.history, chosen.member);
  const edits = useEdits({ text, setText, live, instant, guide, steps: run.history.steps });
  /** Of what is still veiled, a second run would tell. */
  const canCompare = !live && reading === 'free';
  useKeys({
    play: travel.playback.toggle,
    step: travel.step,
    jump: (where) => instant.setAtMicros(where === 'home' ? 0 : travel.endMicros),
    zoom: (factor) => timeline.current?.zoom(factor),
    pan: (share) => timeline.current?.pan(share),
    fit: () => timeline.current?.fit(),
    undo: () => edits.editor.current?.undo(),
    compare: () => canCompare && compare.toggle(),
    help: () => keys.current?.open(),
  });
  const moment = useMemo(() => seen.history.at(atMicros), [seen, atMicros]);
  useLink(live, { text, atMicros, seed, member: chosen.member, reading, second: second?.shared });
  return {
    ...{ player, text, seed, setSeed, compare, canCompare, run, instant, guide, travel, edits, moment },
    ...{ timeline, keys, ...chosen, ...(live && { live }), ...(wayOut && { wayOut }) },
  };
}

/** What somebody has picked out of what is shown. */
interface Chosen {
  readonly selected: readonly string[];
  readonly setSelected: (members: readonly string[]) => void;
  /** The one that is selected, if it is one. */
  readonly member: string | undefined;
  readonly showHeartbeats: boolean;
  readonly setShowHeartbeats: (show: boolean) => void;
  readonly question: Question | undefined;
  readonly ask: (question: Question) => void;
}

function useChosen(first: string | undefined): Chosen {
  const [selected, setSelected] = useState<readonly string[]>(first === undefined ? [] : [first]);
  const [showHeartbeats, setShowHeartbeats] = useState(false);
  const [question, ask] = useState<Question>();
  const [member] = selected.length === 1 ? selected : [];
  return { selected, setSelected, member, showHeartbeats, setShowHeartbeats, question, ask };
}

/** What of a link is there or not. */
type Looks = { readonly [Key in keyof Shared]: Shared[Key] | undefined } & Pick<Shared, 'text' | 'atMicros'>;

/** The address says what is shown, so that it can be sent to somebody. */
function useLink(live: LiveSet | undefined, looks: Looks): void {
  const { text, atMicros, seed, member, reading, second } = looks;
  useEffect(() => {
    if (live) return;
    const said = setTimeout(() => {
      const there = { ...(seed !== undefined && { seed }), ...(member !== undefined && { member }) };
      const shared = { text, atMicros, ...there, ...(reading && { reading }), ...(second && { second }) };
      history.replaceState(undefined, '', `#${toFragment(shared)}`);
    }, LINK_PAUSE_MS);
    return () => clearTimeout(said);
  }, [live, text, atMicros, seed, member, reading, second]);
}

/** The address follows when somebody stays at an instant: browsers refuse one that changes with every frame. */
const LINK_PAUSE_MS = 200;
