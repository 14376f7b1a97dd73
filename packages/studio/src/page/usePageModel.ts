import { type Dispatch, type ReactNode, type RefObject, useEffect, useMemo, useReducer, useRef } from 'react';
import { fromFragment, type Shared, toFragment } from '../core/edit/fragment.ts';
import { type Task, taskOf } from '../core/edit/head.ts';
import type { Moment } from '../core/history/history.ts';
import type { LiveSet } from '../core/live/liveSet.ts';
import type { Player } from '../core/run/player.ts';
import { type Comparing, useCompare } from './compare/useCompare.ts';
import { isEmbedded } from './embedding.ts';
import type { DialogDoor } from './KeysDialog.tsx';
import { type Guide, useLesson } from './lesson/useLesson.ts';
import type { Actions } from './pageActions.ts';
import { begun, linkOf, memberOf, type PageAction, type PageState, reduced } from './state.ts';
import { type Edits, useEdits } from './text/useEdits.ts';
import type { TimelineDoor } from './time/timelineDoor.ts';
import { type Instant, useInstant } from './time/useInstant.ts';
import { type Travel, useTravel } from './time/useTravel.ts';
import { useActionsOf } from './useActionsOf.ts';
import { useKeys } from './useKeys.ts';
import { useOpening } from './useOpening.ts';
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

/** What the page knows: its panels show parts of it. */
export interface Page extends PageProps {
  readonly state: PageState;
  readonly dispatch: Dispatch<PageAction>;
  readonly compare: Comparing;
  readonly canCompare: boolean;
  readonly run: Run;
  readonly instant: Instant;
  readonly guide: Guide;
  readonly travel: Travel;
  readonly edits: Edits;
  /** What the text asks of its reader, if it sets a task. */
  readonly task: Task | undefined;
  /** The set as it stood at the instant that is shown. */
  readonly moment: Moment;
  readonly atMicros: number;
  /** The one that is selected, if it is one. */
  readonly member: string | undefined;
  readonly timeline: RefObject<TimelineDoor | null>;
  readonly keys: RefObject<DialogDoor | null>;
}

export function usePageModel(props: PageProps): { readonly page: Page; readonly actions: Actions } {
  const { player, live } = props;
  const [state, dispatch] = useReducer(reduced, undefined, () => begunAt(props));
  const timeline = useRef<TimelineDoor>(null);
  const keys = useRef<DialogDoor>(null);
  const compare = useCompare(player, live === undefined, state);
  const run = useRun(compare.player, state.text, state.seed);
  const instant = useInstant(run.history, live, state.chosenMicros, dispatch);
  const { atMicros } = instant;
  useOpening(run, state.reading === 'free' && !live, dispatch);
  const guide = useLesson(run, instant, state, dispatch);
  const { second } = compare;
  const member = memberOf(state);
  const travel = useTravel(guide, instant, second?.run.history, member);
  const edits = useEdits({ state, dispatch, live, instant, steps: run.history.steps });
  const actions = useActionsOf({ dispatch, instant, edits, keys });
  /** Of what is still veiled, a second run would tell. */
  const canCompare = !live && !isEmbedded() && state.reading === 'free';
  const { seen } = guide;
  const moment = useMemo(() => seen.history.at(atMicros), [seen, atMicros]);
  const task = useMemo(() => taskOf(state.text), [state.text]);
  const page: Page = {
    ...{ ...props, task, state, dispatch, compare, canCompare, run, instant, guide, travel, edits, moment },
    ...{ atMicros, member, timeline, keys },
  };
  usePageKeys(page, actions);
  useLink(live, linkOf(state, atMicros, second?.shared));
  return { page, actions };
}

function begunAt({ text, live }: PageProps): PageState {
  return begun(text, live ? undefined : fromFragment(location.hash.slice(1)), live !== undefined);
}

function usePageKeys({ travel, instant, timeline, canCompare }: Page, actions: Actions): void {
  useKeys({
    play: travel.playback.toggle,
    step: travel.step,
    jump: (where) => instant.setAtMicros(where === 'home' ? 0 : travel.endMicros),
    zoom: (factor) => timeline.current?.zoom(factor),
    pan: (share) => timeline.current?.pan(share),
    fit: () => timeline.current?.fit(),
    undo: actions.undo,
    redo: actions.redo,
    compare: () => canCompare && actions.compare(),
    help: actions.help,
  });
}

/** The address says what is shown, so that it can be sent to somebody. */
function useLink(live: LiveSet | undefined, shared: Shared): void {
  const { text, atMicros, seed, member, reading, second } = shared;
  const latest = useRef(shared);
  latest.current = shared;
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are what a link says
  useEffect(() => {
    if (live) return;
    const { pathname, search } = location;
    const said = setTimeout(() => {
      // Who has gone back meanwhile is at another place, which this is not said of.
      if (location.pathname !== pathname || location.search !== search) return;
      history.replaceState(undefined, '', `#${toFragment(latest.current)}`);
    }, LINK_PAUSE_MS);
    return () => clearTimeout(said);
  }, [live, text, atMicros, seed, member, reading, second]);
}

/** The address follows when somebody stays at an instant: browsers refuse one that changes with every frame. */
const LINK_PAUSE_MS = 200;
