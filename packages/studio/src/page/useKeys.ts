import { useLayoutEffect, useRef } from 'react';
import type { Stop } from '../core/history/stops.ts';

/** What keys do. */
export interface Keys {
  readonly play: () => void;
  readonly step: (direction: 1 | -1, kind: Stop) => void;
  /** To the beginning of the run, or to its end. */
  readonly jump: (where: 'home' | 'end') => void;
  readonly zoom: (factor: number) => void;
  readonly pan: (share: number) => void;
  readonly fit: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly compare: () => void;
  readonly help: () => void;
}

interface Key {
  /** As browsers call them. */
  readonly keys: readonly string[];
  /** As the dialog writes them, and what they do. */
  readonly name: string;
  readonly does: string;
  readonly press: (keys: Keys) => void;
}

/** All of them: the dialog shows what is listened for. */
export const KEYS: readonly Key[] = [
  { keys: [' '], name: 'space', does: 'play, or stop', press: ({ play }) => play() },
  {
    keys: ['[', 'ArrowLeft'],
    name: '[ ←',
    does: 'the previous event, of the selected member',
    press: ({ step }) => step(-1, 'event'),
  },
  {
    keys: [']', 'ArrowRight'],
    name: '] →',
    does: 'the next event, of the selected member',
    press: ({ step }) => step(1, 'event'),
  },
  {
    keys: [','],
    name: ',',
    does: 'the previous message, of the selected member',
    press: ({ step }) => step(-1, 'message'),
  },
  { keys: ['.'], name: '.', does: 'the next message, of the selected member', press: ({ step }) => step(1, 'message') },
  {
    keys: ['{', 'PageUp'],
    name: '{ PageUp',
    does: 'the previous step of the scenario; PageUp only on the timeline',
    press: ({ step }) => step(-1, 'step'),
  },
  {
    keys: ['}', 'PageDown'],
    name: '} PageDown',
    does: 'the next step of the scenario; PageDown only on the timeline',
    press: ({ step }) => step(1, 'step'),
  },
  {
    keys: ['Home'],
    name: 'Home',
    does: 'on the timeline: to the beginning of the run',
    press: ({ jump }) => jump('home'),
  },
  { keys: ['End'], name: 'End', does: 'on the timeline: to its end', press: ({ jump }) => jump('end') },
  { keys: ['+', '='], name: '+', does: 'nearer', press: ({ zoom }) => zoom(0.5) },
  { keys: ['-'], name: '-', does: 'farther', press: ({ zoom }) => zoom(2) },
  { keys: ['0'], name: '0', does: 'the whole run', press: ({ fit }) => fit() },
  { keys: ['<'], name: '<', does: 'earlier, when zoomed', press: ({ pan }) => pan(-0.3) },
  { keys: ['>'], name: '>', does: 'later, when zoomed', press: ({ pan }) => pan(0.3) },
  { keys: ['c'], name: 'c', does: 'a second run beside the first, or one alone', press: ({ compare }) => compare() },
  { keys: ['?'], name: '?', does: 'these keys', press: ({ help }) => help() },
];

const BY_KEY: ReadonlyMap<string, Key> = new Map(KEYS.flatMap((key) => key.keys.map((each) => [each, key] as const)));

/** Keys that mean something to what has the focus. */
const TYPED = 'input, textarea, [contenteditable], [role="dialog"], [role="combobox"], [role="listbox"], [role="menu"]';
const PRESSED = 'button, [role="button"], summary';
const MOVED = '[role="tab"], [role="separator"], [role="radio"]';
const OF_MOVING: ReadonlySet<string> = new Set(['ArrowLeft', 'ArrowRight', 'Home', 'End']);
/** Elsewhere they scroll, as everywhere. */
const TIMELINE = '.timeline';
const OF_SCROLLING: ReadonlySet<string> = new Set(['PageUp', 'PageDown', 'Home', 'End']);

/** The page's keys, where nobody types. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      if (event.defaultPrevented || event.altKey || target?.closest(TYPED)) return;
      if (event.key === ' ' && target?.closest(PRESSED)) return;
      if (OF_MOVING.has(event.key) && target?.closest(MOVED)) return;
      if (OF_SCROLLING.has(event.key) && !target?.closest(TIMELINE)) return;
      if (did(event, latest.current)) event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

/** @returns whether the key means something */
function did({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent, keys: Keys): boolean {
  if (ctrlKey || metaKey) return didAgain(key.toLowerCase(), shiftKey, keys);
  const found = BY_KEY.get(key);
  found?.press(keys);
  return found !== undefined;
}

/** With Ctrl, or what stands for it. */
function didAgain(key: string, shiftKey: boolean, { undo, redo }: Keys): boolean {
  if (key === 'y' || (key === 'z' && shiftKey)) redo();
  else if (key === 'z') undo();
  else return false;
  return true;
}
