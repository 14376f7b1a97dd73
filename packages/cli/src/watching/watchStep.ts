/** Scenarios to play: these files, or all that were asked for. */
export type Batch = 'all' | readonly string[];

/** What is looked for before anything is played: a part of the file, a part of the name; `''` for all. */
export interface Filters {
  readonly file: string;
  readonly name: string;
}

export interface WatchState {
  readonly filters: Filters;
  /** What is being played. */
  readonly playing: Batch | undefined;
  /** Files that did not hold when they were last played. */
  readonly failed: ReadonlySet<string>;
  /** Changed, and not played since. */
  readonly changed: ReadonlySet<string>;
  /** What was to be played when a file was found to be none that can be. */
  readonly owed: Batch | undefined;
  /** Keys that were pressed while something was played. */
  readonly keys: readonly string[];
  /** A filter that is being typed. */
  readonly prompt: { readonly filter: keyof Filters; readonly text: string } | undefined;
}

export type WatchEvent =
  | { readonly type: 'begin' }
  /** `enter`, `escape`, `backspace`, or the character. */
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'interrupted' }
  | { readonly type: 'changed'; readonly file: string }
  | { readonly type: 'removed'; readonly file: string }
  | { readonly type: 'played'; readonly held: readonly string[]; readonly failed: readonly string[] }
  /** Nothing could be played, as a file has mistakes; they have been told. */
  | { readonly type: 'mistaken' };

export type WatchEffect =
  | { readonly type: 'play'; readonly batch: Batch; readonly filters: Filters }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'quit' };

type Step = [state: WatchState, effects: readonly WatchEffect[]];

export const NOTHING_YET: WatchState = {
  filters: { file: '', name: '' },
  playing: undefined,
  failed: new Set(),
  changed: new Set(),
  owed: undefined,
  keys: [],
  prompt: undefined,
};

const HELP = `
  a      play all again, with no filter
  enter  play again what the filters let through
  f      play only what failed
  p      filter by file
  t      filter by name
  q      quit
`;

/** Moves watching on by one event. @returns the next state, and what is to be done about it, in order */
export function watchStep(state: WatchState, event: WatchEvent): Step {
  switch (event.type) {
    case 'begin':
      return play(state, 'all');
    case 'key':
      return pressed(state, event.key);
    case 'interrupted':
      return [state, [{ type: 'quit' }]];
    case 'changed':
      return playChanged({ ...state, changed: new Set([...state.changed, event.file]) });
    case 'removed': {
      const isOther = (file: string) => file !== event.file;
      const [failed, changed] = [state.failed, state.changed].map((files) => new Set([...files].filter(isOther)));
      const owed = Array.isArray(state.owed) ? state.owed.filter(isOther) : state.owed;
      return [{ ...state, failed: failed ?? state.failed, changed: changed ?? state.changed, owed }, []];
    }
    case 'played': {
      const failed = new Set([...state.failed].filter((file) => !event.held.includes(file)));
      for (const file of event.failed) failed.add(file);
      return idle({ ...state, playing: undefined, failed });
    }
    case 'mistaken':
      return idle({ ...state, playing: undefined, owed: state.playing });
  }
}

function pressed(state: WatchState, key: string): Step {
  // Whoever wants to leave does not wait.
  if (key === 'q' && !state.prompt) return [state, [{ type: 'quit' }]];
  if (state.playing !== undefined) return [{ ...state, keys: [...state.keys, key] }, []];
  if (state.prompt) return typed(state, state.prompt, key);
  switch (key) {
    case 'a':
      return play({ ...state, filters: NOTHING_YET.filters }, 'all');
    case 'enter':
      return play(state, 'all');
    case 'f':
      if (state.failed.size === 0) return [state, [say('nothing has failed\n')]];
      return play(state, [...state.failed].sort());
    case 'p':
      return typed(state, { filter: 'file', text: state.filters.file }, '');
    case 't':
      return typed(state, { filter: 'name', text: state.filters.name }, '');
    case 'h':
      return [state, [say(HELP)]];
    default:
      return [state, [say('h shows the keys\n')]];
  }
}

function typed(state: WatchState, prompt: NonNullable<WatchState['prompt']>, key: string): Step {
  const { filter, text } = prompt;
  if (key === 'escape') return idle({ ...state, prompt: undefined });
  if (key === 'enter') {
    const [next, effects] = play({ ...state, prompt: undefined, filters: { ...state.filters, [filter]: text } }, 'all');
    return [next, [say('\n'), ...effects]];
  }
  const changed = key === 'backspace' ? [...text].slice(0, -1).join('') : text + ([...key].length === 1 ? key : '');
  return [{ ...state, prompt: { filter, text: changed } }, [say(`\r\x1b[Kpart of the ${filter}: ${changed}`)]];
}

/** Nothing is played: what was pressed meanwhile has its turn, then what has changed. */
function idle(state: WatchState): Step {
  const [key, ...keys] = state.keys;
  if (key !== undefined) {
    const [next, effects] = pressed({ ...state, keys }, key);
    if (next.playing !== undefined || effects.some(({ type }) => type === 'quit')) return [next, effects];
    const [last, more] = idle(next);
    return [last, [...effects, ...more]];
  }
  if (state.changed.size > 0 && !state.prompt) return playChanged(state);
  const failed = state.failed.size === 0 ? '' : `${state.failed.size} failed; `;
  return [state, [say(`\n${failed}waiting for changes; h shows the keys\n`)]];
}

/** What could not be played with the last change has its turn with this one. */
function playChanged(state: WatchState): Step {
  if (state.playing !== undefined || state.prompt) return [state, []];
  const { owed = [], changed } = state;
  return play(state, owed === 'all' ? 'all' : [...new Set([...owed, ...changed])].sort());
}

function play(state: WatchState, batch: Batch): Step {
  const isLeft = (file: string) => batch !== 'all' && !batch.includes(file);
  const changed = new Set([...state.changed].filter(isLeft));
  const { filters } = state;
  return [{ ...state, playing: batch, changed, owed: undefined }, [{ type: 'play', batch, filters }]];
}

function say(text: string): WatchEffect {
  return { type: 'say', text };
}
