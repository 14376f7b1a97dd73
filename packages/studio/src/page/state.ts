import type { OpTime } from '@replsim/protocol';
import type { Reading, Shared, SharedSecond } from '../core/edit/fragment.ts';
import { taskOf } from '../core/edit/head.ts';
import type { Question } from '../core/run/player.ts';

/** What the inspector shows. */
export type Look =
  | 'member'
  | 'document'
  | 'entry'
  | 'vote'
  | 'data'
  | 'expiry'
  | 'status'
  | 'log'
  | 'story'
  | 'compare';
/** What a narrow page shows below the set and the time. */
export type Pane = 'look' | 'told' | 'oplogs' | 'text';
/** Which of two runs. */
export type Which = 'first' | 'second';

/** An entry of a member's oplog. */
export interface EntryChosen {
  readonly member: string;
  /** Of its column. */
  readonly key: string;
  readonly opTime: OpTime;
}

/** A document, wherever it is. */
export interface DocumentChosen {
  readonly ns: string;
  /** @see DataRow.id */
  readonly id: string;
}

/** What a sentence is about, as long as somebody points at it. */
export interface Pointed {
  readonly members: readonly string[];
  /** By their columns. */
  readonly entries: readonly string[];
  readonly atMicros: number;
}

/** Lines that a click has just added to the text. */
export interface Added {
  readonly lines: readonly string[];
  readonly line: number;
  /** Another click is another one, though it adds the same lines. */
  readonly turn: number;
}

/** All that somebody has chosen on the page. The run, and what it shows, follow from that. */
export interface PageState {
  readonly text: string;
  readonly seed: number | undefined;
  /** Undefined: the page goes with a live set. */
  readonly chosenMicros: number | undefined;
  /** Whether somebody has chosen the instant, or a link has. */
  readonly isPlaced: boolean;
  /** How often it was another instant: panels that draw it in turns count by that. */
  readonly moves: number;
  readonly selected: readonly string[];
  readonly entry: EntryChosen | undefined;
  readonly document: DocumentChosen | undefined;
  readonly showsHeartbeats: boolean;
  readonly questions: Readonly<Record<Which, Question | undefined>>;
  readonly reading: Reading;
  /** How often somebody has begun to read anew. */
  readonly readings: number;
  readonly isComparing: boolean;
  /** What a link says of the second run, until somebody leaves it. */
  readonly given: SharedSecond | undefined;
  readonly look: Look;
  readonly pane: Pane;
  readonly isTextOpen: boolean;
  readonly added: Added | undefined;
  /** Why what was clicked last was not done. */
  readonly cannot: string | undefined;
  readonly pointed: Pointed | undefined;
}

export type PageAction =
  | { readonly type: 'go'; readonly atMicros: number }
  /** Goes there unless somebody has gone elsewhere. */
  | { readonly type: 'place'; readonly atMicros: number }
  /** Goes with a live set again. */
  | { readonly type: 'follow' }
  | { readonly type: 'select'; readonly members: readonly string[] }
  | { readonly type: 'chooseEntry'; readonly entry: EntryChosen }
  | { readonly type: 'chooseDocument'; readonly document: DocumentChosen }
  | { readonly type: 'ask'; readonly question: Question | undefined; readonly of: Which }
  | { readonly type: 'edit'; readonly text: string }
  | { readonly type: 'seed'; readonly seed: number | undefined }
  | { readonly type: 'read'; readonly reading: Reading }
  | { readonly type: 'compare' }
  | { readonly type: 'heartbeats'; readonly shown: boolean }
  | { readonly type: 'look'; readonly look: Look }
  | { readonly type: 'pane'; readonly pane: Pane }
  | { readonly type: 'openText'; readonly isOpen: boolean }
  | { readonly type: 'added'; readonly lines: readonly string[]; readonly line: number }
  | { readonly type: 'forget' }
  | { readonly type: 'refuse'; readonly why: string | undefined }
  | { readonly type: 'point'; readonly pointed: Pointed | undefined };

/** @param isLive whether there is a live set, with which the page goes */
export function begun(text: string, shared: Shared | undefined, isLive: boolean): PageState {
  const { seed, atMicros = 0, member, reading = 'free', second } = shared ?? {};
  return {
    text: shared?.text ?? text,
    seed,
    chosenMicros: isLive ? undefined : atMicros,
    isPlaced: atMicros > 0,
    moves: 0,
    selected: member === undefined ? [] : [member],
    entry: undefined,
    document: undefined,
    showsHeartbeats: false,
    questions: { first: undefined, second: undefined },
    reading: second ? 'free' : reading,
    readings: 0,
    isComparing: second !== undefined,
    given: second,
    look: second ? 'compare' : 'member',
    pane: reading === 'free' && !taskOf(shared?.text ?? text) ? 'look' : 'told',
    // What was done to a live set is all that there is to read of it.
    isTextOpen: isLive,
    added: undefined,
    cannot: undefined,
    pointed: undefined,
  };
}

export function reduced(state: PageState, action: PageAction): PageState {
  switch (action.type) {
    case 'go':
      return { ...state, chosenMicros: action.atMicros, isPlaced: true, moves: state.moves + 1 };
    case 'place':
      return state.isPlaced ? state : { ...state, chosenMicros: action.atMicros, isPlaced: true };
    case 'follow':
      return { ...state, chosenMicros: undefined };
    case 'select':
      return selected(state, action.members);
    case 'chooseEntry':
      return { ...state, entry: action.entry, look: 'entry', pane: 'look' };
    case 'chooseDocument':
      return { ...state, document: action.document, look: 'document', pane: 'look' };
    case 'ask':
      return { ...state, questions: { ...state.questions, [action.of]: action.question }, pane: 'look' };
    case 'edit':
      return { ...state, text: action.text, reading: 'free' };
    case 'seed':
      // It is another run, with other instants.
      return { ...(state.reading === 'free' ? state : read(state, state.reading)), seed: action.seed };
    case 'read':
      return read(state, action.reading);
    case 'compare':
      return compared(state);
    case 'heartbeats':
      return { ...state, showsHeartbeats: action.shown };
    case 'look':
      return { ...state, look: action.look, pane: 'look' };
    case 'pane':
      return { ...state, pane: action.pane, isTextOpen: action.pane === 'text' };
    case 'openText':
      return { ...state, isTextOpen: action.isOpen, pane: action.isOpen ? 'text' : 'look' };
    case 'added':
      return { ...state, added: { lines: action.lines, line: action.line, turn: (state.added?.turn ?? 0) + 1 } };
    case 'forget':
      return { ...state, added: undefined };
    case 'refuse':
      return { ...state, cannot: action.why };
    case 'point':
      return { ...state, pointed: action.pointed };
  }
}

/** What is compared stays in sight while somebody clicks around in both sets. */
function selected(state: PageState, members: readonly string[]): PageState {
  const look = state.look === 'compare' || members.length === 0 ? state.look : 'member';
  return { ...state, selected: members, look, cannot: undefined };
}

function read(state: PageState, reading: Reading): PageState {
  if (reading === 'free') return { ...state, reading };
  return { ...state, reading, readings: state.readings + 1, chosenMicros: 0, isPlaced: true, pane: 'told' };
}

function compared(state: PageState): PageState {
  const isComparing = !state.isComparing;
  return {
    ...state,
    isComparing,
    given: undefined,
    questions: { ...state.questions, second: undefined },
    look: isComparing ? 'compare' : 'member',
    pane: 'look',
  };
}

/** The member that is selected, if it is one. */
export function memberOf({ selected }: PageState): string | undefined {
  return selected.length === 1 ? selected[0] : undefined;
}

/** What a link says of what is shown. @param second the second run, as it is now */
export function linkOf(state: PageState, atMicros: number, second: SharedSecond | undefined): Shared {
  const { text, seed, reading } = state;
  const member = memberOf(state);
  return {
    text,
    atMicros,
    ...(seed !== undefined && { seed }),
    ...(member !== undefined && { member }),
    reading,
    ...(second && { second }),
  };
}

const ENTRY = /\((\d+),(\d+) (?:t(\d+)|no term)\)/g;

/** What a sentence is about: the members and the entries that it names. */
export function pointedBy(text: string, atMicros: number, names: readonly string[], epochSecs: number): Pointed {
  const words = new Set(text.match(/[\w.-]+/g));
  const entries = [...text.matchAll(ENTRY)].map(
    ([, secs, i, term]) => `${Number(secs) + epochSecs} ${i} ${term ?? -1}`,
  );
  return { members: names.filter((name) => words.has(name)), entries, atMicros };
}

/** In one line: how many mistakes the text has. */
export function mistakesText(count: number): string {
  return `${count} ${count === 1 ? 'mistake' : 'mistakes'} in the text: the last run is still shown`;
}
